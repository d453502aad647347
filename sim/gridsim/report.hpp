#pragma once
#include <string>
#include <vector>

#include "lib/terminal/output.hpp"
#include "sim/gridsim/metrics.hpp"

namespace gleaner::gridsim {

/// One simulation of a comparison, or the only one.
struct Variant {
  std::string name;  ///< `slow-start`; empty: the only one
  Scenario scenario;
  Outcome outcome;
  Metrics metrics;
};

/// What a person reads of one simulation, in at most the screen's columns.
[[nodiscard]] std::string describe(const Variant& variant, const terminal::Screen& screen);

/// A column for each variant, a line for each figure.
[[nodiscard]] std::string describe_all(const std::string& key, const std::vector<Variant>& variants, const terminal::Screen& screen);

/// Everything that was measured, of each variant, as one JSON document; `key` is what varies, or empty.
[[nodiscard]] std::string to_json(const std::string& key, const std::vector<Variant>& variants);

}  // namespace gleaner::gridsim
