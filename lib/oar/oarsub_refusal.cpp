#include "lib/oar/oarsub_refusal.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "lib/text/numbers.hpp"

namespace gleaner::oar {
namespace {

/// Lines by which oarsub ends before it makes a job.
constexpr std::array<std::string_view, 8> kRefusals{
    "# Error:",                       // 2.6
    "/!\\ Cannot recognize",          // 2.5
    "[ERROR]",                        // 2.5
    "ERROR :",                        // 2.5
    "[ADMISSION RULE] Error",         // a rule that OAR comes with
    "[ADMISSION RULE] root and oar",  // another
    "Unknown option:",                // Perl's reader of options
    "bash: -c: line ",                // a wrong syntax: nothing of the line was run
};
/// It comes after a job was made: 2.5 and 2.6.
constexpr std::array<std::string_view, 2> kServerIsDead{"Cannot connect to executor", "cannot connect to executor"};

bool has_words(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

/// Takes `begin`, digits and `end` from the beginning of the text; false, and nothing is taken, when it begins otherwise.
bool take_numbered(std::string_view& text, std::string_view begin, std::string_view end) {
  auto rest = text;
  if (!rest.starts_with(begin)) return false;
  rest.remove_prefix(begin.size());
  if (!text::take_whole_number<int>(rest) || !rest.starts_with(end)) return false;
  rest.remove_prefix(end.size());
  text = rest;
  return true;
}

/// The shell says that it could not do `cd`, or start oarsub: `bash: line 1: cd: /x: No such file or directory`.
bool is_of_the_shell(std::string_view line) {
  return take_numbered(line, "bash: line ", ": ") && (line.starts_with("cd: ") || line.starts_with("oarsub: "));
}

/// Perl's reader of options: `Value "abc" invalid for option checkpoint (number expected)`, `Option name requires an argument`.
bool is_of_the_options(std::string_view line) {
  return (line.starts_with("Value \"") && has_words(line, "\" invalid for option ")) ||
         (line.starts_with("Option ") && (line.ends_with(" requires an argument") || has_words(line, " is ambiguous (")));
}

bool refuses(std::string_view line) {
  return std::ranges::any_of(kRefusals, [&](std::string_view begin) { return line.starts_with(begin); }) || is_of_the_shell(line) ||
         is_of_the_options(line);
}

template <class Found>
bool any_line(std::string_view text, Found found) {
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    if (found(text.substr(0, end))) return true;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return false;
}

/// The output of oarsub, and its exit status. The API of 2.5 puts words of its own around it, and the whole command behind it.
struct Printed {
  std::string_view text;
  std::optional<int> status;
};

Printed printed_of(std::string_view message) {
  constexpr std::string_view kBegin{"Oarsub command exited with status "};
  Printed printed{message, {}};
  if (!message.starts_with(kBegin)) return printed;
  auto rest = message.substr(kBegin.size());
  if (const auto status = text::take_whole_number<int>(rest)) printed.status = *status;
  if (rest.starts_with(": ")) rest.remove_prefix(2);
  printed.text = rest.substr(0, std::min(rest.find("\nCmd:\n"), rest.size()));
  return printed;
}

/// A negative result of oarsub's submission ends as 256 minus a small number.
bool is_negative_result(std::optional<int> status) { return status && *status >= 240 && *status <= 254; }

}  // namespace

std::vector<std::int64_t> marked_numbers(std::string_view text, std::string_view mark) {
  std::vector<std::int64_t> numbers;
  any_line(text, [&](std::string_view line) {
    if (!line.starts_with(mark)) return false;
    line.remove_prefix(mark.size());
    const auto number = text::take_whole_number(line);
    if (number && *number > 0) numbers.push_back(*number);
    return false;
  });
  return numbers;
}

bool proves_no_job(std::string_view message) {
  const auto printed = printed_of(message);
  const auto is_made = [](std::string_view line) {
    return line.starts_with("OAR_ARRAY_ID=") ||
           std::ranges::any_of(kServerIsDead, [&](std::string_view words) { return has_words(line, words); });
  };
  if (!marked_numbers(printed.text, "OAR_JOB_ID=").empty() || any_line(printed.text, is_made)) return false;
  return is_negative_result(printed.status) || any_line(printed.text, refuses);
}

}  // namespace gleaner::oar
