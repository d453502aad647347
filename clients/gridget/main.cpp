#include "clients/api_client.hpp"
#include "clients/gridget/gridget.hpp"

int main(int argc, char** argv) {
  using namespace gleaner;
  const process::Program program{.name = "gridget",
                                 .purpose = "Fetches what the tasks of a campaign left on their clusters: stdout, stderr and output files.",
                                 .keys = clients::api_keys(),
                                 .options = {{"task,t", "RANGES", "only these tasks, such as 7 or 7,9-12"},
                                             {"to", "DIR", "the folder to fetch them into (outputs-ID)"},
                                             {"list,l", "", "only list them"},
                                             {"max-size", "SIZE", "fetch so much at most, in all (100G); nothing is fetched beyond"},
                                             {"json", "", "print JSON"},
                                             {"csv", "", "print CSV (with --list)"},
                                             {"quiet,q", "", "no progress; with --list, the files alone"}},
                                 .positional = "ID",
                                 .interruption = process::Interruption::ends_program,
                                 .notes = "Whatever interrupts it, run it again: files that are there, whole, are not fetched twice."};
  return process::run(program, argc, argv, clients::gridget::gridget);
}
