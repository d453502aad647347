#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/grid/needs.hpp"
#include "lib/jdl/tree.hpp"

/// The key `needs` of a campaign. Source: document 001, "Multi-factor", limited resources like software licenses.
namespace gleaner::jdl {

/// A consumable that an administrator has declared: a limit names it.
struct Consumable {
  std::string name;
  std::optional<double> most;  ///< that the campaign may hold, by the limits that are known to bind it; empty: there is none
  std::int64_t limit = 0;      ///< the limit that sets `most`
};

/// Reads `needs`: an object, { "matlab": 1 }. A name that no administrator has declared is a problem, and so is more than a limit allows.
/// @param known  null: any name is right
void read_needs(const Node& node, const std::string& path, const std::vector<Consumable>* known, grid::Needs& into, Findings& findings);

/// Needs that a campaign already has stay allowed when their limit is lowered or removed.
void allow_present(const grid::Needs& present, std::vector<Consumable>& known);

}  // namespace gleaner::jdl
