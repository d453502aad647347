#include "lib/fleet/held_lease.hpp"
#include "lib/fleet/kept_database.hpp"
#include "lib/process/run.hpp"
#include "nikita/nikita.hpp"

int main(int argc, char** argv) {
  using namespace gleaner;
  const process::Program program{.name = "nikita",
                                 .purpose = "kills the jobs that are to be killed, and wipes waiting jobs beyond the flood, once",
                                 .keys = {"database", "connect_timeout", "request_timeout", "submit_timeout", "flood", "array_size",
                                          "headroom", "availability", "waiting_grace", "remote_waiting_timeout", "cleanup_delay"},
                                 .takes_turns = true};
  fleet::KeptDatabase kept;
  return process::run(program, argc, argv, [&](const process::Context& context) -> process::Outcome {
    auto& database = kept.open(context.config);
    const fleet::HeldLease lease{database, context.term, fleet::holder_name("nikita")};
    return process::turn_outcome(nikita::run_once(context.config, database, lease.term()));
  });
}
