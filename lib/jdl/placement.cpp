#include "lib/jdl/placement.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "lib/jdl/problem.hpp"
#include "lib/text/placeholders.hpp"
#include "lib/text/shell_text.hpp"
#include "lib/text/words.hpp"

namespace gleaner::jdl {
namespace {

using text::Placeholder;

std::vector<Placeholder> places_in(const CampaignFile& file, const std::string& command) {
  return text::find_placeholders(command, file.parameter_names);
}

/// Programs and options that give `{}` a meaning of their own.
bool means_braces(std::string_view word) {
  constexpr std::array<std::string_view, 6> kWords{"-exec", "-execdir", "-ok", "-okdir", "xargs", "parallel"};
  return std::ranges::find(kWords, word) != kWords.end();
}

std::string words_joined(const Arguments& words) { return fmt::format("{}", fmt::join(words, " ")); }

std::string quoted_word(const std::string& word, const Placeholder& place) {
  return place.in_double_quotes ? text::quote_within_double_quotes(word) : text::quote(word);
}

/// A word of the parameter in the name of an output is the word as it is written.
std::optional<std::string> doubtful_output(const CampaignFile& file) {
  if (!file.params_shell) return std::nullopt;
  for (const auto& section : file.clusters) {
    for (const auto& pattern : section.output_files) {
      if (text::has_places(text::find_placeholders(pattern, file.parameter_names)))
        return fmt::format(
            "output_files: '{}' has a word of the parameter as it is written, with its quotes, and with params_shell the "
            "command gets what the shell makes of it",
            excerpt(pattern));
    }
  }
  return std::nullopt;
}

/// The effect on `\$HOME`, or `\\\$`, in this part of the campaign file.
std::string dollar_note(std::string_view part, std::string_view dollar) {
  return fmt::format(
      "{}: {} is read as {}, as in CiGri, where oarsub's shell takes the backslash away; for the character $ itself write \\\\\\$, "
      "or '$' within single quotes",
      part, excerpt(std::string{dollar}), excerpt(text::without_oarsub_backslashes(dollar)));
}

}  // namespace

std::optional<std::string> escaped_dollar(const CampaignFile& file) {
  for (const auto& section : file.clusters) {
    const std::array<std::pair<std::string_view, std::string>, 4> parts{
        std::pair{std::string_view{"exec_file"}, section.exec_file}, std::pair{std::string_view{"exec_directory"}, section.exec_directory},
        std::pair{std::string_view{"prologue"}, words_joined(section.prologue)},
        std::pair{std::string_view{"epilogue"}, words_joined(section.epilogue)}};
    for (const auto& [key, text] : parts) {
      if (const auto dollar = text::first_oarsub_dollar(text); !dollar.empty()) return dollar_note(key, dollar);
    }
  }
  return std::nullopt;
}

bool may_have_placeholders(const CampaignFile& file) {
  return std::ranges::any_of(file.clusters, [&](const ClusterSection& section) { return !places_in(file, section.exec_file).empty(); });
}

LastPlace last_place(const CampaignFile& file) {
  LastPlace last;
  if (!file.placeholders) return last;
  for (const auto& section : file.clusters) {
    for (const auto& place : places_in(file, section.exec_file)) {
      if (place.is_literal || place.word <= last.word) continue;
      last = {place.word, section.exec_file.substr(place.begin, place.end - place.begin)};
    }
  }
  return last;
}

std::optional<std::string> doubtful_place(const CampaignFile& file) {
  if (auto doubt = doubtful_output(file)) return doubt;
  if (!file.placeholders) return std::nullopt;
  for (const auto& section : file.clusters) {
    for (const auto& place : places_in(file, section.exec_file)) {
      if (place.is_literal || place.word != 0) continue;
      const auto before = text::split_written_words(section.exec_file.substr(0, place.begin)).value_or(Arguments{});
      const auto program = std::ranges::find_if(before, means_braces);
      if (program == before.end()) continue;
      return fmt::format("exec_file: '{{}}' after {} stands for the task's parameter; write '\\{{}}' to leave it to {}", *program,
                         *program);
    }
  }
  return std::nullopt;
}

std::string stored_command(const std::string& expanded, const CampaignFile& file) {
  return file.placeholders ? text::with_numbered_places(expanded, file.parameter_names) : expanded;
}

std::string command_of_task(const CampaignFile& file, const ClusterSection& section, const Parameter& parameter) {
  const auto command = stored_command(expand(section, grid::CampaignId{0}).exec_file, file);
  const auto places = file.placeholders ? text::find_placeholders(command) : std::vector<Placeholder>{};
  const auto words = file.params_shell ? shell_words_of(parameter) : arguments_of(parameter);
  const auto& all = words.value();
  auto text = text::with_places_filled(command, places, [&](const Placeholder& place) {
    const auto word = place.word == 0 ? words_joined(all) : place.word <= all.size() ? all[place.word - 1] : std::string{};
    return file.params_shell ? word : quoted_word(word, place);
  });
  if (text::has_places(places)) return text;
  for (const auto& word : all) text += " " + (file.params_shell ? word : text::quote(word));
  return text;
}

std::optional<std::string> PlacementCheck::wrong(std::int64_t task, const Parameter& parameter) {
  if (last_.word > 0) {
    const auto words = arguments_of(parameter);
    const auto count = words ? words->size() : 0;
    if (count < last_.word)
      return fmt::format("task {}, parameter {}: exec_file has the placeholder {}, and the parameter has {} word{}", task,
                         quoted_parameter(parameter), last_.text, count, count == 1 ? "" : "s");
  }
  if (note_) return std::nullopt;
  const auto* const line = std::get_if<std::string>(&parameter);
  if (line == nullptr) return std::nullopt;
  if (file_.params_shell) {
    if (const auto dollar = text::first_oarsub_dollar(*line); !dollar.empty())
      note_ = dollar_note(fmt::format("the parameter of task {}", task), dollar);
    return std::nullopt;
  }
  if (const auto would = text::shell_would(text::without_oarsub_backslashes(*line)))
    note_ = fmt::format(
        "the command of task {} gets its parameter {} as it is written; a shell, as in CiGri, would {}: for that, write \"params_shell\": true",
        task, quoted_parameter(parameter), *would);
  return std::nullopt;
}

}  // namespace gleaner::jdl
