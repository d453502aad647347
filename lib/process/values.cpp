#include "lib/process/values.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <limits>

#include "lib/text/numbers.hpp"

namespace gleaner::process {
namespace {

struct Unit {
  std::string_view suffix;
  std::int64_t milliseconds;
};
// The longest first: the writer takes the first that divides.
constexpr std::array kUnits{Unit{"d", 86'400'000}, Unit{"h", 3'600'000}, Unit{"m", 60'000}, Unit{"s", 1'000}, Unit{"ms", 1}};
struct SizeUnit {
  char suffix;
  std::uint64_t bytes;
};
constexpr std::array kSizes{SizeUnit{'G', std::uint64_t{1} << 30U}, SizeUnit{'M', std::uint64_t{1} << 20U},
                            SizeUnit{'K', std::uint64_t{1} << 10U}};
constexpr std::int64_t kLongestMilliseconds = 100LL * 366 * 86'400'000;

}  // namespace

std::optional<Duration> parse_duration(std::string_view text) {
  const auto digits = text.find_first_not_of("0123456789");
  const auto amount = text::whole_number(text.substr(0, digits));
  if (!amount) return std::nullopt;
  const auto suffix = digits == std::string_view::npos ? std::string_view{"s"} : text.substr(digits);
  for (const auto& unit : kUnits) {
    if (unit.suffix != suffix) continue;
    if (*amount > kLongestMilliseconds / unit.milliseconds) return std::nullopt;
    return Duration{*amount * unit.milliseconds};
  }
  return std::nullopt;
}

std::string format_duration(Duration duration) {
  if (duration.count() == 0) return "0s";
  for (const auto& unit : kUnits) {
    if (duration.count() % unit.milliseconds == 0) return fmt::format("{}{}", duration.count() / unit.milliseconds, unit.suffix);
  }
  return {};
}

std::optional<std::uint64_t> parse_size(std::string_view text) {
  std::uint64_t unit = 1;
  for (const auto& one : kSizes) {
    if (text.ends_with(one.suffix)) unit = one.bytes;
  }
  const auto amount = text::whole_number<std::uint64_t>(unit == 1 ? text : text.substr(0, text.size() - 1));
  constexpr std::uint64_t kMost = std::uint64_t{1} << 60U;
  if (!amount || *amount > kMost / unit) return std::nullopt;
  return *amount * unit;
}

std::string format_size(std::uint64_t bytes) {
  for (const auto& one : kSizes) {
    if (bytes > 0 && bytes % one.bytes == 0) return fmt::format("{}{}", bytes / one.bytes, one.suffix);
  }
  return std::to_string(bytes);
}

std::filesystem::path expand_home(std::string_view text) {
  const char* home = std::getenv("HOME");
  if (home != nullptr && (text == "~" || text.starts_with("~/")))
    return std::filesystem::path{std::string{home} + std::string{text.substr(1)}};
  return std::filesystem::path{text};
}

std::string absolute_path(std::string_view text) {
  return text.empty() ? std::string{} : std::filesystem::absolute(expand_home(text)).lexically_normal().string();
}

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> parts;
  while (!trim(text).empty()) {
    const auto comma = text.find(',');
    parts.emplace_back(trim(text.substr(0, comma)));
    text = comma == std::string_view::npos ? std::string_view{} : text.substr(comma + 1);
  }
  return parts;
}

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

}  // namespace gleaner::process
