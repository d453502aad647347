#pragma once
#include <bit>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <variant>
#include <vector>

#include "lib/text/members.hpp"

namespace gleaner::text {

/// A number that shows whether values changed: FNV-1a, by words for numbers, mixed at the end (splitmix64) so that digests may be added up.
/// It is the same in every build, because the database stores it. It does not resist values that are constructed to have equal digests.
class Digest {
 public:
  Digest& add(std::string_view text) {
    for (const auto c : text) put(static_cast<unsigned char>(c));
    put(text.size());
    return *this;
  }
  Digest& add(std::integral auto number) {
    put(static_cast<std::uint64_t>(number));
    return *this;
  }
  Digest& add(double number) {
    put(std::bit_cast<std::uint64_t>(number));
    return *this;
  }
  template <class Enum>
  requires std::is_enum_v<Enum> Digest& add(Enum value) { return add(static_cast<std::underlying_type_t<Enum>>(value)); }
  /// An id.
  template <class Id>
  requires(!std::is_aggregate_v<Id>) && requires(Id id) {
    { id.value() } -> std::integral;
  }
  Digest& add(Id id) { return add(id.value()); }
  template <class Clock, class Duration>
  Digest& add(std::chrono::time_point<Clock, Duration> time) {
    return add(time.time_since_epoch().count());
  }
  template <class T>
  Digest& add(const std::optional<T>& value) {
    add(value.has_value());
    return value ? add(*value) : *this;
  }
  template <class T>
  Digest& add(const std::vector<T>& values) {
    for (const auto& value : values) add(value);
    return add(values.size());
  }
  /// The alternative's index, and its value.
  template <class... T>
  Digest& add(const std::variant<T...>& value) {
    add(value.index());
    return std::visit([this](const auto& alternative) -> Digest& { return this->add(alternative); }, value);
  }
  /// Every member of an aggregate.
  template <class T>
  requires(std::is_aggregate_v<T> && !std::is_array_v<T>) Digest& add(const T& value) {
    std::apply([this](const auto&... members) { (this->add(members), ...); }, members_of(value));
    return *this;
  }
  [[nodiscard]] std::uint64_t value() const {
    auto mixed = state_;
    mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9ULL;
    mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebULL;
    return mixed ^ (mixed >> 31U);
  }

 private:
  void put(std::uint64_t word) {
    state_ = (state_ ^ word) * 1099511628211ULL;
    state_ ^= state_ >> 32U;
  }
  std::uint64_t state_ = 14695981039346656037ULL;
};

}  // namespace gleaner::text
