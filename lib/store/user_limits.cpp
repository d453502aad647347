#include "lib/store/user_limits.hpp"

#include "lib/store/detail.hpp"

namespace gleaner::store {
namespace {

using detail::exec;
using detail::get;

UserLimits read_limits(const pqxx::row& row) {
  return {.campaigns = get<std::int64_t>(row["max_campaigns"]), .tasks = get<std::int64_t>(row["max_tasks"]), .submission = get<std::int64_t>(row["max_submission"])};
}

}  // namespace

LimitsOfUser limits_of_user(Transaction& transaction, const std::string& user) {
  const auto row = exec(transaction, sql::user_limits_of{.user = user})[0];
  return {.limits = read_limits(row), .campaigns = row["campaigns"].as<std::int64_t>()};
}

std::vector<StoredUserLimits> user_limits(Transaction& transaction) {
  std::vector<StoredUserLimits> all;
  for (const auto& row : exec(transaction, sql::user_limits_all{})) {
    all.push_back({.user = detail::text(row["user_name"]),
                   .limits = read_limits(row),
                   .changed_by = detail::text(row["changed_by"]),
                   .changed_at = detail::instant(row["changed_at"].as<std::int64_t>())});
  }
  return all;
}

void set_user_limits(Transaction& transaction, const std::string& user, const UserLimits& limits, const std::string& by, grid::Instant now) {
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
