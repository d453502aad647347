#pragma once
#include <functional>

#include "sim/world/world.hpp"

namespace gleaner::world {

/// A smaller world that fails too.
struct Shrunk {
  Settings settings;
  Verdict verdict;
  int runs = 0;
};
/// Makes a world that fails smaller as long as it still fails: fewer kinds of faults, fewer features, fewer campaigns, fewer clusters, an
/// earlier end.
[[nodiscard]] Shrunk shrink(const Settings& settings, const Verdict& verdict, const std::function<Verdict(const Settings&)>& run);

}  // namespace gleaner::world
