#pragma once
#include <optional>
#include <string>
#include <vector>

#include "lib/grid/level_sizes.hpp"
#include "lib/grid/node_sizes.hpp"
#include "lib/grid/out_of_use.hpp"

namespace gleaner::oar {

/// One node, by its network address.
struct Node {
  std::string name;
  int resources = 0;  ///< all of them, in any state
  int usable = 0;
  int alive = 0;
  std::optional<double> memory = {};  ///< the least that one of its resources states; empty: none does
  std::optional<double> load = {};    ///< the greatest of its alive resources; empty: none of them states a number from 0
};

/// The resources of one node that jobs hold. A node of which OAR gives best-effort jobs a part has two lines.
struct NodeHold {
  int usable = 0;
  int held = 0;  ///< by jobs of anybody
  bool best_effort = true;
  std::string node = {};  ///< by its network address; empty: a row that is none
  int asleep = 0;         ///< of the usable ones
};

/// The resources of a cluster that OAR gives to best-effort jobs: those of the type `default`, and of no other (licences, disks, networks),
/// with besteffort = YES. Each counts once: alive, standby (Absent, but OAR wakes it for a job), or out (Dead, Suspected, Absent for
/// good).
struct Resources : grid::OutOfUse {
  int total = 0;
  int alive = 0;
  int standby = 0;
  int reserved = 0;                ///< beside these: usable ones that OAR gives to other jobs only
  grid::NodeSizes reserved_nodes;  ///< of these, in any state
  int others = 0;                  ///< those that are no cores (licences, disks, networks), in any state
  std::vector<Node> nodes;         ///< in the order of their first resource
  grid::LevelSizes levels;         ///< of the properties that the list states

  [[nodiscard]] int usable() const { return alive + standby; }
};

}  // namespace gleaner::oar
