#include "lib/store/usage.hpp"

#include <algorithm>

#include "lib/store/detail.hpp"

namespace gleaner::store {

using detail::exec;

views::Page<UsageSum> usage_report(Transaction& transaction, const UsageFilter& filter, views::Window window) {
  const auto is_by = [&](UsageKey key) { return std::ranges::find(filter.by, key) != filter.by.end(); };
  views::Page<UsageSum> page;
  for (const auto& row : exec(transaction, sql::usage_report{
                                               .by_day = is_by(UsageKey::day),
                             .by_user = is_by(UsageKey::user),
                             .by_project = is_by(UsageKey::project),
                             .by_campaign = is_by(UsageKey::campaign),
                             .by_cluster = is_by(UsageKey::cluster),
                             .from = filter.from,
                             .to = filter.to,
                             .user = filter.user,
                             .limit = window.limit,
                             .offset = window.offset,
                                           })) {
    page.items.push_back({.day = row.day,
                          .user = row.user_name,
                          .project = row.project,
                          .campaign = row.campaign_id,
                          .campaign_name = row.campaign,
                          .cluster = row.cluster,
                          .resource_seconds = *row.resource_seconds,
                          .useful_seconds = *row.useful_seconds,
                          .failed_seconds = *row.failed_seconds,
                          .lost_seconds = *row.lost_seconds,
                          .jobs = *row.jobs,
                          .failed_jobs = *row.failed_jobs,
                          .lost_jobs = *row.lost_jobs,
                          .tasks = *row.tasks});
    page.total = *row.total;
  }
  return page;
}

}  // namespace gleaner::store
