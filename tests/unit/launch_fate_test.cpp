#include "lib/grid/launch_fate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

/// The fate of a launch: the rules, as tables.
namespace gleaner::grid {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
constexpr auto kWeek = std::chrono::hours{168};

TEST(LaunchFate, APlannedLaunchBegins_OnAUsableClusterForACampaignInTreatment) {
  EXPECT_EQ(to_begin({}), LaunchStep::go_on);
  EXPECT_EQ(to_begin({.cluster_usable = false}), LaunchStep::give_back);
  EXPECT_EQ(to_begin({.has_cancelled_task = true}), LaunchStep::give_back) << "the others are planned again";
  for (const auto state : {CampaignState::paused, CampaignState::cancelled, CampaignState::terminated})
    EXPECT_EQ(to_begin({.campaign = state}), LaunchStep::give_back) << name_of(state);
}

TEST(LaunchFate, ARunnerThatWasStoppedBeforeThePost_SendsNothingThatSomebodyElseMayHaveSettled) {
  struct Row {
    const char* what;
    Intent intent;
    LaunchStep step;
  };
  for (const auto& [what, intent, step] :
       std::vector<Row>{{"begun just now", {}, LaunchStep::go_on},
                        {"begun long ago, the runner was stopped", {.age = kSendPatience + 1us}, LaunchStep::give_back},
                        {"its campaign was cancelled meanwhile", {.campaign = CampaignState::cancelled}, LaunchStep::give_back},
                        {"its campaign was paused meanwhile", {.campaign = CampaignState::paused}, LaunchStep::give_back},
                        {"another almighty has the lease", {.own_term = false}, LaunchStep::leave},
                        {"another almighty has the lease, and it is old", {.own_term = false, .age = kWeek}, LaunchStep::leave},
                        {"another runner found it in the middle", {.state = LaunchState::unknown}, LaunchStep::leave},
                        {"and gave it up", {.state = LaunchState::void_, .age = kWeek}, LaunchStep::leave},
                        {"and found its jobs", {.state = LaunchState::accepted}, LaunchStep::leave}})
    EXPECT_EQ(to_send(intent), step) << what;
}

TEST(LaunchFate, TheAnswerToThePost) {
  EXPECT_EQ(after_post(PostAnswer::accepted), (AfterPost{.state = LaunchState::accepted}));
  EXPECT_EQ(after_post(PostAnswer::refused), (AfterPost{.state = LaunchState::refused, .gives_back = true, .brakes = true}));
  EXPECT_EQ(after_post(PostAnswer::not_sent), (AfterPost{.state = LaunchState::void_, .gives_back = true, .cluster_usable = false}));
  EXPECT_EQ(after_post(PostAnswer::lost), (AfterPost{.state = LaunchState::unknown, .cluster_usable = false}));
}

TaskFacts a_task(TaskState state = TaskState::launching, int attempt = 3) { return {.state = state, .attempt = attempt}; }
JobFacts a_job(int attempt = 3) { return {.attempt = attempt}; }
const Limits kLimits{.attempts = 50};

TEST(LaunchFate, ATaskOfALaunchThatWasNeverSent_IsFreeWithItsAttempt_UnlessAnEarlierOrphanMayCome) {
  const auto free = settle_unsubmitted(a_task(), a_job(), {.sent = Sent::never}, kLimits);
  EXPECT_EQ(free.state, TaskState::waiting);
  EXPECT_FALSE(free.bound);
  EXPECT_EQ(free.attempt, 3);
  auto orphaned = a_job();
  orphaned.orphan_may_come = true;
  EXPECT_TRUE(settle_unsubmitted(a_task(), orphaned, {.sent = Sent::never}, kLimits).bound);
  const auto tied = settle_unsubmitted(a_task(), a_job(), {.sent = Sent::never, .fenced = true}, kLimits);
  EXPECT_TRUE(tied.bound);
  EXPECT_EQ(tied.attempt, 3);
}

TEST(LaunchFate, ATaskOfAVoidLaunch_KeepsItsAttemptAndItsCluster_WhateverElseItsTaskIs) {
  for (const auto state : {TaskState::launching, TaskState::submitted, TaskState::running}) {
    const auto next = settle_unsubmitted(a_task(state), a_job(), {.sent = Sent::maybe}, kLimits);
    EXPECT_TRUE(next.moves) << name_of(state);
    EXPECT_EQ(next.state, TaskState::waiting);
    EXPECT_TRUE(next.bound);
    EXPECT_EQ(next.attempt, 3);
    EXPECT_FALSE(next.charged);
  }
}

TEST(LaunchFate, ATaskThatMayRunTwice_IsReleasedAtOnceWithANewAttempt) {
  auto task = a_task();
  task.replica = 5;
  const auto next = settle_unsubmitted(task, a_job(), {.sent = Sent::maybe, .replicas_allowed = true}, kLimits);
  EXPECT_FALSE(next.bound);
  EXPECT_EQ(next.attempt, 6);
  EXPECT_FALSE(next.counted);
}

TEST(LaunchFate, ATaskOfAVoidLaunch_WhoseClaimIsTaken_GetsANewAttempt) {
  auto job = a_job();
  job.claim_taken = true;
  const auto next = settle_unsubmitted(a_task(), job, {.sent = Sent::maybe}, kLimits);
  EXPECT_TRUE(next.moves);
  EXPECT_EQ(next.attempt, 4);
  EXPECT_FALSE(next.bound);
}

TEST(LaunchFate, ATaskThatAnotherJobCarries_Stays) {
  auto contended = a_job();
  contended.contender_lives = true;
  EXPECT_FALSE(settle_unsubmitted(a_task(TaskState::running), contended, {.sent = Sent::maybe}, kLimits).moves);
  EXPECT_FALSE(settle_unsubmitted(a_task(), a_job(2), {.sent = Sent::maybe}, kLimits).moves) << "of an earlier attempt";
  EXPECT_FALSE(settle_unsubmitted(a_task(TaskState::done), a_job(), {.sent = Sent::maybe}, kLimits).moves);
}

TEST(LaunchFate, WhoIsLookedFor) {
  struct Row {
    const char* what;
    Search search;
    bool looked_for;
  };
  for (const auto& [what, search, looked_for] : std::vector<Row>{
           {"unknown", {}, true},
           {"unknown, looked for just now", {.since_look = 0us}, true},
           {"void, given up just now", {.state = LaunchState::void_, .since_settled = 0us}, true},
           {"void, looked for just now", {.state = LaunchState::void_, .since_look = 1s, .since_settled = 5min}, false},
           {"void, looked for a while ago", {.state = LaunchState::void_, .since_look = kOrphanPeriod, .since_settled = 5min}, true},
           {"void for long", {.state = LaunchState::void_, .since_look = 5min, .since_settled = kOrphanWatch}, false},
           {"void, never sent", {.state = LaunchState::void_, .sent = false, .since_settled = 0us}, false},
           {"accepted", {.state = LaunchState::accepted, .since_settled = 0us}, false},
           {"refused", {.state = LaunchState::refused, .since_settled = 0us}, false}})
    EXPECT_EQ(to_look(search), looked_for) << what;
}

TEST(LaunchFate, WhatALookMakesOfIt) {
  constexpr LookPatience patience{.looks = 2, .delay = 15s};
  struct Row {
    const char* what;
    Looked looked;
    LaunchState fate;
  };
  for (const auto& [what, looked, fate] : std::vector<Row>{
           {"all found at once", {.missing = 0, .looks = 1, .healthy = 0us}, LaunchState::accepted},
           {"all found of a void one", {.state = LaunchState::void_, .missing = 0}, LaunchState::accepted},
           {"none found, first look", {.missing = 3, .looks = 1, .healthy = 1min}, LaunchState::unknown},
           {"none found, too early", {.missing = 3, .looks = 9, .healthy = 14s}, LaunchState::unknown},
           {"none found, often and long enough", {.missing = 3, .looks = 2, .healthy = 15s}, LaunchState::void_},
           {"a part found, the rest often and long enough not", {.missing = 1, .looks = 2, .healthy = 15s}, LaunchState::void_},
           {"the cluster does not answer", {.missing = 3, .looks = 9}, LaunchState::unknown},
           {"a part found of a void one", {.state = LaunchState::void_, .missing = 1, .looks = 9, .healthy = 1h}, LaunchState::void_}})
    EXPECT_EQ(fate_of(looked, patience), fate) << what;
}

const std::string kTag = launch_tag("grid", CampaignId{12}, LaunchId{7});
const SubmittedAs kLaunch{kTag, "ada"};

std::string command(int task, int job, const std::string& token = "grid") {
  return "bash -c x gleaner.12-" + token + " " + std::to_string(task) + " 0 " + std::to_string(job) + " 7 -";
}

FoundJob found(int task, int job, int remote, bool again = false) {
  return {JobId{job}, RemoteJobId{remote}, {CampaignId{12}, TaskNumber{task}, 0, JobId{job}}, again};
}

TEST(LaunchFate, ItsJobsAreFoundByOwnerNameAndCommand) {
  const std::vector<std::string> commands{command(1, 101), command(2, 102), "sleep 10", "bash -c x gleaner.13 3 0 103 7 -"};
  const auto other_tag = launch_tag("grid", CampaignId{12}, LaunchId{8});
  const std::vector<ListedJob> listed{{.id = RemoteJobId{5}, .as = {kTag, commands[0], "ada"}},
                                      {.id = RemoteJobId{6}, .as = {other_tag, commands[1], "ada"}},
                                      {.id = RemoteJobId{7}, .as = {kTag, commands[2], "ada"}},
                                      {.id = RemoteJobId{8}, .as = {kTag, commands[3], "ada"}},
                                      {.id = RemoteJobId{9}, .as = {kTag, commands[1], "mal"}}};
  EXPECT_THAT(found_of(listed, kLaunch, CampaignId{12}), ElementsAre(found(1, 101, 5)));
  EXPECT_THAT(found_of({}, kLaunch, CampaignId{12}), IsEmpty());
}

TEST(LaunchFate, AJobThatWasRenamed_IsFoundByItsCommand_AndThatOfAnotherGridIsNot) {
  const auto one = command(1, 101), of_another = command(2, 102, "other");
  EXPECT_THAT(found_of(std::vector<ListedJob>{{.id = RemoteJobId{5}, .as = {"by-a-rule", one, "ada"}},
                                              {.id = RemoteJobId{6}, .as = {"by-a-rule", of_another, "ada"}}},
                       kLaunch, CampaignId{12}),
              ElementsAre(found(1, 101, 5)));
}

TEST(LaunchFate, OfAJobThatOarRanAgain_TheOneThatIsNotOverCounts_ElseTheNewest) {
  const auto one = command(1, 101), two = command(2, 102);
  const std::vector<ListedJob> listed{{.id = RemoteJobId{5}, .as = {kTag, one, "ada"}, .over = true},
                                      {.id = RemoteJobId{6}, .as = {kTag, two, "ada"}, .over = true},
                                      {.id = RemoteJobId{8}, .as = {kTag, one, "ada"}, .over = true},
                                      {.id = RemoteJobId{7}, .as = {kTag, one, "ada"}, .over = false},
                                      {.id = RemoteJobId{9}, .as = {kTag, two, "ada"}, .over = true}};
  EXPECT_THAT(found_of(listed, kLaunch, CampaignId{12}), ElementsAre(found(1, 101, 7, true), found(2, 102, 9, true)));
}

TEST(LaunchFate, AVoidLaunchBrakesFromTheSecondInARowOn) {
  EXPECT_FALSE(void_brakes(1));
  EXPECT_TRUE(void_brakes(2));
}

TEST(LaunchFate, AJobThatShowsItself_IsAdoptedWhileItsTaskWaitsForItsAttempt_AndKilledElse) {
  struct Row {
    const char* what;
    TaskFacts task;
    int attempt;
    Adoption adoption;
  };
  TaskFacts two_copies{.state = TaskState::running, .attempt = 3, .replica = 4, .replica_lives = true};
  TaskFacts one_is_over{.state = TaskState::running, .attempt = 3, .replica = 4};
  for (const auto& [what, task, attempt, adoption] :
       std::vector<Row>{{"its task is in the bag", a_task(TaskState::waiting), 3, {.moves = true}},
                        {"its successor is on its way", a_task(TaskState::launching), 3, {.moves = true}},
                        {"its successor waits there", a_task(TaskState::submitted), 3, {}},
                        {"its successor runs", a_task(TaskState::running), 3, {}},
                        {"another attempt is in the bag", a_task(TaskState::waiting, 4), 3, {.late = true}},
                        {"another attempt runs", a_task(TaskState::running, 4), 3, {.late = true}},
                        {"its task is done, by its successor", a_task(TaskState::done), 3, {.late = true}},
                        {"its task failed", a_task(TaskState::failed), 3, {.late = true}},
                        {"its campaign is cancelled", a_task(TaskState::cancelled), 3, {.late = true}},
                        {"a replica that the task waits for", two_copies, 4, {}},
                        {"a replica that was given up", one_is_over, 4, {.late = true}}})
    EXPECT_EQ(adoption_of(task, attempt), adoption) << what;
}

TEST(LaunchFate, OnlyALaunchThatMayHaveBeenSent_IsSearchedAgain) {
  EXPECT_TRUE(is_reopened(LaunchState::void_, Sent::maybe));
  EXPECT_FALSE(is_reopened(LaunchState::void_, Sent::never));
  EXPECT_FALSE(is_reopened(LaunchState::refused, Sent::maybe));
  EXPECT_FALSE(is_reopened(LaunchState::accepted, Sent::maybe));
}

TEST(LaunchFate, TasksOfAVoidLaunchWaitForTheirCluster_UntilSomebodyAllowsThemToRunTwice) {
  EXPECT_EQ(release_of({.waited = kWeek}, 0s), std::nullopt);
  EXPECT_EQ(release_of({.waited = 59min}, 1h), std::nullopt);
  EXPECT_EQ(release_of({.waited = 1h}, 1h), Release::waited);
  EXPECT_EQ(release_of({.retired = true}, 0s), Release::retired);
  EXPECT_EQ(release_of({.replicas_allowed = true}, 0s), Release::replicas);
  EXPECT_EQ(attempt_after_release(a_task(TaskState::waiting)), 4);
  EXPECT_EQ(attempt_after_release({.attempt = 3, .replica = 7}), 8);
}

TEST(LaunchFate, AFolderGoesWhenNobodyCanClaimInItAnyMore) {
  struct Row {
    const char* what;
    FolderFacts folder;
    bool goes;
  };
  for (const auto& [what, folder, goes] :
       std::vector<Row>{{"accepted, and all its jobs are over", {}, true},
                        {"in use", {.in_use = true}, false},
                        {"its fate is unknown", {.state = LaunchState::unknown}, false},
                        {"it is on its way", {.state = LaunchState::launching}, false},
                        {"void, an orphan may come", {.state = LaunchState::void_, .since_settled = 59min}, false},
                        {"void for long", {.state = LaunchState::void_, .since_settled = kOrphanWatch}, true},
                        {"a job ended that never began: it may begin", {.since_never_began = 59min}, false},
                        {"long ago", {.since_never_began = kOrphanWatch}, true}})
    EXPECT_EQ(may_be_removed(folder), goes) << what;
}

}  // namespace
}  // namespace gleaner::grid
