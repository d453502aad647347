#pragma once
// Only for lib/store/views*.cpp.
#include <optional>
#include <string>
#include <vector>

#include "lib/store/detail.hpp"
#include "lib/store/views.hpp"

namespace gleaner::store::views::detail {

/// Reads the columns brake and brake_until.
[[nodiscard]] inline std::optional<Brake> read_brake(const auto& row) {
  if (!row.brake_until.has_value()) return std::nullopt;
  return Brake{*row.brake, *row.brake_until};
}

/// Reads the columns of views.decisions.
[[nodiscard]] Decision read_decision(const auto& row) {
  Decision decision;
  decision.cluster = row.cluster_id;
  decision.cluster_name = row.cluster.value_or("");
  decision.stage = *row.stage;
  decision.reason = *row.reason;
  decision.figures = *row.figures;
  decision.jobs = *row.jobs;
  decision.since = *row.since;
  return decision;
}

/// An array of states as a parameter; empty for no states.
template <class State>
[[nodiscard]] std::optional<std::string> state_array(const std::vector<State>& states) {
  if (states.empty()) return std::nullopt;
  std::vector<std::string> names;
  for (const auto state : states) names.emplace_back(grid::name_of(state));
  return store::detail::text_array(names);
}

}  // namespace gleaner::store::views::detail
