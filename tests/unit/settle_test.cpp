#include <gtest/gtest.h>

#include <vector>

#include "lib/grid/exit_status.hpp"
#include "lib/grid/settle.hpp"

namespace gleaner::grid {

void PrintTo(const Settlement& one, std::ostream* out) {
  *out << (one.moves ? name_of(one.state) : "stays") << ", attempt " << one.attempt << (one.replica_lives ? ", two copies" : "")
       << (one.charged ? ", charged" : "") << (one.counted ? "" : ", not counted") << ", place " << static_cast<int>(one.place)
       << (one.bound ? ", bound" : "") << ", walltime " << (one.walltime ? one.walltime->count() : -1);
}

namespace {

constexpr RemoteEnd exited(int status) { return {.record = Record::exited, .status = status, .started = true}; }
constexpr RemoteEnd over(Record record) { return {.record = record, .started = true}; }
constexpr RemoteEnd waiting_and(Record record) { return {.record = record}; }
constexpr Evidence kNothing{.witness = Witness::nothing};
constexpr Evidence kStarted{.witness = Witness::started};
constexpr Evidence kDuplicate{.witness = Witness::duplicate, .holder = JobId{5}};
constexpr Evidence kUnclaimed{.witness = Witness::unclaimed};
constexpr Evidence kUnreadable{.witness = Witness::unreadable};
constexpr Evidence ended(int status) { return {.witness = Witness::ended, .status = status}; }

struct EndCase {
  const char* what;
  RemoteEnd record;
  Evidence evidence;
  Deletion deletion;
  JobEnd expected;
};

void expect(const std::vector<EndCase>& cases) {
  for (const auto& one : cases) EXPECT_EQ(name_of(end_of(one.record, one.evidence, one.deletion)), name_of(one.expected)) << one.what;
}

TEST(EndOf, AnExitStatusThatOarRecorded_CountsWithTheMarkOfTheWrapper) {
  expect({{"0", exited(0), kStarted, Deletion::none, JobEnd::done},
          {"3", exited(3), kStarted, Deletion::none, JobEnd::task_error},
          {"66", exited(66), kStarted, Deletion::none, JobEnd::rerun_first},
          {"67", exited(67), kStarted, Deletion::none, JobEnd::rerun_last},
          {"137", exited(137), kStarted, Deletion::none, JobEnd::task_error},
          {"0, and we had asked to delete it", exited(0), kStarted, Deletion::ours, JobEnd::done},
          {"noted by the job, too", exited(0), ended(0), Deletion::none, JobEnd::done},
          {"a signal of which OAR knows nothing", exited(137), ended(137), Deletion::none, JobEnd::task_error},
          {"a shell that changed the status at its end", exited(0), ended(3), Deletion::none, JobEnd::task_error}});
}

/// `[ -z "$PS1" ] && exit` in ~/.bashrc: OAR's shell ends before the wrapper begins.
TEST(EndOf, AnExitStatusWithoutAMark_IsThatOfAShellBeforeTheWrapper_AndNobodys) {
  constexpr Evidence earlier{.witness = Witness::started, .earlier = true};
  expect({{"0", exited(0), kNothing, Deletion::none, JobEnd::never_began},
          {"1", exited(1), kNothing, Deletion::none, JobEnd::never_began},
          {"137", exited(137), kNothing, Deletion::none, JobEnd::never_began},
          {"0, and we had asked to delete it", exited(0), kNothing, Deletion::ours, JobEnd::never_began},
          {"the mark is of an earlier run", exited(0), earlier, Deletion::none, JobEnd::node_failure},
          {"another job holds the claim", exited(0), kDuplicate, Deletion::none, JobEnd::duplicate},
          {"nobody can look", exited(0), kUnreadable, Deletion::none, JobEnd::never_began},
          {"nobody can look at a failure", exited(3), kUnreadable, Deletion::none, JobEnd::never_began},
          {"nobody has looked", exited(0), {}, Deletion::none, JobEnd::never_began}});
  EXPECT_EQ(status_of(exited(0), kNothing), std::nullopt);
  EXPECT_EQ(status_of(exited(3), kStarted), 3);
}

TEST(EndOf, AnEndInTheEvidence_IsBelievedWhateverOarReports) {
  for (const auto record : {Record::exited_silently, Record::preempted, Record::walltime, Record::deleted, Record::bad_request,
                            Record::failed, Record::forgotten}) {
    expect({{"0", over(record), ended(0), Deletion::none, JobEnd::done},
            {"3", over(record), ended(3), Deletion::none, JobEnd::task_error},
            {"66", over(record), ended(66), Deletion::none, JobEnd::rerun_first},
            {"a segmentation fault", over(record), ended(139), Deletion::none, JobEnd::task_error},
            {"exit 255", over(record), ended(255), Deletion::ours, JobEnd::task_error}});
  }
}

TEST(EndOf, ADeathBySomebodyElsesSignal_IsTheRecordsCause_NeverTheTasks) {
  for (const int status : {129, 130, 137, 143}) {
    expect({{"preempted", over(Record::preempted), ended(status), Deletion::none, JobEnd::preempted},
            {"walltime", over(Record::walltime), ended(status), Deletion::none, JobEnd::walltime},
            {"deleted by us", over(Record::deleted), ended(status), Deletion::ours, JobEnd::killed_by_us},
            {"deleted by others", over(Record::deleted), ended(status), Deletion::none, JobEnd::killed_elsewhere},
            {"node", over(Record::failed), ended(status), Deletion::none, JobEnd::node_failure},
            {"forgotten", over(Record::forgotten), ended(status), Deletion::none, JobEnd::node_failure},
            {"the second run of a job whose first was cut", exited(113), ended(status), Deletion::none, JobEnd::node_failure}});
  }
}

TEST(EndOf, AJobThatStarted_AndNotedNoEnd_WasInterrupted) {
  expect({{"walltime", over(Record::walltime), kStarted, Deletion::none, JobEnd::walltime},
          {"preempted", over(Record::preempted), kStarted, Deletion::ours, JobEnd::preempted},
          {"deleted by us", over(Record::deleted), kStarted, Deletion::ours, JobEnd::killed_by_us},
          {"it began at the last moment", over(Record::deleted), kStarted, Deletion::impatient, JobEnd::killed_by_us},
          {"OAR applied no walltime, so we did", over(Record::deleted), kStarted, Deletion::overdue, JobEnd::walltime},
          {"no status", over(Record::exited_silently), kStarted, Deletion::none, JobEnd::node_failure},
          {"the request was said to be bad", over(Record::bad_request), kStarted, Deletion::none, JobEnd::node_failure},
          {"its second run found its own claim", exited(113), kStarted, Deletion::none, JobEnd::node_failure}});
}

TEST(EndOf, AJobWithoutAFile_NeverBegan) {
  expect({{"walltime", over(Record::walltime), kNothing, Deletion::none, JobEnd::never_began},
          {"no status", over(Record::exited_silently), kNothing, Deletion::none, JobEnd::never_began},
          {"node", over(Record::failed), kNothing, Deletion::none, JobEnd::never_began},
          {"forgotten", over(Record::forgotten), kNothing, Deletion::none, JobEnd::never_began},
          {"impatience", over(Record::deleted), kNothing, Deletion::impatient, JobEnd::never_began},
          {"not even a walltime later", over(Record::deleted), kNothing, Deletion::overdue, JobEnd::never_began},
          {"taken back", over(Record::deleted), kNothing, Deletion::ours, JobEnd::killed_by_us},
          {"preempted before it began", over(Record::preempted), kNothing, Deletion::none, JobEnd::preempted},
          {"no such folder", over(Record::bad_request), kNothing, Deletion::none, JobEnd::bad_request},
          {"a wrapper that could make no file", exited(113), kNothing, Deletion::none, JobEnd::cannot_start}});
}

TEST(EndOf, Status113_IsDecidedByFact) {
  expect({{"a twin", exited(113), kDuplicate, Deletion::none, JobEnd::duplicate},
          {"no room", exited(113), kUnclaimed, Deletion::none, JobEnd::cannot_start},
          {"the user's own", exited(113), ended(113), Deletion::none, JobEnd::task_error},
          {"the second run of a job that was done", exited(113), ended(0), Deletion::none, JobEnd::done},
          {"nobody can look", exited(113), kUnreadable, Deletion::none, JobEnd::never_began},
          {"killed between the note and the exit", over(Record::walltime), kDuplicate, Deletion::none, JobEnd::duplicate}});
}

TEST(EndOf, WithoutEvidence_TheRecordDecides) {
  expect({{"no status is no success", over(Record::exited_silently), kUnreadable, Deletion::none, JobEnd::node_failure},
          {"preempted", over(Record::preempted), kUnreadable, Deletion::none, JobEnd::preempted},
          {"walltime: it may have noted an end before", over(Record::walltime), kUnreadable, Deletion::none, JobEnd::never_began},
          {"walltime without a start", waiting_and(Record::walltime), kUnreadable, Deletion::none, JobEnd::never_began},
          {"deleted by us", over(Record::deleted), kUnreadable, Deletion::ours, JobEnd::killed_by_us},
          {"deleted for impatience", over(Record::deleted), kUnreadable, Deletion::impatient, JobEnd::never_began},
          {"deleted after its walltime", over(Record::deleted), kUnreadable, Deletion::overdue, JobEnd::never_began},
          {"deleted while it waited", waiting_and(Record::deleted), {}, Deletion::ours, JobEnd::killed_by_us},
          {"deleted by others while it waited", waiting_and(Record::deleted), {}, Deletion::none, JobEnd::killed_elsewhere},
          {"node", over(Record::failed), kUnreadable, Deletion::none, JobEnd::node_failure},
          {"forgotten", over(Record::forgotten), kUnreadable, Deletion::none, JobEnd::node_failure}});
}

TEST(EndOf, AWalltimeWithoutEvidence_ChargesNobody_AndTheClaimDecides) {
  const auto end = end_of(over(Record::walltime), kUnreadable, Deletion::none);
  EXPECT_EQ(charge_of(end), Charge::nobody);
  const TaskFacts last{.attempt = 9, .charged = 1, .counted = 9};
  const JobFacts job{.attempt = 9, .began = has_begun(over(Record::walltime), kUnreadable), .walltime = Seconds{600}};
  const auto next = settle(last, job, end, Deletion::none, {.attempts = 10, .charged = 2, .retries = 5, .walltime_factor = 2});
  EXPECT_EQ(next.state, TaskState::waiting) << "it may have been done";
  EXPECT_EQ(next.attempt, 9) << "so that it is not done twice";
  EXPECT_TRUE(next.bound);
  EXPECT_FALSE(next.charged);
  EXPECT_TRUE(is_failure(end)) << "files that stay unreadable brake the cluster";
}

TEST(MayBegin, IsAJobThatWasDeletedWithResources_AndLeftNoFile) {
  EXPECT_TRUE(may_begin(over(Record::deleted), kNothing));
  EXPECT_FALSE(may_begin(waiting_and(Record::deleted), {}));
  EXPECT_TRUE(may_begin({.record = Record::deleted, .again = true}, kNothing)) << "its first run may";
  EXPECT_TRUE(may_begin({.record = Record::preempted, .started = true, .again = true}, kNothing)) << "and that";
  EXPECT_FALSE(may_begin(over(Record::deleted), kDuplicate));
  EXPECT_FALSE(may_begin(over(Record::deleted), ended(0)));
  EXPECT_FALSE(may_begin(over(Record::preempted), kNothing));
}

TEST(NeedsEvidence, IsEveryEndButADeletionBeforeTheStart) {
  EXPECT_TRUE(needs_evidence({.record = Record::deleted, .again = true})) << "its first run may have begun";
  for (const int status : {0, 3, 113}) EXPECT_TRUE(needs_evidence(exited(status)));
  EXPECT_TRUE(needs_evidence({.record = Record::exited, .status = {}, .started = true}));
  EXPECT_FALSE(needs_evidence(waiting_and(Record::deleted)));
  for (const auto record : {Record::exited_silently, Record::preempted, Record::walltime, Record::deleted, Record::bad_request,
                            Record::failed, Record::forgotten})
    EXPECT_TRUE(needs_evidence(over(record)));
}

TEST(RaisedWalltime, GrowsUpToTheMost) {
  EXPECT_EQ(raised_walltime(Seconds{600}, std::nullopt, 2), std::nullopt);
  EXPECT_EQ(raised_walltime(Seconds{600}, Seconds{600}, 2), std::nullopt);
  EXPECT_EQ(raised_walltime(Seconds{600}, Seconds{3600}, 2), Seconds{1200});
  EXPECT_EQ(raised_walltime(Seconds{600}, Seconds{700}, 2), Seconds{700});
  EXPECT_GT(raised_walltime(Seconds{600}, Seconds{700}, 0.5), Seconds{600});
}

struct Case {
  const char* what;
  TaskFacts task;
  JobFacts job;
  JobEnd end;
  Deletion deletion;
  Settlement expected;
};

constexpr Limits kLimits{.attempts = 10, .charged = 2, .retries = 5, .walltime_factor = 2};

void expect(const std::vector<Case>& cases) {
  for (const auto& one : cases) EXPECT_EQ(settle(one.task, one.job, one.end, one.deletion, kLimits), one.expected) << one.what;
}

constexpr Settlement kStays{};
Settlement to(TaskState state, int attempt) {
  Settlement next;
  next.moves = true;
  next.state = state;
  next.attempt = attempt;
  return next;
}
Settlement back(int attempt) { return to(TaskState::waiting, attempt); }
Settlement at(Settlement one, BagPlace place) { return one.place = place, one; }
/// A task that failed goes back among the new ones.
Settlement charged(Settlement one) {
  one.charged = true;
  if (one.state == TaskState::waiting) one.place = BagPlace::mixed;
  return one;
}
Settlement uncounted(Settlement one) { return one.counted = false, one; }
Settlement bound(Settlement one) { return one.bound = true, one; }
Settlement with_walltime(Settlement one, int seconds) { return one.walltime = Seconds{seconds}, one; }

constexpr JobFacts kRan{.began = true, .claimed = true, .walltime = Seconds{600}};

TEST(Settle, TheOnlyCopy_EndsOrGoesBackWithTheNextAttempt) {
  const TaskFacts task{};
  expect(
      {{"done", task, kRan, JobEnd::done, Deletion::none, to(TaskState::done, 0)},
       {"its own failure", task, kRan, JobEnd::task_error, Deletion::none, charged(back(1))},
       {"its last own failure", {.charged = 1}, kRan, JobEnd::task_error, Deletion::none, charged(to(TaskState::failed, 0))},
       {"a request that cannot be carried out", {.charged = 1}, {}, JobEnd::bad_request, Deletion::none, charged(to(TaskState::failed, 0))},
       {"walltime", task, kRan, JobEnd::walltime, Deletion::none, charged(back(1))},
       {"preempted", {.charged = 1}, kRan, JobEnd::preempted, Deletion::none, back(1)},
       {"preempted for the last time", {.counted = 9}, kRan, JobEnd::preempted, Deletion::none, to(TaskState::failed, 0)},
       {"the last time that its JDL allows",
        {.counted = 2, .max_attempts = 3},
        kRan,
        JobEnd::preempted,
        Deletion::none,
        to(TaskState::failed, 0)},
       {"not yet the last one", {.counted = 2, .max_attempts = 4}, kRan, JobEnd::preempted, Deletion::none, back(1)},
       {"its JDL asks for more than the bound",
        {.counted = 9, .max_attempts = 50},
        kRan,
        JobEnd::preempted,
        Deletion::none,
        to(TaskState::failed, 0)},
       {"first", task, kRan, JobEnd::rerun_first, Deletion::none, at(back(1), BagPlace::first)},
       {"last", task, kRan, JobEnd::rerun_last, Deletion::none, at(back(1), BagPlace::last)},
       {"node", task, kRan, JobEnd::node_failure, Deletion::none, back(1)},
       {"no room", task, {}, JobEnd::cannot_start, Deletion::none, back(1)},
       {"killed by us while it ran", task, kRan, JobEnd::killed_by_us, Deletion::ours, back(1)},
       {"killed elsewhere", task, kRan, JobEnd::killed_elsewhere, Deletion::none, back(1)}});
}

TEST(Settle, TheJdlsRetries_AreTheOnesThatATaskHas_WithinTheBound) {
  const JobFacts unlisted{.began = true, .claimed = true, .retried = false, .walltime = Seconds{600}};
  expect({{"one is left", {.charged = 2, .retries = 3}, kRan, JobEnd::task_error, Deletion::none, charged(back(1))},
          {"none is left", {.charged = 3, .retries = 3}, kRan, JobEnd::task_error, Deletion::none, charged(to(TaskState::failed, 0))},
          {"none at all", {.retries = 0}, kRan, JobEnd::task_error, Deletion::none, charged(to(TaskState::failed, 0))},
          {"the bound", {.charged = 5, .retries = 9}, kRan, JobEnd::task_error, Deletion::none, charged(to(TaskState::failed, 0))},
          {"the bound is not reached", {.charged = 4, .retries = 9}, kRan, JobEnd::walltime, Deletion::none, charged(back(1))},
          {"all attempts", {.counted = 9, .retries = 3}, kRan, JobEnd::task_error, Deletion::none, charged(to(TaskState::failed, 0))},
          {"another exit status", {.retries = 3}, unlisted, JobEnd::task_error, Deletion::none, charged(to(TaskState::failed, 0))},
          {"what nobody pays", {.retries = 0}, unlisted, JobEnd::preempted, Deletion::none, back(1)}});
}

TEST(Settle, TheStatusOfACommand_IsOars_OrTheOneThatItsFilesNote) {
  EXPECT_EQ(status_of({.record = Record::exited, .status = 3}, kStarted), 3);
  EXPECT_EQ(status_of({.record = Record::exited, .status = 3}, {}), std::nullopt);
  EXPECT_EQ(status_of({.record = Record::failed}, {.witness = Witness::ended, .status = 137}), 137);
  EXPECT_EQ(status_of({.record = Record::failed}, {.witness = Witness::ended, .status = 137, .overran = true}), std::nullopt);
  EXPECT_EQ(status_of({.record = Record::exited, .status = kRanNothing}, {.witness = Witness::ended, .status = 113, .no_folder = true}),
            std::nullopt);
  EXPECT_EQ(status_of({.record = Record::exited, .status = kRanNothing}, {.witness = Witness::duplicate, .holder_status = 4}), 4);
  EXPECT_EQ(status_of({.record = Record::walltime, .started = true}, {}), std::nullopt);
}

TEST(Settle, WhatWeTookBackBeforeItBegan_AndWhatAnAdministratorGaveUp_DoesNotCount) {
  const TaskFacts last{.attempt = 9, .counted = 9};
  expect(
      {{"taken back", last, {.attempt = 9}, JobEnd::killed_by_us, Deletion::ours, uncounted(back(10))},
       {"lost", last, {.attempt = 9, .began = true}, JobEnd::lost, Deletion::none, uncounted(back(10))},
       {"killed by us while it ran", last, {.attempt = 9, .began = true}, JobEnd::killed_by_us, Deletion::ours, to(TaskState::failed, 9)},
       {"never began", last, {.attempt = 9}, JobEnd::never_began, Deletion::none, bound(back(9))}});
}

TEST(Settle, AWalltimeThatMayGrow_Grows_AndCostsNothing) {
  const JobFacts job{.began = true, .claimed = true, .walltime = Seconds{600}, .max_walltime = Seconds{3600}};
  expect({{"grows", {.charged = 1}, job, JobEnd::walltime, Deletion::none, with_walltime(back(1), 1200)},
          {"no attempt is left", {.counted = 9}, job, JobEnd::walltime, Deletion::none, charged(to(TaskState::failed, 0))}});
}

TEST(Settle, WhatMayStillAppear_KeepsItsAttempt_AndItsCluster) {
  const TaskFacts task{.state = TaskState::submitted, .attempt = 3, .counted = 9};
  const JobFacts job{.attempt = 3};
  expect(
      {{"void", task, job, JobEnd::never_submitted, Deletion::none, bound(back(3))},
       {"impatience", task, job, JobEnd::never_began, Deletion::impatient, bound(back(3))},
       {"OAR may run it again", task, job, JobEnd::never_began, Deletion::none, bound(back(3))},
       {"preempted before it claimed, while an orphan may come",
        task,
        {.attempt = 3, .orphan_may_come = true},
        JobEnd::preempted,
        Deletion::none,
        bound(back(3))},
       {"taken back while OAR launched it", task, {.attempt = 3, .may_begin = true}, JobEnd::killed_by_us, Deletion::ours, bound(back(3))},
       {"deleted by others while OAR launched it",
        task,
        {.attempt = 3, .may_begin = true},
        JobEnd::killed_elsewhere,
        Deletion::none,
        bound(back(3))},
       {"of a cancelled campaign",
        {.state = TaskState::submitted, .attempt = 3, .cancelled = true},
        job,
        JobEnd::never_submitted,
        Deletion::none,
        to(TaskState::cancelled, 3)},
       {"somebody holds the claim",
        {.state = TaskState::submitted, .attempt = 3},
        {.attempt = 3, .claim_taken = true},
        JobEnd::never_submitted,
        Deletion::none,
        back(4)}});
}

TEST(Settle, APooledTaskThatNobodyReached_GoesBackUncounted_AndStaysWhereACarrierMayStillTakeIt) {
  const TaskFacts task{.state = TaskState::submitted, .attempt = 3, .counted = 9};
  auto elsewhere = back(4);
  elsewhere.counted = false;
  expect({{"its carriers are over", task, {.attempt = 3}, JobEnd::not_reached, Deletion::none, elsewhere},
          {"a carrier may take it", task, {.attempt = 3, .may_begin = true}, JobEnd::not_reached, Deletion::none, bound(back(3))}});
}

TEST(Settle, WhileAContenderLives_OnlyTheJobThatClaimedTheAttempt_MovesItsTask) {
  const TaskFacts task{};
  const JobFacts idle{.began = true, .contender_lives = true};
  const JobFacts claimed{.began = true, .claimed = true, .contender_lives = true};
  for (const auto end :
       {JobEnd::duplicate, JobEnd::never_submitted, JobEnd::never_began, JobEnd::cannot_start, JobEnd::lost, JobEnd::killed_by_us,
        JobEnd::killed_elsewhere, JobEnd::preempted, JobEnd::node_failure, JobEnd::walltime, JobEnd::bad_request})
    EXPECT_EQ(settle(task, idle, end, Deletion::none, kLimits), kStays) << name_of(end);
  expect({{"done", task, claimed, JobEnd::done, Deletion::none, to(TaskState::done, 0)},
          {"failed", task, idle, JobEnd::task_error, Deletion::none, charged(back(1))},
          {"interrupted", task, claimed, JobEnd::preempted, Deletion::none, back(1)},
          {"without a contender, a duplicate's attempt is spent", task, {.began = true}, JobEnd::duplicate, Deletion::none, back(1)}});
}

TEST(Settle, OfTwoCopies_TheFirstSuccessCounts_AndAnyOtherEndLeavesTheTaskToTheOther) {
  const TaskFacts two{.attempt = 2, .replica = 3, .replica_lives = true, .charged = 1, .counted = 9};
  expect({{"done", two, {.attempt = 3, .began = true}, JobEnd::done, Deletion::none, to(TaskState::done, 2)},
          {"the first fails, the second waits", two, {.attempt = 2}, JobEnd::task_error, Deletion::none, to(TaskState::submitted, 3)},
          {"the first fails, the second runs",
           two,
           {.attempt = 2, .other_copy_runs = true},
           JobEnd::walltime,
           Deletion::none,
           to(TaskState::running, 3)},
          {"the second is preempted",
           two,
           {.attempt = 3, .other_copy_runs = true},
           JobEnd::preempted,
           Deletion::none,
           to(TaskState::running, 2)},
          {"the second was never submitted",
           two,
           {.attempt = 3, .other_copy_runs = true},
           JobEnd::never_submitted,
           Deletion::none,
           to(TaskState::running, 2)},
          {"one left, then it goes back under a new number",
           {.attempt = 2, .replica = 3},
           {.attempt = 2},
           JobEnd::preempted,
           Deletion::none,
           back(4)},
          {"of a cancelled campaign",
           {.attempt = 2, .replica = 3, .replica_lives = true, .cancelled = true},
           {.attempt = 2},
           JobEnd::killed_by_us,
           Deletion::ours,
           to(TaskState::submitted, 3)}});
}

TEST(Settle, AJobThatTheTaskDoesNotWaitFor_MovesNothing) {
  expect({{"an old attempt", {.attempt = 3}, {.attempt = 2}, JobEnd::done, Deletion::none, kStays},
          {"a copy that is dead", {.attempt = 3, .replica = 2}, {.attempt = 2}, JobEnd::done, Deletion::none, kStays}});
  for (const auto state : {TaskState::done, TaskState::failed, TaskState::cancelled, TaskState::waiting})
    expect({{"not in flight", {.state = state}, kRan, JobEnd::done, Deletion::none, kStays}});
}

TEST(Failures, AreEndsByTheTasksFault_OrJobsThatTheClusterCouldNotStart_ButNoWalltimeThatGrows) {
  for (const auto end : {JobEnd::task_error, JobEnd::walltime, JobEnd::bad_request, JobEnd::cannot_start, JobEnd::never_began})
    EXPECT_TRUE(is_failure(end, {}, {})) << name_of(end);
  for (const auto end : {JobEnd::done, JobEnd::preempted, JobEnd::killed_by_us, JobEnd::node_failure, JobEnd::lost, JobEnd::duplicate})
    EXPECT_FALSE(is_failure(end, {}, {})) << name_of(end);
  EXPECT_FALSE(is_failure(JobEnd::walltime, {.walltime = Seconds{7200}}, {}));
}

TEST(Failures, OfATaskThatFailedBefore_AreNoEvidenceAboutTheCluster) {
  for (const auto end : {JobEnd::task_error, JobEnd::walltime}) EXPECT_FALSE(is_failure(end, {}, {.charged = 1})) << name_of(end);
  for (const auto end : {JobEnd::bad_request, JobEnd::cannot_start, JobEnd::never_began})
    EXPECT_TRUE(is_failure(end, {}, {.charged = 1})) << name_of(end);
}

TEST(Failures, InARow_BeginAnewWithASuccess_WhateverTheOrderOfThoseSeenAtOnce) {
  EXPECT_EQ(failures_in_a_row(2, 0, 0), 2);
  EXPECT_EQ(failures_in_a_row(2, 0, 3), 5);
  EXPECT_EQ(failures_in_a_row(2, 1, 0), 0);
  EXPECT_EQ(failures_in_a_row(2, 1, 3), 3);
}

TEST(Failures, InARow_EndWithASuccessOfAJob_ThatWasPlannedAfterTheLastThatNeverBegan) {
  EXPECT_FALSE(shows_beginning(JobId{99}, JobId{100}));
  EXPECT_TRUE(shows_beginning(JobId{101}, JobId{100}));
  EXPECT_TRUE(shows_beginning(JobId{99}, {}));
}

TEST(Settle, ATaskOfACancelledCampaign_IsCancelled_UnlessItWasDone) {
  const TaskFacts task{.cancelled = true};
  expect({{"killed", task, kRan, JobEnd::killed_by_us, Deletion::ours, to(TaskState::cancelled, 0)},
          {"done", task, kRan, JobEnd::done, Deletion::none, to(TaskState::done, 0)}});
}

}  // namespace
}  // namespace gleaner::grid
