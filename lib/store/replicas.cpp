#include "lib/store/replicas.hpp"

#include <fmt/format.h>

#include "lib/store/batch.hpp"
#include "lib/store/detail.hpp"
#include "lib/store/events.hpp"

namespace gleaner::store {

using detail::exec;
using detail::get;

namespace {

int replicate(Transaction& transaction, const PlannedReplicas& replicas, Term term, grid::Instant now) {
  int jobs = 0;
  while (jobs < replicas.jobs) {
    const auto rows = exec(transaction, sql::planning_replicate{
                                            .cluster = replicas.cluster,
                                            .longer_than_s = replicas.longer_than,
                                            .now = now,
                                            .campaign = replicas.campaign,
                                            .jobs = replicas.jobs - jobs,
                                            .term = term,
                                        });
    const auto got = rows[0]["jobs"].as<int>();
    if (got == 0) break;
    jobs += got;
  }
  return jobs;
}

}  // namespace

int plan_replicas(Transaction& transaction, const PlannedReplicas& replicas, Term term, grid::Instant now) {
  int jobs = 0;
  const auto why = attempt(transaction, [&] { jobs = replicate(transaction, replicas, term, now); });
  if (!why) return jobs;
  note_refused(transaction, {.campaign = replicas.campaign, .cluster = replicas.cluster}, fmt::format("{} replicas", replicas.jobs), *why, now);
  return 0;
}

std::vector<grid::Replicable> replicable_tasks(Transaction& transaction, double share, int least, grid::Instant now) {
  std::vector<grid::Replicable> all;
  for (const auto& row : exec(transaction, sql::planning_replicable{.share = share, .least_done = least, .now = now})) {
    grid::Replicable one;
    one.campaign = grid::CampaignId{row["campaign_id"].as<std::int64_t>()};
    one.cluster = grid::ClusterId{row["cluster_id"].as<std::int64_t>()};
    one.tasks = row["tasks"].as<std::int64_t>();
    one.expired = row["expired"].as<std::int64_t>();
    one.expected = get<double>(row["seconds"]);
    all.push_back(one);
  }
  return all;
}

}  // namespace gleaner::store
