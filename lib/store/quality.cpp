#include "lib/store/quality.hpp"

#include "lib/store/detail.hpp"

namespace gleaner::store {

using detail::exec;

grid::PlanFigures figures_of(const RatioOutcome& outcome) {
  return {.turns = 1,
          .too_big = outcome.verdict == "too_big" ? 1 : 0,
          .too_small = outcome.verdict == "too_small" ? 1 : 0,
          .offered = outcome.offered,
          .sent = outcome.sent,
          .left_waiting = outcome.left_waiting,
          .left_free = outcome.left_free};
}

void note_ratios(Transaction& transaction, std::span<const RatioOutcome> outcomes, grid::Instant now) {
  if (outcomes.empty()) return;
  detail::Array campaigns, clusters, verdicts, offered, sent, left_waiting, left_free;
  for (const auto& one : outcomes) {
    campaigns.add(one.campaign.value());
    clusters.add(one.cluster.value());
    verdicts.add(one.verdict);
    offered.add(one.offered);
    sent.add(std::int64_t{one.sent});
    left_waiting.add(std::int64_t{one.left_waiting});
    left_free.add(one.left_free);
  }
  detail::exec_prepared(transaction, sql::quality_note_ratios{.now = now,
                                                              .campaigns = campaigns.literal(),
                                                              .clusters = clusters.literal(),
                                                              .verdicts = verdicts.literal(),
                                                              .offered = offered.literal(),
                                                              .sent = sent.literal(),
                                                              .left_waiting = left_waiting.literal(),
                                                              .left_free = left_free.literal()});
}

Quality quality(Transaction& transaction, grid::Instant from, grid::Instant to, const std::optional<std::string>& cluster) {
  Quality found;
  for (const auto& row : exec(transaction, sql::quality_plans{.from = from, .to = to, .cluster = cluster})) {
    found.plans.push_back(
        {.cluster = *row.cluster,
         .algorithm = *row.algorithm,
         .type = *row.type,
         .figures = {.jobs = {*row.done, *row.failed, *row.walltime, *row.preempted, *row.killed, *row.taken_back, *row.unsent, *row.lost},
                     .started = *row.started,
                     .waited = *row.waited,
                     .wait_s = *row.wait_s,
                     .held_s = *row.held_s,
                     .wasted_s = *row.wasted_s,
                     .turns = *row.turns,
                     .too_big = *row.too_big,
                     .too_small = *row.too_small,
                     .offered = *row.offered,
                     .sent = *row.sent,
                     .left_waiting = *row.left_waiting,
                     .left_free = *row.left_free}});
  }
  for (const auto& row : exec(transaction, sql::quality_forecasts{.from = from, .to = to, .cluster = cluster})) {
    found.forecasts.push_back({.cluster = row.cluster,
                               .method = *row.method,
                               .figures = {.forecasts = *row.forecasts,
                                           .within = *row.within,
                                           .early = *row.early,
                                           .error_s = *row.error_s,
                                           .error_parts = *row.error_parts}});
  }
  return found;
}

}  // namespace gleaner::store
