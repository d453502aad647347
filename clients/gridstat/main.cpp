#include "clients/api_client.hpp"
#include "clients/gridstat/gridstat.hpp"
#include "lib/process/run.hpp"

int main(int argc, char** argv) {
  using namespace gleaner;
  const process::Program program{
      .name = "gridstat",
      .purpose = "Shows campaigns: those in treatment and paused, or the ones that are named.",
      .keys = clients::styled_keys(),
      .options = {{"campaign,c", "ID", "this campaign (as ID alone); 3,4 are two, with a line for each"},
                  {"full,f", "", "with its tasks, and more of its clusters; of several, the page of each"},
                  {"summary,s", "RANGE", "a line for each of these, in any state: 3, 3-7, 3-*, *-7"},
                  {"user,u", "USER", "only this user's; without a name, mine", ""},
                  {"username", "USER", "the same"},
                  {"all,a", "", "campaigns that have ended too"},
                  {"by-user", "", "a line for each user, with the sums of their campaigns"},
                  {"tree", "", "the list as a tree: each campaign below the one that it comes after"},
                  {"why", "", "why each cluster runs its jobs, or does not"},
                  {"ratio", "", "with --why: how the ratio of jobs to free resources came to be, on each cluster"},
                  {"history", "", "the forecasts of its end, when they were made, and how they came out"},
                  {"strip", "", "the states of all its tasks, a character a task, or a block of them"},
                  {"report", "FILE", "write a page of HTML about it: progress, durations, failures, forecasts; -: print it"},
                  {"events,e", "", "its open events"},
                  {"closed", "", "with --events: closed ones too"},
                  {"web", "", "print a link to the page of the grid for a browser, which signs you in once"},
                  {"jdl,J", "", "its JDL, as it was understood"},
                  {"job,j", "JOB", "one job"},
                  {"cinfos,C", "", "--job: the job as its cluster's OAR describes it now"},
                  {"task", "LIST", "these of its tasks, with all their attempts: 7,9-12"},
                  {"stdout,O", "", "--task, --job: the last lines of stdout"},
                  {"stderr,E", "", "--task, --job: the last lines of stderr"},
                  {"lines", "N", "--stdout, --stderr: so many lines (20)"},
                  {"attempt", "N", "--stdout, --stderr: those of this attempt"},
                  {"follow", "",
                   "--stdout, --stderr: what is written from now on too, until the task is over: exit status 0 when it is done"},
                  {"state", "STATE",
                   "its tasks in this state only: waiting, running, done, failed ...; several with commas; held: those that a user holds"},
                  {"params", "", "the parameters of its tasks, one a line, as gridsub -p takes them; with --state only of those"},
                  {"offset,o", "N", "leave out the first N tasks or campaigns"},
                  {"limit", "N", "at most N of them (1000)"},
                  {"watch,w", "DURATION",
                   "again and again, until the campaign has ended: exit status 0 when all tasks are done, 1 when some are not", "2s"},
                  {"json", "", "print JSON"},
                  {"dump,d", "", "the same"},
                  {"pretty,p", "", "print JSON, indented"},
                  {"csv", "", "print CSV: the campaigns, or the tasks of one"},
                  {"quiet,q", "", "print ids alone; with --state the numbers of the tasks"},
                  {"headerless,H", "", "leave out the head of a table"}},
      .positional = "[ID...]",
      .interruption = process::Interruption::ends_program,
      .notes = "Waiting: tasks in the bag, or in a cluster's queue. ToFix: failed tasks; e: an event is open (gridstat ID -e)."};
  return process::run(program, argc, argv, gridstat::gridstat);
}
