#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "lib/jdl/campaign_file.hpp"
#include "lib/jdl/parameter.hpp"

/// Where the words of a parameter stand in the command of its task, and who reads them: the keys `placeholders` and `params_shell`.
namespace gleaner::jdl {

/// Whether a command of the campaign has braces that would be placeholders.
[[nodiscard]] bool may_have_placeholders(const CampaignFile& file);

/// The greatest number of a word that a command of the campaign has a place for.
struct LastPlace {
  std::size_t word = 0;  ///< 0: none
  std::string text;      ///< `{3}`, or `{mesh}`
};
[[nodiscard]] LastPlace last_place(const CampaignFile& file);

/// A sentence about `{}` in a command that may be meant for find, xargs or parallel; empty: there is none.
[[nodiscard]] std::optional<std::string> doubtful_place(const CampaignFile& file);

/// A sentence about the first `\$` of a command, a folder or a script, which is a `$` here, as in CiGri; empty: there is none.
[[nodiscard]] std::optional<std::string> escaped_dollar(const CampaignFile& file);

/// The exec_file of a section as a job of the campaign gets it (expand()), with numbers for the names of words.
[[nodiscard]] std::string stored_command(const std::string& expanded, const CampaignFile& file);

/// The command of a task, as its shell reads it. The parameter passes `check`.
[[nodiscard]] std::string command_of_task(const CampaignFile& file, const ClusterSection& section, const Parameter& parameter);

/// Checks the parameters of a campaign, one after the other.
class PlacementCheck {
 public:
  /// The file must outlive this object.
  explicit PlacementCheck(const CampaignFile& file) : file_{file}, last_{last_place(file)} {}

  /// A sentence that names the task, its parameter and the placeholder that has no word; empty: each has one. Cost: O(1) without
  /// placeholders of numbers, until the first parameter that a shell would read otherwise.
  [[nodiscard]] std::optional<std::string> wrong(std::int64_t task, const Parameter& parameter);

  /// A sentence about the first parameter that a shell would read otherwise, or, with params_shell, about the first with a `\$`; empty:
  /// none.
  [[nodiscard]] const std::optional<std::string>& note() const { return note_; }

 private:
  const CampaignFile& file_;
  LastPlace last_;
  std::optional<std::string> note_;
};

}  // namespace gleaner::jdl
