#pragma once
#include <optional>
#include <string>
#include <vector>

#include <tl/expected.hpp>

namespace gleaner::intake {

/// The users who may have campaigns: persons, and no users of the system.
struct Submitters {
  const std::vector<std::string>& refused;  ///< names, wherever they are known
  int least_uid = 0;                        ///< of a user that this machine knows
};

/// Why a user may have none, in one sentence that names the option; empty: they may. The error states why this machine could not look the
/// user up (NSS).
[[nodiscard]] tl::expected<std::optional<std::string>, std::string> why_refused(const std::string& user, const Submitters& submitters);

}  // namespace gleaner::intake
