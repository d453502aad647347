#include "runner/runner.hpp"

#include <fmt/format.h>

#include <mutex>
#include <optional>

#include "lib/fleet/fleet.hpp"
#include "lib/grid/launch_fate.hpp"
#include "lib/process/log.hpp"
#include "lib/store/batch.hpp"
#include "lib/store/clock.hpp"
#include "lib/store/epochs.hpp"
#include "lib/store/events.hpp"
#include "lib/store/launches.hpp"
#include "runner/inputs.hpp"
#include "runner/launcher.hpp"
#include "runner/limits.hpp"
#include "runner/programs.hpp"
#include "runner/reconcile.hpp"
#include "runner/recover.hpp"
#include "runner/release.hpp"

namespace gleaner::runner {

std::string Counts::summary() const {
  return fmt::format("launches={} accepted={} refused={} unknown={} given_back={} found={} released={} inputs={} programs={}", launches,
                     accepted, refused, unknown, given_back, found, released, inputs, programs);
}

namespace {

/// A launch that the database refuses is set aside, with an event.
void give_back_stranded(store::Transaction& transaction, const process::Config& config, grid::Instant now, Counts& counts) {
  for (const auto launch : store::stranded_launches(transaction)) {
    const store::GiveBack stranded{.launch = launch,
                                   .from = grid::LaunchState::planned,
                                   .to = grid::LaunchState::void_,
                                   .sent = grid::Sent::never,
                                   .error = "its cluster stopped answering, or was disabled"};
    const auto refused = store::attempt(transaction, [&] {
      if (store::give_back(transaction, stranded, limits_of(config), now)) ++counts.given_back;
    });
    if (!refused) continue;
    process::log::error("launch set aside", {{"launch", launch}, {"error", *refused}});
    store::open_event(transaction,
                      {.code = "LAUNCH_FAILED",
                       .target = {},
                       .job = {},
                       .message = fmt::format("cannot give back launch {}: {}", launch.value(), *refused)},
                      now);
  }
}

void add(Counts& total, const Counts& counts) {
  total.launches += counts.launches;
  total.accepted += counts.accepted;
  total.refused += counts.refused;
  total.unknown += counts.unknown;
  total.given_back += counts.given_back;
  total.found += counts.found;
  total.released += counts.released;
  total.inputs += counts.inputs;
  total.programs += counts.programs;
}

}  // namespace

Counts run_once(const process::Config& config, store::Database& database, store::Term term) {
  Counts total;
  std::mutex mutex;
  fleet::SharedDatabase shared{database, term};
  std::vector<store::Cluster> clusters;
  std::optional<grid::Epochs> epochs;
  shared.transact([&](store::Transaction& transaction) {
    total = {};
    const auto now = store::now(transaction);
    epochs = store::current_epochs(transaction, now);
    give_back_stranded(transaction, config, now, total);
    release_tasks(transaction, config, now, total);
    release_kept_tasks(transaction, config, now, total);
    clusters = store::clusters_with_launches(transaction, now - grid::kOrphanWatch);
  });
  fleet::visit_clusters(config, shared, store::Database::Work::launch, clusters, [&](fleet::Visit& visit) {
    Counts counts;
    if (recover(visit, *epochs) && reconcile(visit, counts)) {
      Programs programs{visit};
      make_launches(visit, *epochs, programs, counts);
      programs.put(counts);
      send_inputs(visit, *epochs, counts);
    }
    const std::lock_guard lock{mutex};
    add(total, counts);
  });
  return total;
}

}  // namespace gleaner::runner
