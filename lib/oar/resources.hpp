#pragma once
#include <optional>
#include <string>
#include <vector>

namespace gleaner::oar {

/// One node, by its network address.
struct Node {
  std::string name;
  int resources = 0;  ///< all of them, in any state
  int usable = 0;
  int alive = 0;
  std::optional<double> load = {};  ///< the greatest of its alive resources; empty: none of them states a number from 0
};

/// The resources of a cluster. Each counts once: alive, standby (Absent, but OAR wakes it for a job), or out (Dead, Suspected, Absent for
/// good).
struct Resources {
  int total = 0;
  int alive = 0;
  int standby = 0;
  int suspected = 0;
  int dead = 0;
  int absent = 0;
  std::vector<Node> nodes;  ///< in the order of their first resource

  [[nodiscard]] int usable() const { return alive + standby; }
};

}  // namespace gleaner::oar
