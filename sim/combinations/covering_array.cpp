#include "sim/combinations/covering_array.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <random>
#include <set>

namespace gleaner::combinations {
namespace {

Pair ordered(Choice one, Choice other) { return one.dimension < other.dimension ? Pair{one, other} : Pair{other, one}; }

/// Builds one row around a pair.
class RowBuilder {
 public:
  RowBuilder(const std::vector<std::size_t>& values, const std::set<Pair>& allowed, const std::set<Pair>& missing)
      : values_{values}, allowed_{allowed}, missing_{missing} {}

  /// Empty: some dimension has no value that may be beside the others.
  std::optional<std::vector<std::size_t>> around(const Pair& pair, std::mt19937_64& random) {
    chosen_ = {pair.first, pair.second};
    std::vector<std::size_t> order(values_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::shuffle(order, random);
    for (const auto dimension : order) {
      if (std::ranges::find(chosen_, dimension, &Choice::dimension) != chosen_.end()) continue;
      const auto best = best_of(dimension, random);
      if (!best) return std::nullopt;
      chosen_.push_back(*best);
    }
    std::vector<std::size_t> row(values_.size());
    for (const auto& choice : chosen_) row[choice.dimension] = choice.value;
    return row;
  }

 private:
  /// The value that is allowed, and covers most.
  std::optional<Choice> best_of(std::size_t dimension, std::mt19937_64& random) {
    std::vector<Choice> best;
    std::ptrdiff_t most = -1;
    for (std::size_t value = 0; value < values_[dimension]; ++value) {
      const Choice choice{dimension, value};
      if (!std::ranges::all_of(chosen_, [&](const Choice& other) { return allowed_.contains(ordered(choice, other)); })) continue;
      const auto covered = std::ranges::count_if(chosen_, [&](const Choice& other) { return missing_.contains(ordered(choice, other)); });
      if (covered > most) best.clear();
      if (covered >= most) best.push_back(choice);
      most = std::max(most, covered);
    }
    if (best.empty()) return std::nullopt;
    return best[std::uniform_int_distribution<std::size_t>{0, best.size() - 1}(random)];
  }

  const std::vector<std::size_t>& values_;
  const std::set<Pair>& allowed_;
  const std::set<Pair>& missing_;
  std::vector<Choice> chosen_;
};

}  // namespace

std::vector<Pair> all_pairs(const std::vector<std::size_t>& values, const std::function<bool(const Pair&)>& is_allowed) {
  std::vector<Pair> all;
  for (std::size_t one = 0; one < values.size(); ++one)
    for (std::size_t other = one + 1; other < values.size(); ++other)
      for (std::size_t i = 0; i < values[one]; ++i)
        for (std::size_t j = 0; j < values[other]; ++j)
          if (const Pair pair{{one, i}, {other, j}}; is_allowed(pair)) all.push_back(pair);
  return all;
}

std::vector<Pair> pairs_of(const std::vector<std::size_t>& row) {
  std::vector<Pair> pairs;
  for (std::size_t one = 0; one < row.size(); ++one)
    for (std::size_t other = one + 1; other < row.size(); ++other) pairs.push_back({{one, row[one]}, {other, row[other]}});
  return pairs;
}

std::vector<std::vector<std::size_t>> covering_array(const std::vector<std::size_t>& values,
                                                     const std::function<bool(const Pair&)>& is_allowed, std::uint64_t seed) {
  constexpr int kTries = 30;
  std::mt19937_64 random{seed};
  const auto pairs = all_pairs(values, is_allowed);
  const std::set<Pair> allowed(pairs.begin(), pairs.end());
  auto missing = allowed;
  std::vector<std::vector<std::size_t>> rows;
  while (!missing.empty()) {
    std::vector<std::size_t> best;
    std::size_t most = 0;
    for (int i = 0; i < kTries; ++i) {
      auto pair = missing.begin();
      std::advance(pair, std::uniform_int_distribution<std::ptrdiff_t>{0, std::ssize(missing) - 1}(random));
      const auto row = RowBuilder{values, allowed, missing}.around(*pair, random);
      if (!row) continue;
      const auto covered = pairs_of(*row);
      const auto count = static_cast<std::size_t>(std::ranges::count_if(covered, [&](const Pair& one) { return missing.contains(one); }));
      if (count > most) most = count, best = *row;
    }
    if (best.empty()) break;  // what is left can be in no row
    for (const auto& pair : pairs_of(best)) missing.erase(pair);
    rows.push_back(std::move(best));
  }
  return rows;
}

}  // namespace gleaner::combinations
