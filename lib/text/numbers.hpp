#pragma once
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string_view>
#include <system_error>
#include <tl/expected.hpp>

/// Numbers in text, always decimal and the same in every locale.
namespace gleaner::text {

/// Why a text is not a valid number.
enum class NumberError {
  malformed,    ///< it is no number, or more than one
  out_of_range  ///< it is a number beyond the type's or the caller's bounds
};

/// Removes the whole number at the beginning of the text and returns it: digits, with `-` before them if the type has a sign. Blanks and
/// `+` are refused. After an error the text is unchanged.
template <std::integral T = std::int64_t>
[[nodiscard]] tl::expected<T, NumberError> take_whole_number(std::string_view& text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) return tl::unexpected{NumberError::out_of_range};
  if (error != std::errc{}) return tl::unexpected{NumberError::malformed};
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

/// Reads a text that is one whole number. The bounds are inclusive.
template <std::integral T = std::int64_t>
[[nodiscard]] tl::expected<T, NumberError> whole_number(std::string_view text, T least = std::numeric_limits<T>::min(),
                                                        T most = std::numeric_limits<T>::max()) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::invalid_argument || end != text.data() + text.size()) return tl::unexpected{NumberError::malformed};
  if (error != std::errc{} || value < least || value > most) return tl::unexpected{NumberError::out_of_range};
  return value;
}

/// Reads a text that is one real number, such as `-1.5e3`. The result is finite: `inf`, `nan` and hexadecimal digits are malformed; a
/// number that no double can hold (too big, or too near to 0) is out of range.
[[nodiscard]] inline tl::expected<double, NumberError> real_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::invalid_argument || end != text.data() + text.size() || !std::isfinite(value))
    return tl::unexpected{NumberError::malformed};
  if (error != std::errc{}) return tl::unexpected{NumberError::out_of_range};
  return value;
}

}  // namespace gleaner::text
