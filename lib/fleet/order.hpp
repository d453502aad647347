#pragma once
#include <cstddef>
#include <functional>
#include <vector>

namespace gleaner::fleet {

/// For simulations alone: visit_clusters() makes its visits one after the other instead of in threads, in the order that the function makes
/// of their places. An empty function: in threads again. For this whole process.
void visit_in_order(std::function<void(std::vector<std::size_t>& places)> order);

}  // namespace gleaner::fleet
