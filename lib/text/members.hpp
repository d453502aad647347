#pragma once
#include <cstddef>
#include <tuple>

namespace gleaner::text {

/// A placeholder of any type, to count members.
struct AnyValue {
  template <class T>
  operator T() const;
};

/// The number of members of an aggregate: with one value more, it cannot be initialized.
template <class T, class... Values>
[[nodiscard]] consteval std::size_t count_members() {
  if constexpr (requires { T{Values{}..., AnyValue{}}; }) return count_members<T, Values..., AnyValue>();
  else return sizeof...(Values);
}

/// References to the members of an aggregate, in their order. For structs without bases, of up to fourteen members.
template <class T>
[[nodiscard]] auto members_of(const T& value) {
  constexpr auto count = count_members<T>();
  static_assert(count <= 14, "members_of needs a case for so many members");
  if constexpr (count == 0) {
    return std::tie();
  } else if constexpr (count == 1) {
    const auto& [a] = value;
    return std::tie(a);
  } else if constexpr (count == 2) {
    const auto& [a, b] = value;
    return std::tie(a, b);
  } else if constexpr (count == 3) {
    const auto& [a, b, c] = value;
    return std::tie(a, b, c);
  } else if constexpr (count == 4) {
    const auto& [a, b, c, d] = value;
    return std::tie(a, b, c, d);
  } else if constexpr (count == 5) {
    const auto& [a, b, c, d, e] = value;
    return std::tie(a, b, c, d, e);
  } else if constexpr (count == 6) {
    const auto& [a, b, c, d, e, f] = value;
    return std::tie(a, b, c, d, e, f);
  } else if constexpr (count == 7) {
    const auto& [a, b, c, d, e, f, g] = value;
    return std::tie(a, b, c, d, e, f, g);
  } else if constexpr (count == 8) {
    const auto& [a, b, c, d, e, f, g, h] = value;
    return std::tie(a, b, c, d, e, f, g, h);
  } else if constexpr (count == 9) {
    const auto& [a, b, c, d, e, f, g, h, i] = value;
    return std::tie(a, b, c, d, e, f, g, h, i);
  } else if constexpr (count == 10) {
    const auto& [a, b, c, d, e, f, g, h, i, j] = value;
    return std::tie(a, b, c, d, e, f, g, h, i, j);
  } else if constexpr (count == 11) {
    const auto& [a, b, c, d, e, f, g, h, i, j, k] = value;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k);
  } else if constexpr (count == 12) {
    const auto& [a, b, c, d, e, f, g, h, i, j, k, l] = value;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l);
  } else if constexpr (count == 13) {
    const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m] = value;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m);
  } else {
    const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n] = value;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n);
  }
}

}  // namespace gleaner::text
