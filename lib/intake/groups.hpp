#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tl/expected.hpp>

namespace gleaner::intake {

/// The unix groups of a user on this machine (NSS), the primary one first. Empty: this machine does not know the user, or has no names
/// for its groups. The error states why NSS could not answer: to take such a user for one without groups would lift the limits of groups.
[[nodiscard]] tl::expected<std::vector<std::string>, std::string> groups_of(const std::string& user);

/// The uid of a user on this machine (NSS). Empty: this machine does not know the user.
[[nodiscard]] tl::expected<std::optional<std::int64_t>, std::string> uid_of(const std::string& user);

}  // namespace gleaner::intake
