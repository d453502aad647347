#pragma once
#include <array>
#include <optional>
#include <string>
#include <string_view>

/// The texts of a campaign that become options of oarsub. OAR's API puts them between double quotes into a command that two shells read,
/// then into SQL, Perl and the nodes' shells. Each text therefore has a grammar in which none of these finds a metacharacter: an accepted
/// text arrives byte for byte. A folder is no option: the job's own wrapper enters it (runner/wrapper), and quotes it for the job's shell.
///
/// Each function returns empty when the text is right. Otherwise it returns a sentence: what is wrong, at which character (from 1), and
/// what would be right. Cost: O(bytes).
namespace gleaner::grid {

/// Letters, digits, blanks and `_ . : @ / + , = % -`; the first is a letter, a digit or `_`.
[[nodiscard]] std::optional<std::string> wrong_project(std::string_view text);

/// One type of a job: `devel`, `container`, `inner=12`, `token:licence=2`, `postpone=2030-01-31 08:00:00`. Types with which OAR does not
/// execute the command, or not in the user's home, are wrong here.
[[nodiscard]] std::optional<std::string> wrong_job_type(std::string_view text);

/// The variables that the job's shell replaces in a folder.
inline constexpr std::array<std::string_view, 3> kFolderVariables{"HOME", "USER", "LOGNAME"};

/// A path on the cluster, absolute or relative. All letters may be in it, blanks and `; & | < > ( ) *` too; quotes, backslashes and control
/// characters not.
[[nodiscard]] std::optional<std::string> wrong_directory(std::string_view text);

/// The folder in which tasks run: such a path, and absolute. It begins with `/`, `$HOME` or `{HOME}`, or is `~` or begins with `~/`, which
/// mean the same.
[[nodiscard]] std::optional<std::string> wrong_exec_directory(std::string_view text);

/// A condition over the properties of resources (OAR's `-p`, and the braces of a resource request): names, numbers and quoted texts,
/// compared by = <> != < <= > >=, LIKE, IN, BETWEEN, IS NULL, combined by AND, OR, NOT and brackets. Functions, comments and statements are
/// refused.
[[nodiscard]] std::optional<std::string> wrong_properties(std::string_view text);

}  // namespace gleaner::grid
