#include "runner/command/command_words.hpp"

#include <fmt/format.h>

#include <vector>

#include "lib/grid/job_identity.hpp"
#include "lib/text/placeholders.hpp"
#include "lib/text/words.hpp"

namespace gleaner::runner {
namespace {

using text::Placeholder;

/// The variable of a word, or of all of them.
std::string word_variable(const Placeholder& place) { return place.word == 0 ? "${*}" : fmt::format("${{{}}}", place.word); }

/// A word that is not there ends the shell of the task: `rm -rf /scratch/{2}` must not become `rm -rf /scratch/`.
std::string variable_of_argument(const Placeholder& place) {
  const auto variable = place.word == 0 ? word_variable(place) : fmt::format("${{{}?}}", place.word);
  return place.in_double_quotes ? variable : fmt::format("\"{}\"", variable);
}

/// The text with the words in it, as a word of the wrapper's shell: `'cp '"${1}"' /tmp'`.
std::string text_with_words(std::string_view exec_file, const std::vector<Placeholder>& places) {
  std::string word;
  std::size_t begin = 0;
  const auto add_text = [&](std::size_t end) {
    if (end > begin) word += text::quote(exec_file.substr(begin, end - begin));
  };
  for (const auto& place : places) {
    add_text(place.begin);
    begin = place.is_literal ? place.begin + 1 : place.end;
    if (!place.is_literal) word += fmt::format("\"{}\"", word_variable(place));
  }
  add_text(exec_file.size());
  return word;
}

}  // namespace

/// The name of the task's shell in its messages is `gleaner.<campaign>`, without the grid's token.
CommandWords command_words(const LaunchFacts& facts, const WrapperNames& names) {
  const auto shell_name = fmt::format("{}{}", grid::kCommandMark, facts.campaign.value());
  const auto& command = facts.exec_file;
  const auto places = facts.placeholders ? text::find_placeholders(command) : std::vector<Placeholder>{};
  const bool is_placed = text::has_places(places);
  if (facts.params_shell && is_placed) return {"", fmt::format("bash -c {} {}", text_with_words(command, places), shell_name)};
  auto text = text::with_places_filled(command, places, variable_of_argument);
  if (facts.params_shell) return {std::move(text), fmt::format(R"(bash -c "${} $*" {})", names.exec_file, shell_name)};
  return {std::move(text), fmt::format(R"(bash -c "${}{}" {} "$@")", names.exec_file, is_placed ? "" : R"( \"\$@\")", shell_name)};
}

}  // namespace gleaner::runner
