#include "runner/command/folder_lines.hpp"

#include <fmt/format.h>

#include <optional>

#include "lib/grid/oarsub_words.hpp"
#include "lib/grid/task_outputs.hpp"
#include "lib/text/words.hpp"

namespace gleaner::runner {
namespace {

// Names of the wrapper (command.cpp) are used: f the job's own file, q() ends a job that executed nothing, e why, $3 the job, H the
// carrier's, i the campaign. N() notes that the folder cannot be used, n() enters it, o is the beginning of the names of the files.

/// - No variable of the user's (CDPATH) leads elsewhere, and no folder is an option.
/// - The reason is what the shell says at the second time, without its own name and the folder's.
constexpr std::string_view kEnter{R"sh(
N(){ mv "$f.s" "$f.f";q "its exec_directory $CIGRI_WORKDIR cannot be used, nothing was run: ${e##*: }";}
n(){ CDPATH= cd -- "$CIGRI_WORKDIR";}
n 2>/dev/null||{ e=$(n 2>&1)&&n||N;}
export OAR_WORKDIR=$CIGRI_WORKDIR OAR_O_WORKDIR=$CIGRI_WORKDIR OAR_WORKING_DIRECTORY=$CIGRI_WORKDIR)sh"};

constexpr std::string_view kOpen{R"sh( o=OAR.cigri.$i.${OAR_JOB_ID:-0}
{ :>>$o.stdout&&:>>$o.stderr;} 2>/dev/null||e=$({ :>>$o.stdout&&:>>$o.stderr;} 2>&1)||N
exec >>$o.stdout 2>>$o.stderr)sh"};

struct Variable {
  std::string_view name;
  std::size_t length;  ///< characters in the text
};

bool continues_name(std::string_view text) {
  if (text.empty()) return false;
  const char c = text.front();
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// The variable at the beginning of a text, `$HOME` or `${HOME}`.
std::optional<Variable> variable_at(std::string_view text) {
  for (const auto name : grid::kFolderVariables) {
    if (text.starts_with(fmt::format("${{{}}}", name))) return Variable{name, name.size() + 3};
    if (text.starts_with(fmt::format("${}", name)) && !continues_name(text.substr(name.size() + 1))) return Variable{name, name.size() + 1};
  }
  return std::nullopt;
}

}  // namespace

std::string folder_word(std::string_view folder) {
  std::string word;
  std::size_t plain = 0;  // where the literal text begins
  const auto quote_until = [&](std::size_t end) {
    if (end > plain) word += text::quote(folder.substr(plain, end - plain));
  };
  for (auto at = folder.find('$'); at != std::string_view::npos; at = folder.find('$', at)) {
    const auto variable = variable_at(folder.substr(at));
    if (!variable) {
      ++at;
      continue;
    }
    quote_until(at);
    word += fmt::format("\"${}\"", variable->name);
    plain = at += variable->length;
  }
  quote_until(folder.size());
  return word;
}

std::string enter_folder(std::string_view folder) { return grid::is_home(folder) ? std::string{} : std::string{kEnter}; }

std::string open_streams(Own own) {
  if (own == Own::all) return fmt::format("\n{}", kOpen.substr(1));
  return fmt::format("\n[ $3 = $H ]&&{{{}\n}}", kOpen);
}

}  // namespace gleaner::runner
