#pragma once
#include <optional>
#include <string_view>

namespace gleaner::process {

/// The users whose campaigns a user may read (the option `read_access`). Administrators read all.
enum class ReadAccess {
  all,      ///< everybody's
  project,  ///< the user's own, and those of the projects that the tree of shares has the user in
  own       ///< the user's own
};

[[nodiscard]] constexpr std::string_view name_of(ReadAccess access) {
  switch (access) {
    case ReadAccess::project: return "project";
    case ReadAccess::own: return "own";
    case ReadAccess::all: break;
  }
  return "all";
}

[[nodiscard]] constexpr std::optional<ReadAccess> read_access(std::string_view name) {
  for (const auto one : {ReadAccess::all, ReadAccess::project, ReadAccess::own}) {
    if (name_of(one) == name) return one;
  }
  return std::nullopt;
}

}  // namespace gleaner::process
