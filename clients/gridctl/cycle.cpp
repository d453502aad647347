// `gridctl cycle`: schedule now.
#include <fmt/format.h>

#include <chrono>

#include "clients/gridctl/commands.hpp"
#include "lib/process/stop.hpp"
#include "lib/store/campaigns.hpp"
#include "lib/store/clock.hpp"
#include "lib/store/lease.hpp"
#include "lib/store/views_grid.hpp"

namespace gleaner::gridctl {
namespace {

using process::Error;
using process::ExitCode;
using std::chrono::steady_clock;

constexpr std::chrono::milliseconds kBetweenLooks{100};

/// Wakes the conductor up; the database's time.
grid::Instant wake_conductor(store::Database& database) {
  grid::Instant asked;
  store::transact(database, std::nullopt, [&](store::Transaction& transaction) {
    if (!store::lease_holder(transaction))
      throw Error{ExitCode::unavailable, "nobody conducts the grid: start almighty, or run 'almighty --once', which is one cycle"};
    asked = store::now(transaction);
    store::wake_up(transaction);
  });
  return asked;
}

/// The last cycle, if it began after that time and has ended.
std::optional<store::views::Cycle> ended_since(store::Database& database, grid::Instant asked) {
  auto transaction = database.begin();
  const auto last = store::views::last_cycle(transaction);
  return last && last->started_at >= asked && last->ended_at ? last : std::nullopt;
}

}  // namespace

process::Outcome cycle(const Call& call) {
  auto database = open_database(call);
  const auto asked = wake_conductor(database);
  // A cycle that is under way ends first. Each module may take its time.
  constexpr int kModules = 5;
  const auto patience = 2 * kModules * call.context.config.module_time_limit;
  const auto deadline = steady_clock::now() + patience;
  while (steady_clock::now() < deadline && !process::wait_for_stop(kBetweenLooks)) {
    const auto ended = ended_since(database, asked);
    if (!ended) continue;
    const std::chrono::duration<double> took = *ended->ended_at - ended->started_at;
    call.output.show({.text = fmt::format("a cycle has begun and ended; it took {:.1f} s\n", took.count())});
    return ExitCode::ok;
  }
  return {ExitCode::try_again, "the conductor has been asked for a cycle, and none has ended yet: 'gridctl check' shows what is wrong"};
}

}  // namespace gleaner::gridctl
