#include "predictor/predictor.hpp"

#include <fmt/format.h>

#include "lib/fleet/fleet.hpp"
#include "lib/process/failpoint.hpp"
#include "lib/store/batch.hpp"
#include "lib/store/events.hpp"
#include "lib/store/headroom.hpp"
#include "lib/store/prediction.hpp"
#include "lib/store/stress.hpp"
#include "predictor/forecasts_of.hpp"
#include "predictor/headrooms_of.hpp"
#include "predictor/stress_of.hpp"

namespace gleaner::predictor {
namespace {

/// Writes the judged stress. A cluster's event is open while its jobs are limited. Returns the number of limited clusters.
int watch_stress(const process::Config& config, store::Transaction& transaction, grid::Instant now) {
  const auto judged = stress_of(store::stress_facts(transaction), config);
  int limited = 0;
  for (const auto& [cluster, change] : judged.clusters) {
    const store::Target target{.campaign = {}, .cluster = cluster.id};
    const bool written = store::write_or_note(transaction, target, "its stress", now, [&] { store::write_stress(transaction, cluster); });
    if (!written) continue;
    limited += cluster.job_limit ? 1 : 0;
    if (change == StressChange::lowered)
      store::open_event(transaction,
                        {.code = "UNDER_STRESS",
                         .target = target,
                         .job = {},
                         .message = fmt::format("{}: it gets at most {} of our jobs", cluster.reason, *cluster.job_limit)},
                        now);
    if (change == StressChange::lifted) store::close_event(transaction, "UNDER_STRESS", target, now);
  }
  store::write_or_note(transaction, {}, "the end of old samples of durations", now,
                       [&] { store::forget_samples(transaction, judged.forgotten); });
  return limited;
}

}  // namespace

std::string Counts::summary() const { return fmt::format("campaigns={} limited={}", campaigns, limited); }

Counts run_once(const process::Config& config, store::Database& database, store::Term term, grid::Instant now) {
  Counts counts;
  store::transact(database, term, [&](store::Transaction& transaction) {
    counts = {};
    if (!fleet::is_sole_turn(config, transaction, store::Database::Work::predict)) return;
    const auto facts = store::prediction_facts(transaction, {config.flood, config.array_size, config.headroom, config.availability},
                                               now - config.throughput_window, now);
    store::write_or_note(transaction, {}, "the outcomes of the ratios", now,
                         [&] { store::note_ratios(transaction, ratio_outcomes(facts, now), now); });
    const auto forecasts = forecasts_of(facts, config, now);
    store::write_forecasts(transaction, forecasts, now);
    counts.campaigns = static_cast<int>(forecasts.size());
    counts.limited = watch_stress(config, transaction, now);
    const auto local = store::local_facts(transaction, config.headroom);
    for (const auto& one : headrooms_of(local, facts, config, now)) {
      store::write_or_note(transaction, {.campaign = {}, .cluster = one.first}, "its learnt headroom", now,
                           [&] { store::learn_headroom(transaction, one.first, one.second); });
    }
    process::failpoint("predictor.before_commit");
  });
  return counts;
}

}  // namespace gleaner::predictor
