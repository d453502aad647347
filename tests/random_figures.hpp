#pragma once
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "lib/decisions/catalogue.hpp"
#include "tests/seed.hpp"

/// Reasons with figures at random, by the catalogue.
namespace gleaner::tests {

class RandomFigures {
 public:
  explicit RandomFigures(std::uint64_t seed) : dice_{seed} {}

  template <class T>
  void fill(T& value) {
    std::apply([&](const auto&... row) { (fill_row(value, row), ...); }, decisions::kFigures<T>);
  }
  /// One of each alternative; of an alternative that has a choice, one of each choice.
  template <class... All>
  std::vector<std::variant<All...>> one_of_each(std::type_identity<std::variant<All...>>) {
    std::vector<std::variant<All...>> all{All{}...};
    for (auto& one : all) std::visit([&](auto& alternative) { fill(alternative); }, one);
    return all;
  }
  std::vector<decisions::Reason> reasons() {
    auto all = one_of_each(std::type_identity<decisions::Reason>{});
    for (auto& bound : one_of_each(std::type_identity<decisions::Bound>{})) all.emplace_back(decisions::reason::Launched{std::move(bound)});
    return all;
  }
  std::vector<decisions::Standing> standings() {
    std::vector<decisions::Standing> all;
    for (auto& place : one_of_each(std::type_identity<decisions::Place>{})) {
      decisions::Standing standing;
      fill(standing.elsewhere);
      fill(standing.priority);
      fill_value(standing.given_priorities);
      fill_value(standing.scarce_memory);
      standing.place = std::move(place);
      all.push_back(std::move(standing));
    }
    all.emplace_back();
    fill(all.back().priority);
    return all;
  }
  int number() { return dice_.roll(0, 3) == 0 ? dice_.roll(0, std::numeric_limits<int>::max()) : dice_.roll(0, 3); }

 private:
  template <class Struct, class Value>
  void fill_row(Struct& value, const decisions::Figure<Struct, Value>& figure) {
    fill_value(value.*figure.member);
  }
  template <class Struct, class Value>
  void fill_row(Struct& value, const decisions::Part<Struct, Value>& part) {
    fill(value.*part.member);
  }
  template <class Struct, class Value>
  void fill_row(Struct& value, const decisions::Choice<Struct, Value>& choice) {
    fill_value(value.*choice.member);
  }
  template <class T>
  void fill(std::optional<T>& value) {
    fill_value(value);
  }

  template <class T>
  void fill_value(T& value) {
    if constexpr (std::tuple_size_v < std::remove_const_t < decltype(decisions::kFigures<T>) >>> 0) fill(value);
    else if constexpr (std::is_enum_v<T>) value = dice_.pick(decisions::kWords<T>);
    else fill_single(value);
  }
  template <class T>
  void fill_value(std::optional<T>& value) {
    value.reset();
    if (dice_.roll(0, 2) == 0) return;
    auto some = blank<T>();
    fill_value(some);
    value = std::move(some);
  }
  template <class T>
  void fill_value(std::vector<T>& values) {
    values.clear();
    for (int i = dice_.roll(0, 3); i > 0; --i) {
      values.push_back(blank<T>());
      fill_value(values.back());
    }
  }
  template <class... All>
  void fill_value(std::variant<All...>& value) {
    value = dice_.pick(std::vector<std::variant<All...>>{All{}...});
    std::visit([&](auto& alternative) { fill(alternative); }, value);
  }

  void fill_single(bool& truth) { truth = dice_.roll(0, 1) == 1; }
  void fill_single(int& value) { value = number(); }
  void fill_single(std::int64_t& value) {
    value = dice_.roll(0, 3) == 0 ? std::int64_t{dice_.roll(1, 1 << 30)} << dice_.roll(0, 32) : dice_.roll(0, 3);
  }
  void fill_single(double& value) {
    switch (dice_.roll(0, 4)) {
      case 0: value = 0.0; break;
      case 1: value = dice_.roll(1, 1000); break;
      case 2: value = 1.0 / dice_.roll(3, 1000); break;
      case 3: value = dice_.roll(-100000, 100000) / 7.0 + 0.001; break;
      default: value = std::ldexp(dice_.roll(1, 1 << 30), dice_.roll(-400, 400));
    }
  }
  void fill_single(std::string& text) {
    static const std::vector<std::string> kParts{"",         "3 jobs failed", "ada",     "\"",         "\\",
                                                 "\n\t\x01", "é€😀",           "'; DROP", "{\"a\": 1}", "%s{}"};
    text.clear();
    for (int i = dice_.roll(0, 3); i > 0; --i) text += dice_.pick(kParts);
  }
  void fill_single(grid::Instant& time) { time = grid::from_unix(dice_.roll(0, std::numeric_limits<int>::max())); }
  template <class Tag>
  void fill_single(grid::Id<Tag>& id) {
    id = grid::Id<Tag>{dice_.roll(0, std::numeric_limits<int>::max())};
  }
  void fill_single(decisions::Takers& takers) {
    takers = {};
    for (takers.count = 0; takers.count < dice_.roll(0, 3); ++takers.count)
      takers.ids.at(static_cast<std::size_t>(takers.count)) = dice_.roll(1, std::numeric_limits<int>::max());
  }

  template <class T>
  static T blank() {
    if constexpr (std::is_default_constructible_v<T>) return T{};
    else return T{0};
  }

  Dice dice_;
};

}  // namespace gleaner::tests
