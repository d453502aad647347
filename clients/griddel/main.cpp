#include "clients/api_client.hpp"
#include "clients/griddel/griddel.hpp"
#include "lib/process/run.hpp"

int main(int argc, char** argv) {
  using namespace gleaner;
  const process::Program program{
      .name = "griddel",
      .purpose = "Cancels campaigns, or some tasks of one: waiting tasks at once, jobs are killed. Or pauses, resumes or purges campaigns.",
      .keys = clients::styled_keys(),
      .options = {{"campaign-ids,c", "ID", "this campaign (as ID alone); 3,4 are two"},
                  {"task", "LIST", "only these tasks of the campaign: 7,9-12, 100-*; with --pause, hold them; with --resume, release them"},
                  {"job,j", "JOB", "cancel the task of this job, and kill the job; 31,40 are two"},
                  {"pause,p", "", "pause them instead: nothing more is submitted, their jobs continue"},
                  {"resume,r", "", "resume them instead, and lift their brakes"},
                  {"dry-run", "", "only say what it would do: which jobs are killed, how many tasks are cancelled, held or released"},
                  {"purge", "", "delete them from the grid's database, with their tasks and events: for campaigns that have ended"},
                  {"verbose,v", "", "say what was done, which is only left out with the style cigri"},
                  {"json", "", "print JSON"},
                  {"csv", "", "print CSV"},
                  {"quiet,q", "", "print the ids alone of those that it was done to"}},
      .positional = "[ID...]",
      .interruption = process::Interruption::ends_program,
      .notes = "Several ids: griddel 3 4, or griddel 3,4. One that is refused does not stop the others."};
  return process::run(program, argc, argv, griddel::griddel);
}
