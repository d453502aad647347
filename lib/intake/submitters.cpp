#include "lib/intake/submitters.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lib/intake/groups.hpp"

namespace gleaner::intake {

tl::expected<std::optional<std::string>, std::string> why_refused(const std::string& user, const Submitters& submitters) {
  using Why = std::optional<std::string>;
  if (std::ranges::find(submitters.refused, user) != submitters.refused.end())
    return Why{fmt::format("'{}' is a user of the system, and no person (the option refused_users)", user)};
  const auto uid = uid_of(user);
  if (!uid) return tl::unexpected{uid.error()};
  if (*uid && **uid < submitters.least_uid)
    return Why{
        fmt::format("'{}' has the uid {} on this machine: those below {} are users of the system, and no persons (the option least_uid)",
                    user, **uid, submitters.least_uid)};
  return Why{};
}

}  // namespace gleaner::intake
