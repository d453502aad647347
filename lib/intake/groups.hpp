#pragma once
#include <string>
#include <vector>

#include <tl/expected.hpp>

namespace gleaner::intake {

/// The unix groups of a user on this machine (NSS), the primary one first. Empty: this machine does not know the user, or has no names
/// for its groups. The error states why NSS could not answer: to take such a user for one without groups would lift the limits of groups.
[[nodiscard]] tl::expected<std::vector<std::string>, std::string> groups_of(const std::string& user);

}  // namespace gleaner::intake
