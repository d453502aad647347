#include "lib/text/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <numeric>
#include <vector>

namespace gleaner::text {
namespace {

std::string lower(std::string_view text) {
  std::string result{text};
  std::ranges::transform(result, result.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

/// Number of insertions, removals, replacements and exchanges of neighbours.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last.swap(last);
    last.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      const bool exchanged = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (exchanged) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace

std::optional<std::string> closest(std::string_view typed, std::span<const std::string_view> known) {
  constexpr std::size_t kLongestName = 100;
  if (typed.size() > kLongestName) return std::nullopt;
  const auto wanted = lower(typed);
  std::optional<std::string> best;
  std::size_t best_distance = 1 + std::max<std::size_t>(1, wanted.size() / 3);
  for (const auto name : known) {
    const auto distance = edit_distance(wanted, lower(name));
    if (distance < best_distance) {
      best_distance = distance;
      best = std::string{name};
    }
  }
  return best;
}

std::string did_you_mean(std::string_view typed, std::span<const std::string_view> known) {
  const auto name = closest(typed, known);
  return name ? fmt::format(" (did you mean '{}'?)", *name) : std::string{};
}

}  // namespace gleaner::text
