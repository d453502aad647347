#pragma once
#include <array>
#include <string_view>

namespace gleaner::tests {

/// A campaign as people publish them: its keys without the clusters' braces, and which scripts it has. The commands are written anew, so
/// that they run anywhere; @TRACE@ is a file to which each script and each task adds a line.
struct PublicShape {
  std::string_view name;
  std::string_view jdl;
  int prologues = 0;  ///< clusters with one
  int epilogues = 0;
};

inline constexpr std::array kPublicShapes{
    PublicShape{"FetchesItsProgramAndStopsAtTheFirstError", R"j({
  "name": "povray_test", "resources": "/core=1", "exec_file": "{HOME}/pov-{CAMPAIGN_ID}/start.bash", "exec_directory": "{HOME}",
  "params": ["0 a", "1 b"], "test_mode": "false", "type": "best-effort",
  "prologue": ["set -e", "cd {HOME}", "mkdir -p pov-{CAMPAIGN_ID}", "printf '#!/bin/bash\\necho task >> @TRACE@\\n' > pov-{CAMPAIGN_ID}/start.bash",
               "chmod u+x {HOME}/pov-{CAMPAIGN_ID}/start.bash", "echo prologue >> @TRACE@"],
  "clusters": {"alpha": {"walltime": "00:15:00"}, "beta": {"walltime": "00:20:00"}}})j",
                2, 0},
    PublicShape{"CleansUpAfterItself", R"j({
  "name": "clean", "nb_jobs": 3, "exec_file": "bash -c 'ls $HOME/data-$CIGRI_CAMPAIGN_ID/input > /dev/null && echo task >> @TRACE@'",
  "prologue": ["mkdir -p ~/data-{CAMPAIGN_ID}", "touch ~/data-{CAMPAIGN_ID}/input", "echo prologue >> @TRACE@"],
  "epilogue": ["cd {HOME}", "rm -rf data-{CAMPAIGN_ID}", "[ ! -e \"~/data-{CAMPAIGN_ID}\" ] && echo epilogue >> @TRACE@"],
  "clusters": {"alpha": {}}})j",
                1, 1},
    PublicShape{"SaysWalltimesOfItsScripts", R"j({
  "name": "walltimes", "nb_jobs": 2, "exec_file": "bash -c 'echo task >> @TRACE@'", "walltime": "01:00:00",
  "prologue": ["echo prologue >> @TRACE@"], "prologue_walltime": "00:10:00",
  "epilogue": ["echo epilogue >> @TRACE@"], "epilogue_walltime": "0:5:0",
  "clusters": {"alpha": {}, "beta": {}}})j",
                2, 2},
    PublicShape{"HasOtherCommandsOnEachCluster", R"j({
  "name": "environments", "nb_jobs": 4, "exec_file": "bash -c '. $HOME/env-$CIGRI_CAMPAIGN_ID.sh; [ \"$TOOL\" ] && echo task >> @TRACE@'",
  "clusters": {
    "alpha": {"prologue": ["echo 'export TOOL=guix' > {HOME}/env-{CAMPAIGN_ID}.sh", "echo prologue >> @TRACE@"]},
    "beta": {"prologue": ["echo 'export TOOL=conda' > {HOME}/env-{CAMPAIGN_ID}.sh", "echo prologue >> @TRACE@"]}}})j",
                2, 0},
    PublicShape{"HasAScriptOfSeveralLinesInOneCommand", R"j({
  "name": "lines", "params": ["x", "y"], "exec_file": "bash -c 'echo task >> @TRACE@' task",
  "prologue": ["for part in 1 2 3; do\n  mkdir -p \"{HOME}/lines-{CAMPAIGN_ID}/$part\"\ndone # three", "if [ -d ~/lines-{CAMPAIGN_ID}/3 ]", "then",
               "  echo prologue >> @TRACE@", "fi"],
  "clusters": {"alpha": {}}})j",
                1, 0},
    PublicShape{"KeepsTheOutputsOfItsJobsApart", R"j({
  "name": "apart", "nb_jobs": 2, "exec_file": "bash -c 'echo task >> @TRACE@'", "temporal_grouping": "false", "dimensional_grouping": "false",
  "checkpointing_type": "None", "prologue": [],
  "epilogue": ["rm -f OAR.cigri.{CAMPAIGN_ID}.nothing.*", "echo {OAR_JOB_ID} > /dev/null", "echo epilogue >> @TRACE@"],
  "clusters": {"beta": {"priority": "10"}}})j",
                0, 1},
    PublicShape{"HasNoScript", R"j({
  "name": "plain", "nb_jobs": 3, "exec_file": "bash -c 'echo task >> @TRACE@'", "resources": "/core=1", "walltime": "0:30:0",
  "clusters": {"alpha": {"project": "demo"}, "beta": {"project": "demo"}}})j",
                0, 0},
    PublicShape{"IsATestOfNormalJobs", R"j({
  "name": "normal", "nb_jobs": 2, "exec_file": "bash -c 'echo task >> @TRACE@'", "jobs_type": "normal", "prologue": null, "epilogue": "",
  "clusters": {"alpha": {"type": "best-effort", "properties": ""}}})j",
                0, 0},
};

}  // namespace gleaner::tests
