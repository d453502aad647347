#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/grid/time.hpp"
#include "lib/store/database.hpp"

/// What users may submit.
namespace gleaner::store {

/// Where nothing is said, the configuration's limits hold.
struct UserLimits {
  std::optional<std::int64_t> campaigns;   ///< in treatment or paused
  std::optional<std::int64_t> tasks;       ///< of one campaign
  std::optional<std::int64_t> submission;  ///< bytes
  bool operator==(const UserLimits&) const = default;
};

struct LimitsOfUser {
  UserLimits limits;
  std::int64_t campaigns = 0;  ///< that the user has in treatment or paused
};
[[nodiscard]] LimitsOfUser limits_of_user(Transaction& transaction, const std::string& user);

struct StoredUserLimits {
  std::string user;
  UserLimits limits;
  std::string changed_by;
  grid::Instant changed_at{};
};
[[nodiscard]] std::vector<StoredUserLimits> user_limits(Transaction& transaction);

/// Limits that say nothing are forgotten.
void set_user_limits(Transaction& transaction, const std::string& user, const UserLimits& limits, const std::string& by, grid::Instant now);

}  // namespace gleaner::store
