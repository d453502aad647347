#include "lib/store/user_limits.hpp"

#include "lib/store/detail.hpp"

namespace gleaner::store {
namespace {

using detail::exec;

UserLimits read_limits(const auto& row) {
  return {.campaigns = row.max_campaigns, .tasks = row.max_tasks, .submission = row.max_submission};
}

}  // namespace

LimitsOfUser limits_of_user(Transaction& transaction, const std::string& user) {
  const auto row = exec(transaction, sql::user_limits_of{.user = user})[0];
  return {.limits = read_limits(row), .campaigns = *row.campaigns};
}

std::vector<StoredUserLimits> user_limits(Transaction& transaction) {
  std::vector<StoredUserLimits> all;
  for (const auto& row : exec(transaction, sql::user_limits_all{})) {
    all.push_back({.user = *row.user_name, .limits = read_limits(row), .changed_by = *row.changed_by, .changed_at = *row.changed_at});
  }
  return all;
}

void set_user_limits(Transaction& transaction, const std::string& user, const UserLimits& limits, const std::string& by,
                     grid::Instant now) {
  if (limits == UserLimits{}) {
    exec(transaction, sql::user_limits_forget{.user = user});
  } else {
    exec(transaction, sql::user_limits_set{
                          .user = user,
                          .campaigns = limits.campaigns,
                          .tasks = limits.tasks,
                          .submission = limits.submission,
                          .author = by,
                          .now = now,
                      });
  }
}

}  // namespace gleaner::store
