#include "clients/api_client.hpp"
#include "clients/gridusage/gridusage.hpp"
#include "lib/process/run.hpp"

int main(int argc, char** argv) {
  using namespace gleaner;
  const process::Program program{
      .name = "gridusage",
      .purpose = "Shows what jobs used, and how much of it went into done tasks: mine, or everybody's for administrators.",
      .keys = clients::api_keys(),
      .options = {{"from", "DAY", "the first day, 2026-11-01 (UTC), or how long ago it was, such as 7d (30d)"},
                  {"to", "DAY", "the last day (today)"},
                  {"by", "BY", "a line for each of these: day, user, project, campaign, cluster (user,project)"},
                  {"user,u", "USER", "only this user's (administrators)"},
                  {"json", "", "print JSON, times in resource-seconds"},
                  {"csv", "", "print CSV, times in resource-seconds"},
                  {"headerless,H", "", "leave out the head of the table"}},
      .interruption = process::Interruption::ends_program,
      .notes = "A job counts on the day on which it ended. Usage stays when its campaign is removed."};
  return process::run(program, argc, argv, gridusage::gridusage);
}
