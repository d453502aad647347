#include "lib/grid/given.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "lib/text/numbers.hpp"
#include "lib/text/percent.hpp"

namespace gleaner::grid {
namespace {

constexpr std::string_view kFormOfGiven{"a task writes words such as size=100 into $CIGRI_GIVES"};

bool is_plain(unsigned char c) {
  return std::isalnum(c) != 0 || std::string_view{"._=+-"}.find(static_cast<char>(c)) != std::string_view::npos;
}

/// The word as the task wrote it, with `?` for a byte that is no printable ASCII. A word with a broken escape stays as it is.
std::string readable(std::string_view word) {
  auto text = text::percent_decoded(word).value_or(std::string{word});
  std::ranges::replace_if(
      text, [](char c) { return c <= ' ' || c > '~'; }, '?');
  return text;
}

}  // namespace

std::string stored_given(std::string_view noted) {
  const bool is_noted =
      noted.size() <= kLongestGiven && std::ranges::all_of(noted, [](unsigned char c) { return is_plain(c) || c == '%' || c == ','; });
  return std::string{is_noted ? noted : kGivenUnreadable};
}

tl::expected<Given, std::string> read_given(std::string_view noted) {
  if (noted == kGivenTooLong) return tl::unexpected{fmt::format("it gives more than {} bytes: {}", kLongestGiven, kFormOfGiven)};
  if (noted == kGivenUnreadable) return tl::unexpected{fmt::format("what it gives cannot be read: {}", kFormOfGiven)};
  Given given;
  while (!noted.empty()) {
    const auto end = std::min(noted.find(','), noted.size());
    const auto word = noted.substr(0, end);
    noted.remove_prefix(std::min(end + 1, noted.size()));
    const auto equals = word.find('=');
    if (equals == std::string_view::npos || equals == 0)
      return tl::unexpected{fmt::format("it gives '{}', which is no name=number: {}", readable(word), kFormOfGiven)};
    const auto name = readable(word.substr(0, equals));
    const auto value = text::real_number(readable(word.substr(equals + 1)));
    if (!value || !std::isfinite(*value))
      return tl::unexpected{
          fmt::format("it gives {}='{}', which is not a number: {}", name, readable(word.substr(equals + 1)), kFormOfGiven)};
    given[name] = *value;
  }
  return given;
}

}  // namespace gleaner::grid
