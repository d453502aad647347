#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/grid/time.hpp"
#include "lib/store/database.hpp"

/// Users' limits on submissions.
namespace gleaner::store {

/// The configuration's limits apply where these are empty.
struct UserLimits {
  std::optional<std::int64_t> campaigns;   ///< in treatment or paused
  std::optional<std::int64_t> tasks;       ///< of one campaign
  std::optional<std::int64_t> submission;  ///< bytes
  bool operator==(const UserLimits&) const = default;
};

struct LimitsOfUser {
  UserLimits limits;
  std::int64_t campaigns = 0;  ///< of the user, in treatment or paused
};
[[nodiscard]] LimitsOfUser limits_of_user(Transaction& transaction, const std::string& user);

struct StoredUserLimits {
  std::string user;
  UserLimits limits;
  std::string changed_by;
  grid::Instant changed_at{};
};
[[nodiscard]] std::vector<StoredUserLimits> user_limits(Transaction& transaction);

/// Limits without any value are deleted.
void set_user_limits(Transaction& transaction, const std::string& user, const UserLimits& limits, const std::string& by, grid::Instant now);

}  // namespace gleaner::store
