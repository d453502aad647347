#include "lib/oar/resources.hpp"

#include <algorithm>

namespace gleaner::oar {

int Resources::biggest_node() const {
  const auto biggest = std::ranges::max_element(nodes, {}, &Node::resources);
  return biggest == nodes.end() ? 0 : biggest->resources;
}

}  // namespace gleaner::oar
