#pragma once
#include <string>
#include <tuple>

#include "lib/grid/fields.hpp"

namespace gleaner::grid {

/// Resources of a cluster on which OAR starts no job now, by their state in OAR. lib/oar counts them.
struct OutOfUse {
  int suspected_resources = 0;  ///< OAR found a fault of their node
  int absent_resources = 0;     ///< their node is down, and OAR does not wake it
  int dead_resources = 0;       ///< the site's administrators took their node out
  bool operator==(const OutOfUse&) const = default;

  [[nodiscard]] int resources_out() const { return suspected_resources + absent_resources + dead_resources; }
};

inline constexpr auto kOutOfUseFields = std::tuple{
    row_field("suspected_resources", &OutOfUse::suspected_resources),
    row_field("absent_resources", &OutOfUse::absent_resources),
    row_field("dead_resources", &OutOfUse::dead_resources),
};

/// `12 suspected, 4 dead`; empty: none is out of use.
[[nodiscard]] std::string text_of(const OutOfUse& out);

}  // namespace gleaner::grid
