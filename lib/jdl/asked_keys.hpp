#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "lib/grid/time.hpp"
#include "lib/jdl/tree.hpp"

/// The keys by which tasks request resources and time.
namespace gleaner::jdl {

/// A time without an expression: `"h:m:s"`, or a number of seconds. `example` is one of the first form.
[[nodiscard]] std::optional<grid::Seconds> read_time(const Node& node, const std::string& path, std::string_view example,
                                                     Findings& findings);

/// The place of `,walltime=` in resources as oarsub takes them: what is before it, and the walltime. Empty: they have none.
struct ResourcesAndWalltime {
  std::string resources;
  std::string walltime;
};
[[nodiscard]] std::optional<ResourcesAndWalltime> split_walltime(std::string_view resources);

}  // namespace gleaner::jdl
