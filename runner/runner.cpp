#include "runner/runner.hpp"

#include <fmt/format.h>

#include <mutex>

#include "lib/fleet/fleet.hpp"
#include "lib/store/launches.hpp"
#include "runner/launcher.hpp"
#include "runner/reconcile.hpp"

namespace gleaner::runner {

std::string Counts::summary() const {
  return fmt::format("launches={} accepted={} refused={} unknown={} given_back={} found={}", launches, accepted, refused, unknown, given_back, found);
}

namespace {

void add(Counts& total, const Counts& counts) {
  total.launches += counts.launches;
  total.accepted += counts.accepted;
  total.refused += counts.refused;
  total.unknown += counts.unknown;
  total.given_back += counts.given_back;
  total.found += counts.found;
}

}  // namespace

Counts run_once(const process::Config& config, store::Database& database, store::Term term) {
  Counts total;
  std::mutex mutex;
  fleet::SharedDatabase shared{database, term};
  std::vector<store::Cluster> clusters;
  std::string grid;
  shared.transact([&](store::Transaction& transaction) {
    const auto now = fleet::now();
    for (const auto launch : store::stranded_launches(transaction)) {
      store::give_back(transaction, {.launch = launch, .state = grid::LaunchState::void_, .back = store::Back::anywhere, .error = "its cluster stopped answering"}, now);
      ++total.given_back;
    }
    clusters = store::clusters_with_launches(transaction, now - kOrphanWatch);
    grid = store::grid_token(transaction);
  });
  fleet::visit_clusters(config, shared, store::Database::Work::launch, clusters, [&](fleet::Visit& visit) {
    Counts counts;
    reconcile(visit, counts);
    make_launches(visit, grid, counts);
    const std::lock_guard lock{mutex};
    add(total, counts);
  });
  return total;
}

}  // namespace gleaner::runner
