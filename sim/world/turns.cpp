#include "sim/world/turns.hpp"

#include <fmt/format.h>

#include "lib/store/clock.hpp"
#include "metascheduler/metascheduler.hpp"
#include "nikita/nikita.hpp"
#include "predictor/predictor.hpp"
#include "runner/runner.hpp"
#include "updator/updator.hpp"

namespace gleaner::world {
namespace {

/// The turn of a module, as its main.cpp makes it; what it did.
std::string turn_of(std::string_view module, const process::Config& config, store::Database& database, store::Term term) {
  if (module == "updator") return updator::run_once(config, database, term).summary();
  if (module == "predictor") return predictor::run_once(config, database, term, store::now(database)).summary();
  if (module == "nikita") return nikita::run_once(config, database, term).summary();
  if (module == "metascheduler") return metascheduler::run_once(config, database, term, store::now(database)).summary();
  return runner::run_once(config, database, term).summary();
}

}  // namespace

WorldTurns::WorldTurns(const process::Config& config, std::string host, WorldDatabase& database, Gate& gate, Trace& trace)
    : host_{std::move(host)}, database_{database}, gate_{gate}, trace_{trace} {
  for (const auto module : almighty::kModules) {
    auto own = config;
    own.database = database.conninfo_of(connection_of(module));
    modules_.emplace(module, Module{std::move(own)});
  }
}

almighty::ModuleRun WorldTurns::run(std::string_view module, store::Term term, const std::function<void()>& /*alive*/) {
  almighty::ModuleRun run{.module = std::string{module}, .result = almighty::ModuleRun::Result::succeeded, .detail = {}, .duration = {}};
  const auto before = gate_.enter({std::string{module}, host_, term});
  std::string did;
  try {
    auto& [config, kept] = modules_.at(run.module);
    did = turn_of(module, config, kept.open(config), term);
  } catch (const std::exception& error) {
    run.detail = error.what();
  }
  if (gate_.is_dead()) run.detail = "killed by signal 9 (Killed)";
  if (!run.detail.empty()) run.result = almighty::ModuleRun::Result::failed;
  if (gate_.has_lost_database() || !run.detail.empty()) {
    // Its process ends, and its locks are free when the server has noticed.
    modules_.at(run.module).kept = {};
    database_.await_end_of(connection_of(module));
  }
  gate_.enter(before);
  trace_.note(fmt::format("{} of {} {}", module, host_, run.detail.empty() ? did : "failed: " + run.detail));
  return run;
}

}  // namespace gleaner::world
