#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "tests/model/steps.hpp"

namespace gleaner::model {

struct Found {
  std::size_t states = 0;
  std::size_t steps = 0;
  bool complete = true;           ///< false: stopped at the most states
  std::string broken;             ///< the law, empty when none is
  std::vector<std::string> path;  ///< to the first state that breaks it, a step and the state after it a line
};

/// A breadth-first search through everything that may happen, from the beginning: no reachable state breaks a law, and from each one
/// an end can be reached. Memory: about 250 bytes a state.
[[nodiscard]] Found search(const Rules& rules, const Bounds& bounds, std::size_t most_states);

}  // namespace gleaner::model
