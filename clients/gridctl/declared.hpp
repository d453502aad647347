#pragma once
#include <array>
#include <string_view>
#include <tuple>

#include "lib/grid/planning_facts.hpp"

namespace gleaner::gridctl {

/// An option of `cluster add` and `cluster edit` that declares a fact of the cluster.
struct DeclaredOption {
  std::string_view field;  ///< of grid::kDeclaredFields
  std::string_view option;
  std::string_view unit;
  std::string_view help;
};

inline constexpr std::array kDeclaredOptions{
    DeclaredOption{"power", "power", "NUMBER", "speed of its resources, 1 being usual: `placement = power` prefers the greater"},
    DeclaredOption{"cost", "cost", "NUMBER",
                   "of one of its resources for an hour: the placement packed and the order cheapest prefer the smaller"},
    DeclaredOption{"transfer_mb_s", "transfer", "MB/S", "at which inputs reach it, for the placement transfer; 0: not known"},
};
static_assert(kDeclaredOptions.size() == std::tuple_size_v<decltype(grid::kDeclaredFields)>, "each declared fact has its option");

}  // namespace gleaner::gridctl
