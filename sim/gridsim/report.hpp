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

/// The report of one simulation for people, within the screen's columns.
[[nodiscard]] std::string describe(const Variant& variant, const terminal::Screen& screen);

/// The comparison: a column for each variant, a line for each figure.
[[nodiscard]] std::string describe_all(const std::string& key, const std::vector<Variant>& variants, const terminal::Screen& screen);

/// All measurements of each variant as one JSON document; `key` is the setting that varies, or empty.
[[nodiscard]] std::string to_json(const std::string& key, const std::vector<Variant>& variants);

}  // namespace gleaner::gridsim
