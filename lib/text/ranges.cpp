#include "lib/text/ranges.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "lib/text/clean.hpp"
#include "lib/text/numbers.hpp"

namespace gleaner::text {
namespace {

constexpr std::string_view kForms{"7, 9-12, 100-* and *-7 are"};

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

/// A part of a text from outside, short enough for a message.
std::string shown(std::string_view part) {
  constexpr std::size_t kMost = 40;
  const auto clean = clean_text(part.substr(0, kMost));
  return part.size() > kMost ? clean + "…" : clean;
}

tl::expected<Range, std::string> parse_range(std::string_view part) {
  const auto wrong = [&](std::string_view why) { return tl::unexpected{fmt::format("'{}' {}", shown(part), why)}; };
  const auto malformed = [&] { return wrong(fmt::format("is no number or range: {}", kForms)); };
  const auto dash = part.find('-');
  const auto first = trimmed(part.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : trimmed(part.substr(dash + 1));
  const bool is_range = dash != std::string_view::npos;
  Range range{0, kOpenEnd};
  if (!is_range || first != "*") {
    const auto number = whole_number(first, std::int64_t{0});
    if (!number) return malformed();
    range.first = *number;
  }
  if (!is_range || last != "*") {
    const auto number = whole_number(last, std::int64_t{0});
    if (!number) return malformed();
    range.last = *number;
  }
  if (range.first > range.last) return wrong(fmt::format("ends before it begins: write {}-{}", range.last, range.first));
  return range;
}

/// Joins ranges that overlap or touch.
std::vector<Range> joined(std::vector<Range> ranges) {
  std::ranges::sort(ranges, {}, &Range::first);
  std::vector<Range> apart;
  for (const auto& range : ranges) {
    const bool touches = !apart.empty() && (apart.back().last == kOpenEnd || range.first <= apart.back().last + 1);
    if (touches) apart.back().last = std::max(apart.back().last, range.last);
    else apart.push_back(range);
  }
  return apart;
}

}  // namespace

std::string ranges_text(std::vector<std::int64_t> numbers, std::size_t most_ranges) {
  std::ranges::sort(numbers);
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  std::string text;
  std::size_t ranges = 0;
  for (std::size_t first = 0; first < numbers.size(); ++ranges) {
    if (ranges == most_ranges) return text + fmt::format("{}and {} more", text.empty() ? "" : " ", numbers.size() - first);
    auto last = first;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    if (!text.empty()) text += ", ";
    text += last == first ? fmt::format("{}", numbers[first]) : fmt::format("{}-{}", numbers[first], numbers[last]);
    first = last + 1;
  }
  return text;
}

tl::expected<std::vector<Range>, std::string> parse_ranges(std::string_view text) {
  if (trimmed(text).empty()) return tl::unexpected{fmt::format("no number is given: {}", kForms)};
  std::vector<Range> ranges;
  while (true) {
    const auto comma = text.find(',');
    auto range = parse_range(trimmed(text.substr(0, comma)));
    if (!range) return tl::unexpected{std::move(range.error())};
    ranges.push_back(*range);
    if (comma == std::string_view::npos) return joined(std::move(ranges));
    text.remove_prefix(comma + 1);
  }
}

std::string to_text(const std::vector<Range>& ranges) {
  std::string text;
  for (const auto& [first, last] : ranges) {
    if (!text.empty()) text += ',';
    text += fmt::format("{}", first);
    if (last == kOpenEnd) text += "-*";
    else if (last > first) text += fmt::format("-{}", last);
  }
  return text;
}

}  // namespace gleaner::text
