#include "lib/fleet/held_lease.hpp"
#include "lib/fleet/kept_database.hpp"
#include "lib/process/run.hpp"
#include "lib/store/clock.hpp"
#include "predictor/algorithms/trials.hpp"
#include "predictor/predictor.hpp"

int main(int argc, char** argv) {
  using namespace gleaner;
  const process::Program program{
      .name = "predictor",
      .purpose = "learns how many jobs a free resource is worth, how many a cluster under stress takes, and when each campaign ends, once",
      .keys = {"database",
               "flood",
               "array_size",
               "headroom",
               "availability",
               "headroom_weight",
               "campaign_order",
               "cycle_period",
               "pool_duration",
               "throughput_window",
               "stress_max",
               "stress_latency",
               "stress_durations",
               "stress_pause",
               {"predictor_algorithm", prediction::names_to_configure()},
               "job_ratio_max"},
      .takes_turns = true};
  fleet::KeptDatabase kept;
  return process::run(program, argc, argv, [&](const process::Context& context) -> process::Outcome {
    auto& database = kept.open(context.config);
    const fleet::HeldLease lease{database, context.term, fleet::holder_name("predictor")};
    return process::turn_outcome(predictor::run_once(context.config, database, lease.term(), store::now(database)));
  });
}
