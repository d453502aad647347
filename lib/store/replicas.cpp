#include "lib/store/replicas.hpp"

#include <fmt/format.h>

#include "lib/store/batch.hpp"
#include "lib/store/detail.hpp"
#include "lib/store/events.hpp"

namespace gleaner::store {

using detail::exec;
using detail::exec_prepared;

namespace {

int replicate(Transaction& transaction, const PlannedReplicas& replicas, Term term, grid::Instant now) {
  int jobs = 0;
  while (jobs < replicas.jobs) {
    const auto rows = exec(transaction, sql::replicas_plan{
                                            .cluster = replicas.cluster,
                                            .beside = replicas.beside,
                                            .longer_than_s = replicas.longer_than,
                                            .now = now,
                                            .campaign = replicas.campaign,
                                            .jobs = replicas.beside ? 1 : replicas.jobs - jobs,
                                            .term = term,
                                            .leaves = replicas.leaves,
                                        });
    const int got = *rows[0].jobs;
    if (got == 0) break;
    jobs += got;
  }
  return jobs;
}

}  // namespace

int plan_replicas(Transaction& transaction, const PlannedReplicas& replicas, Term term, grid::Instant now) {
  int jobs = 0;
  const bool written =
      write_or_note(transaction, {.campaign = replicas.campaign, .cluster = replicas.cluster}, fmt::format("{} replicas", replicas.jobs),
                    now, [&] { jobs = replicate(transaction, replicas, term, now); });
  return written ? jobs : 0;
}

std::vector<grid::Replicable> replicable_tasks(Transaction& transaction, double share, int least, grid::Instant now) {
  std::vector<grid::Replicable> all;
  for (const auto& row : exec_prepared(transaction, sql::replicas_candidates{.share = share, .least_done = least, .now = now})) {
    grid::Replicable one;
    one.campaign = *row.campaign_id;
    one.cluster = *row.cluster_id;
    one.tasks = *row.tasks;
    one.expired = *row.expired;
    one.expected = row.seconds;
    all.push_back(one);
  }
  return all;
}

}  // namespace gleaner::store
