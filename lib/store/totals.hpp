#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/grid/id.hpp"
#include "lib/store/database.hpp"

/// Totals that only grow, which GET /metrics shows (sql/migrations/0006_totals.sql).
namespace gleaner::store {

/// Upper bounds of the buckets of the durations of turns and cycles, in seconds; one more bucket has the longer ones.
inline constexpr std::array kTurnBounds{0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0};

struct Total {
  std::string kind;
  std::optional<grid::ClusterId> cluster = {};
  std::string name = {};
  std::string result = {};
  std::int64_t times = 0;
  double amount = 0;
  std::vector<std::int64_t> buckets = {};  ///< of a histogram; empty: it has none
};

/// Adds to the totals, each of which is given once.
void add_totals(Transaction& transaction, const std::vector<Total>& more, grid::Instant now);

}  // namespace gleaner::store
