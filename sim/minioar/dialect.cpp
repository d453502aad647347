#include "sim/minioar/dialect.hpp"

#include <array>

namespace gleaner::minioar {

namespace {

constexpr std::array kFaults25{4, 5, 6, 7, 8, 10, 16, 17};
constexpr std::array kFaults26{4, 5, 6, 7, 8, 10, 16, 17, 18, 254};

constexpr Dialect kOar25{
    .version = "2.5.9 (Canicule)",
    .folder = FolderIs::option,
    .refusal = RefusalIs::framed,
    .user_faults = kFaults25,
    .unrecognized = 255,
    .remark = "",
    .unrecognized_description = "/!\\ Cannot recognize the resource description : {text}\n",
    .unrecognized_part = "/!\\ Cannot recognize -- ,{text} -- resource\n",
    .no_queue = "ERROR : The queue {queue} does not exist\n",
    .no_sub_jobs = "[ERROR] An array job must have a positive number of sub-jobs.\n",
    .wrong_date = "[ERROR] Syntax error for the reservation date specification: {date}\n",
    .wrong_file = "/!\\ Invalid {file} file name (bad character)\n",
    .not_submitted = "OAR_JOB_ID=-5\n[ERROR] Oarsub failed, please verify your request syntax.\n",
    .array_begins = "Simple array job submission is used\n",
    .reservation_waits = "Reservation mode: waiting validation...\n",
    .server_is_dead = "[ERROR] Cannot connect to executor {host}:{port}. Job is killed.\n",
    .resubmitted = "Resubmitting job {job}...DONE\n",
    .cannot = "/!\\ Cannot {verb} {job} : {reason}\n",
    .over_walltime = "[sarko] Job [{job}] from {start} with {walltime}; current time={now} (Elapsed)",
    .kill_sent = "[Leon] Send the kill signal to oarexec on {node} for job {job}",
    .exterminated = "[Leon] I exterminate the job {job}",
    .nodes_suspected = "[bipbip] OAR suspects nodes for the job {job} : {node}",
    .resubmitted_for_node =
        "[NodeChangeState] Resubmiting job {job} => {again}) (due to event {type} & job is neither a reservation nor an "
        "interactive job)\n",
    .resubmitted_for_code = "Resubmiting job {job} => {again} (type idempotent & exit code = 99 & duration > 60s)",
    .oarexec_failed =
        "[bipbip {job}] error of oarexec, exit value = {value}; the job {job} is in Error and the node {node} is Suspected; If "
        "this job is of type cosystem or deploy, check if the oar server is able to connect to the corresponding nodes, "
        "oar-node started",
};

constexpr Dialect kOar26{
    .version = "2.6.1 (Liberty hope)",
    .folder = FolderIs::where_oarsub_starts,
    .refusal = RefusalIs::as_printed,
    .user_faults = kFaults26,
    .unrecognized = 18,
    .remark = "# ",
    .unrecognized_description = "# Error: cannot recognize the resource description: {text}\n",
    .unrecognized_part = "# Error: cannot recognize -- ,{text} -- resource\n",
    .no_queue = "# Error: queue '{queue}' does not exist\n",
    .no_sub_jobs = "# Error: an array job must have a positive number of sub-jobs.\n",
    .wrong_date =
        "# Error: syntax error in <start date> for the -r or --reservation option. It takes a date as argument with the format: "
        "\"YYYY-MM-DD hh:mm:ss\".\n",
    .wrong_file = "# Error: invalid {file} file name (bad character)\n",
    .not_submitted = "# Error: please verify your job submission syntax.\n",
    .array_begins = "",
    .reservation_waits = "# Advance reservation request: waiting for validation...\n",
    .server_is_dead = "# Error: cannot connect to executor {host}:{port}. Job is killed.\n",
    .resubmitted = "",
    .cannot = "/!\\ Cannot {verb} {job}: {reason}\n",
    .over_walltime = "Job [{job}] reached its walltime (start: {start} + walltime:{walltime} > current time: {now})",
    .kill_sent = "[Leon] Send the kill TERM signal to oarexec on {node} for job {job}",
    .exterminated = "[Leon] Exterminate job {job}",
    .nodes_suspected = "[bipbip] OAR suspects nodes for the job {job}: {node}",
    .resubmitted_for_node = "[NodeChangeState] Resubmiting job {job} => {again}) (due to event {type})\n",
    .resubmitted_for_code = "[NodeChangeState] Resubmiting job {job} => {again} (type idempotent & exit code = 99 & duration > 60s)",
    .oarexec_failed = "[bipbip {job}] error of oarexec, exit value = {value}; the job {job} is in Error",
};

}  // namespace

const Dialect& oar_2_5() { return kOar25; }

const Dialect* dialect_of(std::string_view version) {
  if (version == "2.5") return &kOar25;
  if (version == "2.6") return &kOar26;
  return nullptr;
}

}  // namespace gleaner::minioar
