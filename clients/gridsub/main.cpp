#include "clients/api_client.hpp"
#include "clients/gridsub/gridsub.hpp"
#include "clients/gridsub/jdl_page.hpp"
#include "lib/process/run.hpp"

int main(int argc, char** argv) {
  using namespace gleaner;
  const process::Program program{
      .name = "gridsub",
      .purpose = "Submits a campaign: prints CAMPAIGN_ID=<n>. Errors in its file are reported at once, and nothing is sent.",
      .keys = clients::styled_keys(),
      .options =
          {{"file,f", "FILE", "the campaign file (JDL), JSON or classic; - is standard input"},
           {"json,j", "JSON", "the JDL itself"},
           {"type,t", "default|test", "test: one task on each cluster, before all others"},
           {"nb-jobs,n", "N", "N tasks with the parameters 0 to N-1"},
           {"param-file,p", "FILE", "the parameters, one a line; - is standard input"},
           {"campaign,c", "ID", "append tasks to this campaign: parameters by -F, -J, -p, -n, or on standard input"},
           {"jobfile,F", "FILE", "-c: the parameters, a JSON array; - is standard input"},
           {"jsonjob,J", "JSON", "-c: the parameters themselves, a JSON array"},
           {"edit", "ID", "change keys of its JDL: walltime=2:0:0 clusters.alpha.max_jobs=50 clusters.beta=off"},
           {"strict", "", "refuse what is doubtful in a campaign file: unknown keys and clusters, keys without effect"},
           {"dry-run", "", "check everything, submit nothing; with --hold, --resume, --retry or --fix: only say what they would do"},
           {"local", "N", "run task N here, as its job on a cluster would, and submit nothing; its exit status is that of the task"},
           {"cluster", "NAME", "--local: as on this cluster; without it, on the first one of the campaign file"},
           {"what-if", "",
            "forecast when the grid's campaigns, and this one if one is given, start and end; submit nothing; with KEY=VALUE, such as clusters_off=beta, who gains and who pays"},
           {"budget", "TIME", "--what-if, --dry-run: the time for the forecast, such as 1m (10s); it says what it did not come to"},
           {"wait,w", "", "wait for the end: exit status 0 when all tasks are done, 1 when some are not"},
           {"quiet,q", "", "print the id alone"},
           {"details,d", "", "print the campaign, or the answer, as JSON"},
           {"hold", "ID", "pause a campaign: nothing more is submitted, its jobs continue"},
           {"resume", "ID", "resume it, and lift its brakes"},
           {"retry", "ID", "run its failed tasks again; with KEY=VALUE as for --edit, with that change: --retry 12 walltime=2:0:0"},
           {"rerun-failed", "ID", "-f: a new campaign of the failed tasks alone, with their parameters"},
           {"task", "LIST",
            "--retry: only those of these tasks that failed: 7,9-12; --hold, --resume: hold these waiting tasks, or release them"},
           {"failure", "GROUP", "--retry: run the tasks of this group of failures again: gridstat ID --failures lists them"},
           {"sink", "SINK", "--retry: run those again that a sink swallowed, a cluster or the id of an event SINK"},
           {"fix", "ID", "close its events, lift its brakes, and run failed prologues and epilogues again"}},
      .positional = "[ID...|KEY=VALUE...]",
      .interruption = process::Interruption::ends_program,
      .notes =
          "Without parameters in the JDL nor by an option, they are read from standard input, unless it is a terminal.\n"
          "--hold, --resume, --retry and --fix take several ids: 3,4 or 3 4.\n"
          "--local has other exit statuses: that of the task, 128 + n after the signal n, 124 after its walltime.",
      .pages = {{"jdl", gridsub::jdl_page}}};
  return process::run(program, argc, argv, gridsub::gridsub);
}
