#pragma once
#include <string>
#include <string_view>

#include "lib/jdl/tree.hpp"

/// Fields of CiGri, and of its classic form, that are not built. For lib/jdl only.
namespace gleaner::jdl {

/// Whether the value means "none" in CiGri.
[[nodiscard]] bool is_neutral(const Node& node);

/// Whether there is such a field.
[[nodiscard]] bool is_unbuilt_key(std::string_view name);

/// Whether it is such a field. Unless it holds the value with which it has no effect in CiGri, it is refused, or reported where its user
/// loses nothing.
[[nodiscard]] bool report_unbuilt_key(const Member& member, const std::string& path, Findings& findings);

}  // namespace gleaner::jdl
