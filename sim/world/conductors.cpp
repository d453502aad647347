#include "sim/world/conductors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "almighty/cycle.hpp"
#include "lib/store/lease.hpp"

namespace gleaner::world {

Conductors::Conductors(const process::Config& config, const Settings& settings, WorldDatabase& database, VirtualClock& clock, Gate& gate,
                       Trace& trace)
    : database_{database}, clock_{clock}, gate_{gate}, trace_{trace}, restarts_{settings.seed, "restarts"} {
  conductors_.emplace_back("first", config, database, gate, trace);
  const bool can_be_lost = std::ranges::any_of(
      settings.faults, [](Fault fault) { return fault == Fault::death || fault == Fault::stopped || fault == Fault::partitioned; });
  if (can_be_lost) conductors_.emplace_back("second", config, database, gate, trace);
}

Conductors::Conductor::Conductor(std::string name, const process::Config& config_of_it, WorldDatabase& database, Gate& gate, Trace& trace)
    : host{std::move(name)}, config{config_of_it}, turns{config, host, database, gate, trace} {
  config.database = database.conninfo_of(fmt::format("almighty@{}", host));
}

/// Whether it keeps its lease, or takes one that is free.
bool Conductors::conducts(Conductor& conductor) {
  const auto& duration = conductor.config.lease_duration;
  if (!conductor.connection) conductor.connection.emplace(conductor.config.database);
  if (conductor.term && store::renew_lease(*conductor.connection, *conductor.term, duration)) return true;
  conductor.term = store::acquire_lease(*conductor.connection, fmt::format("almighty of {}", conductor.host), duration);
  if (conductor.term) trace_.note(fmt::format("almighty of {} conducts under term {}", conductor.host, *conductor.term));
  return conductor.term.has_value();
}

void Conductors::cycle() {
  for (auto& conductor : conductors_) {
    if (conductor.host != left_out_ && clock_.now() >= conductor.starts_at) take_turn(conductor);
  }
}

void Conductors::take_turn(Conductor& conductor) {
  constexpr std::int64_t kLongestRestart = 120;
  gate_.enter({"almighty", conductor.host});
  std::string failure;
  try {
    if (conducts(conductor)) {
      gate_.write_under(*conductor.term);
      almighty::run_cycle(conductor.config, *conductor.connection, *conductor.term, conductor.turns);
    }
  } catch (const std::exception& error) {
    failure = error.what();
  }
  if (!failure.empty()) trace_.note(fmt::format("almighty of {} failed: {}", conductor.host, failure));
  if (!failure.empty() || gate_.is_dead() || gate_.has_lost_database()) {
    conductor.connection.reset();
    if (gate_.is_dead()) {
      conductor.term.reset();  // its successor does not know it
      conductor.starts_at = clock_.now() + std::chrono::seconds{restarts_.between(0, kLongestRestart)};
    }
    database_.await_end_of(fmt::format("almighty@{}", conductor.host));
  }
  gate_.enter({});
}

std::chrono::milliseconds Conductors::period() {
  for (auto& conductor : conductors_) {
    if (!conductor.term || !conductor.connection || conductor.host == left_out_) continue;
    auto transaction = conductor.connection->begin();
    return store::is_busy(transaction) ? conductor.config.cycle_period
                                       : std::max(conductor.config.idle_period, conductor.config.cycle_period);
  }
  return conductors_.front().config.cycle_period;
}

}  // namespace gleaner::world
