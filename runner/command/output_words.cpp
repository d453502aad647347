#include "runner/command/output_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "lib/grid/exit_status.hpp"
#include "lib/grid/task_outputs.hpp"
#include "lib/text/numbers.hpp"

namespace gleaner::runner {
namespace {

static_assert(grid::kNotGathered == 74, "runner/wrapper/outputs.bash has this number");
static_assert(grid::kLongestFileName == 255 && grid::kPartOfPath == 200 && grid::kMostOutputFiles == 1000, "and these");

bool is_wildcard(char c) { return std::string_view{"*?[]!^"}.find(c) != std::string_view::npos; }
bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view{"_-./"}.find(c) != std::string_view::npos;
}

/// The value of a macro as a word, and the macro's length; empty: there is none at the beginning of the text.
std::pair<std::string, std::size_t> macro_at(std::string_view text, const WrapperNames& names) {
  const auto campaign = fmt::format("\"${}\"", names.campaign_number);
  const std::array<std::pair<std::string_view, std::string_view>, 11> macros{{{"{TASK}", "\"$1\""},
                                                                              {"{ATTEMPT}", "\"$2\""},
                                                                              {"{CAMPAIGN_ID}", campaign},
                                                                              {"{OAR_JOB_ID}", "\"$OAR_JOB_ID\""},
                                                                              {"{HOME}", "\"$HOME\""},
                                                                              {"${HOME}", "\"$HOME\""},
                                                                              {"${USER}", "\"$USER\""},
                                                                              {"${LOGNAME}", "\"$LOGNAME\""},
                                                                              {"$HOME", "\"$HOME\""},
                                                                              {"$USER", "\"$USER\""},
                                                                              {"$LOGNAME", "\"$LOGNAME\""}}};
  for (const auto& [name, value] : macros) {
    if (text.starts_with(name)) return {std::string{value}, name.size()};
  }
  if (!text.starts_with('{')) return {};
  const auto close = text.find('}');
  if (close == std::string_view::npos) return {};
  const auto word = text::whole_number<int>(text.substr(1, close - 1), 1);
  if (!word) return {};
  return {fmt::format("\"${{{}[{}]}}\"", names.task_arguments, *word - 1), close + 1};
}

}  // namespace

std::string pattern_word(std::string_view pattern, const WrapperNames& names) {
  std::string word;
  if (pattern == "~" || pattern.starts_with("~/")) {
    word = "\"$HOME\"";
    pattern.remove_prefix(1);
  }
  while (!pattern.empty()) {
    const auto [value, length] = macro_at(pattern, names);
    if (length > 0) {
      word += value;
      pattern.remove_prefix(length);
      continue;
    }
    const char c = pattern.front();
    if (is_plain(c) || is_wildcard(c)) word += c;
    else if (c == '\'') word += "\\'";
    else word += fmt::format("'{}'", c);
    pattern.remove_prefix(1);
  }
  return word;
}

std::string output_words(std::string_view patterns, const WrapperNames& names) {
  std::string words;
  while (!patterns.empty()) {
    const auto end = std::min(patterns.find('\n'), patterns.size());
    if (!words.empty()) words += ' ';
    words += pattern_word(patterns.substr(0, end), names);
    patterns.remove_prefix(std::min(end + 1, patterns.size()));
  }
  return words;
}

}  // namespace gleaner::runner
