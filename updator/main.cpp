#include "lib/fleet/held_lease.hpp"
#include "lib/fleet/kept_database.hpp"
#include "lib/process/run.hpp"
#include "updator/updator.hpp"

int main(int argc, char** argv) {
  using namespace gleaner;
  const process::Program program{
      .name = "updator",
      .purpose = "asks every cluster what became of our jobs and what is free, once",
      .keys = {"database", "connect_timeout", "request_timeout", "submit_timeout", "max_attempts", "max_charged_attempts", "max_retries",
               "walltime_retry_factor", "failures_before_brake", "headroom", "availability", "load_property", "launch_patience",
               "evidence_delay", "evidence_patience", "brake_time", "brake_time_max", "cycle_period", "status_max_age"},
      .takes_turns = true};
  fleet::KeptDatabase kept;
  return process::run(program, argc, argv, [&](const process::Context& context) -> process::Outcome {
    auto& database = kept.open(context.config);
    const fleet::HeldLease lease{database, context.term, fleet::holder_name("updator")};
    return process::turn_outcome(updator::run_once(context.config, database, lease.term()));
  });
}
