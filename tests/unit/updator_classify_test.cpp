#include <gtest/gtest.h>

#include "updator/classify.hpp"

namespace gleaner::updator {
namespace {

using grid::JobEnd;
using grid::Record;

oar::RemoteJob exited(std::optional<int> wait_status) {
  oar::RemoteJob job;
  job.state = oar::RemoteState::terminated;
  job.exit_status = wait_status;
  return job;
}

std::vector<oar::RemoteEvent> events(std::initializer_list<const char*> types) {
  std::vector<oar::RemoteEvent> list;
  for (const auto* type : types) list.push_back({.type = type, .description = {}});
  return list;
}

TEST(Records, OfAJobInError_NameTheFirstCauseAmongOarsEvents) {
  EXPECT_EQ(record_of(events({"BESTEFFORT_KILL", "FRAG_JOB_REQUEST"})), Record::preempted);
  EXPECT_EQ(record_of(events({"FRAG_JOB_REQUEST", "BESTEFFORT_KILL"})), Record::preempted);
  EXPECT_EQ(record_of(events({"WALLTIME", "SWITCH_INTO_ERROR_STATE"})), Record::walltime);
  EXPECT_EQ(record_of(events({"WORKING_DIRECTORY"})), Record::bad_request);
  EXPECT_EQ(record_of(events({"OUTPUT_FILES"})), Record::bad_request);
  EXPECT_EQ(record_of(events({"FRAG_JOB_REQUEST"})), Record::deleted);
  EXPECT_EQ(record_of(events({"CPUSET_ERROR"})), Record::failed);
  EXPECT_EQ(record_of(events({})), Record::failed);
  EXPECT_TRUE(gave_up_launch(events({"SWITCH_INTO_ERROR_STATE", "LAUNCHING_OAREXEC_TIMEOUT"})));
  EXPECT_FALSE(gave_up_launch(events({"CPUSET_ERROR"})));
}

TEST(Records, ShowWhenOarLastSignalledAJobForACheckpoint) {
  EXPECT_FALSE(checkpoint_of(events({"SIGNAL_10", "SIG_SUCCESS", "BESTEFFORT_KILL"}))) << "nikita's signal, or somebody else's";
  EXPECT_FALSE(checkpoint_of(events({"CHECKPOINT", "CHECKPOINT_ERROR"}))) << "the job's node did not answer";
  auto two =
      events({"CHECKPOINT", "CHECKPOINT_SUCCESSFULL", "CHECKPOINT", "CHECKPOINT_SUCCESSFULL", "CHECKPOINT_TIMEOUT", "BESTEFFORT_KILL"});
  two[1].date = grid::from_unix(1000);
  two[3].date = grid::from_unix(1003);
  EXPECT_EQ(checkpoint_of(two), grid::from_unix(1003));
}

TEST(Records, OfATerminatedJob_HaveItsStatusAsAShellSaysIt_AndWithoutOneNone) {
  EXPECT_EQ(remote_end(exited(0), nullptr)->status, 0);
  EXPECT_EQ(remote_end(exited(3 << 8), nullptr)->status, 3);
  EXPECT_EQ(remote_end(exited(9), nullptr)->status, 137);
  EXPECT_EQ(remote_end(exited(std::nullopt), nullptr)->record, Record::exited_silently);
}

TEST(Records, OfAJobInError_NeedItsDetails) {
  oar::RemoteJob job;
  job.state = oar::RemoteState::error;
  job.started = grid::from_unix(5);
  EXPECT_FALSE(remote_end(job, nullptr));
  const oar::JobDetails details{.job = job,
                                .events = events({"WALLTIME"}),
                                .resubmitted_as = {},
                                .resubmit_of = {},
                                .types = {},
                                .directory = {},
                                .stdout_file = {},
                                .stderr_file = {},
                                .hosts = {}};
  EXPECT_EQ(remote_end(job, &details)->record, Record::walltime);
  EXPECT_TRUE(remote_end(job, &details)->started);
}

grid::RemoteEnd over(Record record) { return {.record = record, .started = true}; }

TEST(Words, SayWhatHappened_AndWhatToDo) {
  EXPECT_EQ(describe_end({.end = JobEnd::done, .record = {.record = Record::exited, .status = 0}}), "");
  EXPECT_EQ(describe_end({.end = JobEnd::task_error, .record = {.record = Record::exited, .status = 3}}), "exit status 3");
  EXPECT_EQ(describe_end({.end = JobEnd::task_error, .record = {.record = Record::exited, .status = 139}}),
            "exit status 139: killed by signal 11");
  EXPECT_EQ(describe_end({.end = JobEnd::task_error, .record = {.record = Record::exited, .status = 255}}), "exit status 255");
  EXPECT_EQ(describe_end({.end = JobEnd::duplicate,
                          .record = over(Record::exited),
                          .evidence = {.witness = grid::Witness::duplicate, .holder = grid::JobId{5}}}),
            "its attempt is claimed by job 5: it ran nothing");
  EXPECT_EQ(describe_end({.end = JobEnd::walltime,
                          .record = over(Record::walltime),
                          .evidence = {.witness = grid::Witness::started},
                          .walltime = grid::Seconds{600}}),
            "killed by its walltime of 0:10:00: ask for a longer one, or give max_walltime, up to which it may grow");
}

TEST(Words, GiveNoAdviceAboutWalltimes_ToAJobThatNeverBegan) {
  EXPECT_EQ(describe_end({.end = JobEnd::never_began,
                          .record = over(Record::walltime),
                          .evidence = {.witness = grid::Witness::nothing},
                          .walltime = grid::Seconds{600}}),
            "it had resources, and the cluster never began it");
}

TEST(Words, SayWhoseWordItIs_WhenTheRecordSaysOtherwise_OrNobodyCouldLook) {
  EXPECT_EQ(describe_end({.end = JobEnd::done, .record = over(Record::preempted), .evidence = {.witness = grid::Witness::ended}}),
            "exit status 0 (as the job noted; its cluster recorded a preemption)");
  EXPECT_EQ(describe_end(
                {.end = JobEnd::task_error, .record = over(Record::forgotten), .evidence = {.witness = grid::Witness::ended, .status = 3}}),
            "exit status 3 (as the job noted; its cluster recorded nothing)");
  EXPECT_EQ(describe_end({.end = JobEnd::preempted, .record = over(Record::preempted), .evidence = {.witness = grid::Witness::unreadable}}),
            "preempted (by the cluster's record alone: the files of the job could not be read)");
}

}  // namespace
}  // namespace gleaner::updator
