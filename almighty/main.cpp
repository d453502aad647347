#include "almighty/conductor.hpp"
#include "lib/process/run.hpp"

int main(int argc, char** argv) {
  using namespace gleaner;
  const process::Program program{.name = "almighty",
                                 .purpose = "conducts the grid: runs the modules, cycle after cycle",
                                 .keys = {"database", "cycle_period", "idle_period", "lease_duration", "module_time_limit",
                                          "module_patience", "bin_directory", "check_period"},
                                 .options = {{"once", "", "run one cycle and end, for cron"}},
                                 .notes = "The modules read the same configuration; GLEANER_CONFIG names it for them.",
                                 .section = 8};
  return process::run(program, argc, argv, [](const process::Context& context) {
    return context.arguments.has("once") ? almighty::run_once(context.config) : almighty::run_service(context.config);
  });
}
