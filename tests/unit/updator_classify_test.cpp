#include <fmt/format.h>
#include <gmock/gmock.h>
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

TEST(Records, OfATerminatedJob_HaveItsStatusAsAShellStatesIt_AndWithoutOneNone) {
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
  EXPECT_EQ(describe_end({.end = JobEnd::never_began,
                          .record = {.record = Record::exited, .status = 0},
                          .evidence = {.witness = grid::Witness::nothing},
                          .login = "alice"}),
            "OAR recorded exit status 0, but the command never began: a shell of alice on the cluster ended before it. See the login shell "
            "and its start files there (~/.bashrc, ~/.profile): an `exit` in them ends every job");
  EXPECT_EQ(describe_end({.end = JobEnd::never_began,
                          .record = {.record = Record::exited, .status = 3},
                          .evidence = {.witness = grid::Witness::unreadable}}),
            "OAR recorded exit status 3, which proves nothing: the job's files in ~/.gleaner of its user on the cluster could not be read. "
            "Its task keeps its attempt, which runs only if no job has claimed it (does OAR's API show that folder?)");
  EXPECT_THAT(
      describe_end({.end = JobEnd::never_began,
                    .record = {.record = Record::exited, .status = 0},
                    .evidence = {.witness = grid::Witness::unreadable},
                    .login = "ada",
                    .without_identity = true}),
      ::testing::HasSubstr("~/.gleaner of ada on the cluster could not be read, as the cluster takes no token of that user (gridtoken "
                           "add). Its task keeps its attempt"));
  EXPECT_EQ(
      describe_end({.end = JobEnd::never_began, .record = over(Record::walltime), .evidence = {.witness = grid::Witness::unreadable}}),
      "OAR recorded an end by its walltime, which proves nothing: the job's files in ~/.gleaner of its user on the cluster could not be "
      "read. Its task keeps its attempt, which runs only if no job has claimed it (does OAR's API show that folder?)");
  EXPECT_EQ(describe_end({.end = JobEnd::task_error,
                          .record = {.record = Record::exited, .status = 0},
                          .evidence = {.witness = grid::Witness::ended, .status = 3}}),
            "exit status 3 (as the job noted; its cluster recorded another exit status)");
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
  EXPECT_EQ(describe_end({.end = JobEnd::walltime,
                          .record = over(Record::walltime),
                          .evidence = {.witness = grid::Witness::started},
                          .walltime = grid::Seconds{600},
                          .settlement = {.kept = true}}),
            "stopped by its walltime of 0:10:00: it goes on from its checkpoint there");
}

oar::RemoteEvent an_event(std::string type, std::string description) {
  return {.type = std::move(type), .description = std::move(description)};
}

TEST(OarsWords, AreTheCausesOfAnError_AndNotWhatSomebodyAskedForOrWhatFollowed) {
  EXPECT_EQ(words_of(std::vector{an_event("EXIT_VALUE_OAREXEC", "[bipbip 73] error of oarexec, exit value = 2550; the job 73 is in Error"),
                                 an_event("SWITCH_INTO_ERROR_STATE", "[bipbip 73] Ask to change the job state")}),
            R"("[bipbip 73] error of oarexec, exit value = 2550; the job 73 is in Error" (EXIT_VALUE_OAREXEC))");
  EXPECT_EQ(words_of(std::vector{an_event("WALLTIME", "Job [7] reached its walltime"),
                                 an_event("FRAG_JOB_REQUEST", "User oar requested to frag the job 7"),
                                 an_event("SEND_KILL_JOB", "[Leon] Send the kill TERM signal to oarexec on n1 for job 7"),
                                 an_event("EXTERMINATE_JOB", "[Leon] Exterminate job 7"), an_event("CHECKPOINT_SUCCESSFULL", "on n1"),
                                 an_event("RESUBMIT_JOB_AUTOMATICALLY", "[NodeChangeState] Resubmiting job 82 => 83)")}),
            "");
  EXPECT_EQ(words_of(std::vector{an_event("CPUSET_ERROR", "[bipbip] OAR suspects nodes for the job 82: n1 \n")}),
            R"("[bipbip] OAR suspects nodes for the job 82: n1" (CPUSET_ERROR))");
  for (const auto* type : {"PROLOGUE_ERROR", "SERVER_PROLOGUE_TIMEOUT", "LAUNCHING_OAREXEC_TIMEOUT", "USER_SHELL", "OF_A_LATER_OAR"})
    EXPECT_EQ(words_of(std::vector{an_event(type, {})}), type) << "without a text, the type is all there is";
}

TEST(OarsWords, AreFewAndShort_HoweverMuchOarHas) {
  std::vector<oar::RemoteEvent> many;
  for (int i = 0; i < 100; ++i) many.push_back(an_event("CPUSET_ERROR", fmt::format("{} {}", i / 50, std::string(4000, 'x'))));
  const auto words = words_of(many);
  EXPECT_LT(words.size(), 700U) << "two different ones";
  EXPECT_THAT(words, ::testing::HasSubstr(R"(x..." (CPUSET_ERROR), "1 x)"));
  for (auto& event : many) event.type += std::to_string(&event - many.data());
  EXPECT_LT(words_of(many).size(), 1000U) << "three";
}

TEST(Words, OfOar_FollowWhatTheClusterCouldNotRun_AndNothingElse) {
  const auto said = [](JobEnd end, Record record) {
    return describe_end({.end = end, .record = over(record), .evidence = {.witness = grid::Witness::nothing}, .cluster_words = "W"});
  };
  EXPECT_EQ(said(JobEnd::never_began, Record::failed),
            "it had resources, and the cluster never began it; OAR's reason, for the cluster's administrators: W");
  EXPECT_EQ(said(JobEnd::node_failure, Record::failed),
            "the cluster could not run it to its end; OAR's reason, for the cluster's administrators: W");
  EXPECT_EQ(said(JobEnd::bad_request, Record::bad_request),
            "the cluster could not begin it in its user's home, or make its files there: is there a home on the nodes, with room? OAR's "
            "reason: W");
  for (const auto end : {JobEnd::task_error, JobEnd::preempted, JobEnd::walltime, JobEnd::killed_by_us, JobEnd::cannot_start})
    EXPECT_THAT(said(end, Record::failed), ::testing::Not(::testing::HasSubstr("OAR"))) << grid::name_of(end);
}

TEST(Words, NameTheFolderThatCannotBeUsed_AndTheHomeOtherwise) {
  EXPECT_EQ(
      describe_end({.end = JobEnd::bad_request,
                    .record = {.record = Record::exited, .status = 113, .started = true},
                    .evidence = {.witness = grid::Witness::ended, .status = 113, .no_folder = true},
                    .exec_directory = "/scratch/$USER/run"}),
      "its exec_directory /scratch/$USER/run cannot be used, and nothing was run: does it exist there, and may its user write to it?");
  EXPECT_EQ(describe_end({.end = JobEnd::bad_request,
                          .record = over(Record::bad_request),
                          .evidence = {.witness = grid::Witness::nothing},
                          .exec_directory = "/scratch"}),
            "the cluster could not begin it in its user's home, or make its files there: is there a home on the nodes, with room?");
}

TEST(Words, GiveNoAdviceAboutWalltimes_ToAJobThatNeverBegan) {
  EXPECT_EQ(describe_end({.end = JobEnd::never_began,
                          .record = over(Record::walltime),
                          .evidence = {.witness = grid::Witness::nothing},
                          .walltime = grid::Seconds{600}}),
            "it had resources, and the cluster never began it");
}

TEST(Words, NameTheirSource_WhenTheRecordDiffers_OrNobodyCouldRead) {
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
