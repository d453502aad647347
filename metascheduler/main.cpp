#include "lib/fleet/held_lease.hpp"
#include "lib/fleet/kept_database.hpp"
#include "lib/process/run.hpp"
#include "lib/store/clock.hpp"
#include "metascheduler/metascheduler.hpp"
#include "metascheduler/planner/placements/placement.hpp"
#include "metascheduler/planner/schedulers/scheduler.hpp"
#include "metascheduler/planner_config.hpp"

int main(int argc, char** argv) {
  using namespace gleaner;
  const process::Program program{.name = "metascheduler",
                                 .purpose = "decides which campaign gets what on which cluster, once",
                                 .keys = {"database",
                                          "flood",
                                          "array_size",
                                          "status_max_age",
                                          "failures_before_brake",
                                          "brake_time",
                                          "brake_time_max",
                                          {"campaign_order", metascheduler::wrong_order},
                                          "simultaneous",
                                          {"campaign_scheduler", planner::scheduler_names()},
                                          {"placement", planner::placement_names()},
                                          "probe_jobs",
                                          "expired_quantile",
                                          "reservations",
                                          {"fairshare_usage", metascheduler::usage_rules()},
                                          "fairshare_decay",
                                          "fairshare_window",
                                          {"multifactor_weights", metascheduler::wrong_weights},
                                          "age_max"},
                                 .takes_turns = true};
  fleet::KeptDatabase kept;
  return process::run(program, argc, argv, [&](const process::Context& context) -> process::Outcome {
    auto& database = kept.open(context.config);
    const fleet::HeldLease lease{database, context.term, fleet::holder_name("metascheduler")};
    return metascheduler::run_once(context.config, database, lease.term(), store::now(database)).summary();
  });
}
