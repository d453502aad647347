#include <gtest/gtest.h>

#include "updator/classify.hpp"

namespace gleaner::updator {
namespace {

using grid::JobEnd;
using store::BagPlace;
using store::Outcome;

oar::RemoteJob exited(int wait_status) {
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

TEST(Classify, ATerminatedJob_IsJudgedByItsExitStatusAlone) {
  EXPECT_EQ(classify_terminated(exited(0)), JobEnd::done);
  EXPECT_EQ(classify_terminated(exited(3 << 8)), JobEnd::task_error);
  EXPECT_EQ(classify_terminated(exited(9)), JobEnd::task_error);
  EXPECT_EQ(classify_terminated(exited(66 << 8)), JobEnd::rerun_first);
  EXPECT_EQ(classify_terminated(exited(67 << 8)), JobEnd::rerun_last);
}

TEST(Classify, AJobInError_IsJudgedByTheFirstCauseAmongOarsEvents) {
  EXPECT_EQ(classify_error(events({"BESTEFFORT_KILL", "FRAG_JOB_REQUEST"}), Deletion::none), JobEnd::preempted);
  EXPECT_EQ(classify_error(events({"WALLTIME", "SWITCH_INTO_ERROR_STATE"}), Deletion::none), JobEnd::walltime);
  EXPECT_EQ(classify_error(events({"WORKING_DIRECTORY"}), Deletion::none), JobEnd::bad_request);
  EXPECT_EQ(classify_error(events({"FRAG_JOB_REQUEST"}), Deletion::ours), JobEnd::killed_by_us);
  EXPECT_EQ(classify_error(events({"FRAG_JOB_REQUEST"}), Deletion::none), JobEnd::killed_elsewhere);
  EXPECT_EQ(classify_error(events({"CPUSET_ERROR"}), Deletion::none), JobEnd::node_failure);
  EXPECT_EQ(classify_error(events({}), Deletion::none), JobEnd::node_failure);
}

TEST(Classify, APreemptionThatWeAlsoWantedToKill_IsStillAPreemption) {
  EXPECT_EQ(classify_error(events({"FRAG_JOB_REQUEST", "BESTEFFORT_KILL"}), Deletion::ours), JobEnd::preempted);
}

store::LiveJob job(int earlier, int charged) {
  store::LiveJob live;
  live.earlier = earlier;
  live.charged = charged;
  return live;
}

TEST(Consequence, WhatTheTaskPaysFor_IsRetriedUpToItsCharges) {
  EXPECT_EQ(consequence_of(JobEnd::task_error, Began::yes, job(0, 0), {.attempts = 50, .charged = 1}).outcome, Outcome::failed);
  EXPECT_EQ(consequence_of(JobEnd::task_error, Began::yes, job(0, 0), {.attempts = 50, .charged = 2}).outcome, Outcome::goes_back);
  EXPECT_EQ(consequence_of(JobEnd::walltime, Began::yes, job(1, 1), {.attempts = 50, .charged = 2}).outcome, Outcome::failed);
}

TEST(Consequence, WhatTheTaskDoesNotPayFor_IsRetriedUpToTheTotal) {
  for (const auto end : {JobEnd::preempted, JobEnd::node_failure, JobEnd::killed_by_us, JobEnd::killed_elsewhere, JobEnd::rerun_first}) {
    EXPECT_EQ(consequence_of(end, Began::yes, job(0, 0), {.attempts = 50, .charged = 1}).outcome, Outcome::goes_back) << grid::name_of(end);
    EXPECT_EQ(consequence_of(end, Began::yes, job(49, 0), {.attempts = 50, .charged = 1}).outcome, Outcome::failed) << grid::name_of(end);
  }
}

TEST(Consequence, AJobThatWeTookBackBeforeItBegan_CostsNoAttempt) {
  EXPECT_EQ(consequence_of(JobEnd::killed_by_us, Began::no, job(49, 0), {.attempts = 50, .charged = 1}).outcome, Outcome::goes_back);
  EXPECT_EQ(consequence_of(JobEnd::node_failure, Began::no, job(49, 0), {.attempts = 50, .charged = 1}).outcome, Outcome::failed)
      << "a cluster that starts nothing must not have the task for ever";
}

TEST(Consequence, Status66RunsAgainFirst_And67Last) {
  EXPECT_EQ(consequence_of(JobEnd::rerun_first, Began::yes, job(0, 0), {.attempts = 50, .charged = 1}).place, BagPlace::first);
  EXPECT_EQ(consequence_of(JobEnd::rerun_last, Began::yes, job(0, 0), {.attempts = 50, .charged = 1}).place, BagPlace::last);
  EXPECT_EQ(consequence_of(JobEnd::preempted, Began::yes, job(0, 0), {.attempts = 50, .charged = 1}).place, BagPlace::before_new);
}

}  // namespace
}  // namespace gleaner::updator
