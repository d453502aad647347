#include "lib/fleet/held_lease.hpp"
#include "lib/fleet/kept_database.hpp"
#include "lib/process/run.hpp"
#include "runner/runner.hpp"

int main(int argc, char** argv) {
  using namespace gleaner;
  const process::Program program{
      .name = "runner",
      .purpose = "submits the planned launches, and settles those whose answer was lost, once",
      .keys = {"database", "connect_timeout", "request_timeout", "submit_timeout", "void_delay", "void_looks", "release_after",
               "checkpoint_patience", "checkpoint_notice", "evidence_delay", "max_attempts", "max_charged_attempts", "max_retries",
               "walltime_retry_factor", "brake_time", "brake_time_max", "input_spool"},
      .takes_turns = true};
  fleet::KeptDatabase kept;
  return process::run(program, argc, argv, [&](const process::Context& context) -> process::Outcome {
    auto& database = kept.open(context.config);
    const fleet::HeldLease lease{database, context.term, fleet::holder_name("runner")};
    return process::turn_outcome(runner::run_once(context.config, database, lease.term()));
  });
}
