#include "almighty/cycle.hpp"

#include <fmt/format.h>

#include "lib/grid/clock.hpp"
#include "lib/process/log.hpp"
#include "lib/process/stop.hpp"
#include "lib/store/clock.hpp"
#include "lib/store/events.hpp"
#include "lib/store/lease.hpp"

namespace gleaner::almighty {
namespace {

bool went_wrong(const ModuleRun& run) { return run.result == ModuleRun::Result::failed || run.result == ModuleRun::Result::timed_out; }

/// Names and results contain no quotes and no control characters, so they need no escaping in JSON.
std::string json_of(const std::vector<ModuleRun>& runs) {
  std::string json;
  for (const auto& run : runs) {
    if (!json.empty()) json += ',';
    json += fmt::format(R"({{"module":"{}","result":"{}","ms":{}}})", run.module, name_of(run.result), run.duration.count());
  }
  return "[" + json + "]";
}

void note(store::Transaction& transaction, const ModuleRun& run) {
  const auto code = fmt::format("MODULE_FAILED_{}", run.module);
  const auto now = store::now(transaction);
  if (went_wrong(run))
    store::open_event(transaction, {.code = code, .target = {}, .job = {}, .message = fmt::format("{}: {}", run.module, run.detail)}, now);
  else if (run.result == ModuleRun::Result::succeeded && !run.is_beside) store::close_event(transaction, code, {}, now);
}

void log(const ModuleRun& run) {
  if (went_wrong(run)) process::log::error("module failed", {{"module", run.module}, {"detail", run.detail}});
  else process::log::debug("module", {{"module", run.module}, {"result", name_of(run.result)}, {"ms", run.duration.count()}});
}

void note_all(store::Transaction& transaction, const std::vector<ModuleRun>& runs) {
  for (const auto& run : runs) note(transaction, run);
}

}  // namespace

std::function<void()> keeper_of_lease(const process::Config& config, store::Database& database, store::Term term) {
  return [&, term, renewed = grid::SteadyClock::now()]() mutable {
    if (grid::SteadyClock::now() - renewed < config.lease_duration / 3) return;
    if (!store::renew_lease(database, term, config.lease_duration)) throw store::LeaseLost{"the lease was taken over"};
    renewed = grid::SteadyClock::now();
  };
}

void run_cycle(const process::Config& config, store::Database& database, store::Term term, Turns& modules) {
  std::int64_t cycle = 0;
  store::transact(database, term,
                  [&](store::Transaction& transaction) { cycle = store::begin_cycle(transaction, term, store::now(transaction)); });
  const auto alive = keeper_of_lease(config, database, term);
  auto runs = modules.collect();
  for (const auto module : kModules) {
    if (process::stop_requested()) break;
    runs.push_back(modules.run(module, term, alive));
  }
  for (const auto& run : runs) log(run);
  store::transact(database, term, [&](store::Transaction& transaction) {
    note_all(transaction, runs);
    store::end_cycle(transaction, cycle, store::now(transaction), json_of(runs));
  });
}

void report_over(store::Database& database, store::Term term, Turns& modules) {
  const auto runs = modules.collect();
  if (runs.empty()) return;
  for (const auto& run : runs) log(run);
  store::transact(database, term, [&](store::Transaction& transaction) { note_all(transaction, runs); });
}

}  // namespace gleaner::almighty
