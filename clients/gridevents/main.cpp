#include "clients/api_client.hpp"
#include "clients/gridevents/gridevents.hpp"
#include "lib/process/run.hpp"

int main(int argc, char** argv) {
  using namespace gleaner;
  const process::Program program{
      .name = "gridevents",
      .purpose =
          "Shows what went wrong: the open events of my campaigns, or of the ones that are named. Closes them, and lifts their brakes.",
      .keys = clients::styled_keys(),
      .options = {{"campaign,c", "ID", "the events of this campaign (as ID alone), and of its clusters; 3,4 are two"},
                  {"event,e", "EVENT", "this event"},
                  {"global,g", "", "the events of the grid: those of no campaign"},
                  {"all,a", "", "closed ones too"},
                  {"fix,f", "", "close them, and lift their brakes"},
                  {"resubmit,r", "", "--fix: run the failed tasks again, each once"},
                  {"blacklist-cluster", "CLUSTER", "send it nothing for a while, or with -c nothing of these campaigns"},
                  {"reason", "TEXT", "--blacklist-cluster, --mark-job-event: why, for those who find the event"},
                  {"for", "DURATION", "--blacklist-cluster: how long, such as 12h (30d); until the event is closed at most"},
                  {"mark-job-event", "JOB", "open an event about this job, for its user to see (administrators)"},
                  {"verbose,v", "", "--fix: say what was done, which is only left out with the style cigri"},
                  {"json", "", "print JSON"},
                  {"csv", "", "print CSV"},
                  {"quiet,q", "", "print ids alone"},
                  {"headerless,H", "", "--csv: leave out the head"}},
      .positional = "[ID...]",
      .interruption = process::Interruption::ends_program,
      .notes = "Without an event it prints 'No events!'."};
  return process::run(program, argc, argv, gridevents::gridevents);
}
