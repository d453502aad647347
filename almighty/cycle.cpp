#include "almighty/cycle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "lib/grid/clock.hpp"
#include "lib/process/log.hpp"
#include "lib/process/stop.hpp"
#include "lib/store/clock.hpp"
#include "lib/store/events.hpp"
#include "lib/store/lease.hpp"
#include "lib/store/totals.hpp"

namespace gleaner::almighty {
namespace {

using store::kTurnBounds;

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

void note(store::Transaction& transaction, const ModuleRun& run, grid::Instant now) {
  const auto code = fmt::format("MODULE_FAILED_{}", run.module);
  if (went_wrong(run))
    store::open_event(transaction, {.code = code, .target = {}, .job = {}, .message = fmt::format("{}: {}", run.module, run.detail)}, now);
  else if (run.result == ModuleRun::Result::succeeded && !run.is_beside) store::close_event(transaction, code, {}, now);
}

void log(const ModuleRun& run) {
  if (went_wrong(run)) process::log::error("module failed", {{"module", run.module}, {"detail", run.detail}});
  else process::log::debug("module", {{"module", run.module}, {"result", name_of(run.result)}, {"ms", run.duration.count()}});
}

store::Total total_of(std::string kind, std::chrono::milliseconds duration) {
  store::Total total{.kind = std::move(kind), .times = 1, .amount = std::chrono::duration<double>(duration).count()};
  total.buckets.resize(kTurnBounds.size() + 1);
  ++total.buckets.at(static_cast<std::size_t>(std::ranges::lower_bound(kTurnBounds, total.amount) - kTurnBounds.begin()));
  return total;
}

/// For GET /metrics. A turn that was left running counts when it is over.
std::vector<store::Total> totals_of(const std::vector<ModuleRun>& runs) {
  std::map<std::pair<std::string, std::string_view>, store::Total> totals;
  for (const auto& run : runs) {
    if (run.result == ModuleRun::Result::left_running) continue;
    auto one = total_of("turn", run.duration);
    auto& total = totals.try_emplace({run.module, name_of(run.result)}, store::Total{.kind = "turn"}).first->second;
    total.name = run.module;
    total.result = name_of(run.result);
    total.times += one.times;
    total.amount += one.amount;
    total.buckets.resize(one.buckets.size());
    std::ranges::transform(one.buckets, total.buckets, total.buckets.begin(), std::plus{});
  }
  std::vector<store::Total> all;
  for (auto& [key, total] : totals) all.push_back(std::move(total));
  return all;
}

void note_all(store::Transaction& transaction, const std::vector<ModuleRun>& runs, const std::vector<store::Total>& totals,
              grid::Instant now) {
  for (const auto& run : runs) note(transaction, run, now);
  store::add_totals(transaction, totals, now);
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
  const auto began = grid::SteadyClock::now();
  store::transact(database, term,
                  [&](store::Transaction& transaction) { cycle = store::begin_cycle(transaction, term, store::now(transaction)); });
  const auto alive = keeper_of_lease(config, database, term);
  auto runs = modules.collect();
  for (const auto module : kModules) {
    if (process::stop_requested()) break;
    runs.push_back(modules.run(module, term, alive));
  }
  for (const auto& run : runs) log(run);
  auto totals = totals_of(runs);
  totals.push_back(total_of("cycle", std::chrono::duration_cast<std::chrono::milliseconds>(grid::SteadyClock::now() - began)));
  store::transact(database, term, [&](store::Transaction& transaction) {
    const auto now = store::now(transaction);
    note_all(transaction, runs, totals, now);
    store::end_cycle(transaction, cycle, now, json_of(runs));
  });
}

void report_over(store::Database& database, store::Term term, Turns& modules) {
  const auto runs = modules.collect();
  if (runs.empty()) return;
  for (const auto& run : runs) log(run);
  store::transact(database, term,
                  [&](store::Transaction& transaction) { note_all(transaction, runs, totals_of(runs), store::now(transaction)); });
}

}  // namespace gleaner::almighty
