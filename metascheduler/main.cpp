#include "lib/fleet/held_lease.hpp"
#include "lib/fleet/kept_database.hpp"
#include "lib/process/run.hpp"
#include "lib/store/clock.hpp"
#include "metascheduler/keys.hpp"
#include "metascheduler/metascheduler.hpp"

int main(int argc, char** argv) {
  using namespace gleaner;
  const process::Program program{.name = "metascheduler",
                                 .purpose = "decides which campaign gets what on which cluster, once",
                                 .keys = metascheduler::keys(),
                                 .takes_turns = true};
  fleet::KeptDatabase kept;
  return process::run(program, argc, argv, [&](const process::Context& context) -> process::Outcome {
    auto& database = kept.open(context.config);
    const fleet::HeldLease lease{database, context.term, fleet::holder_name("metascheduler")};
    return process::turn_outcome(metascheduler::run_once(context.config, database, lease.term(), store::now(database)));
  });
}
