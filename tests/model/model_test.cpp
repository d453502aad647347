#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include "tests/model/search.hpp"

/// Everything that may happen in small worlds, through the production rules of ends, with a lost answer and a crash between any two steps.
namespace gleaner::model {
namespace {

constexpr std::size_t kMost = 20'000'000;
const Bounds kTwoLaunches{.launches = 2, .jobs = 2, .remotes = 3, .troubles = 0};
const Bounds kOneLaunch{.launches = 1, .jobs = 1, .remotes = 2, .troubles = 1};
const Bounds kTwoTroubles{.launches = 1, .jobs = 2, .remotes = 3, .troubles = 2};
const Bounds kCheckpoints{.launches = 2, .jobs = 2, .remotes = 2, .troubles = 0, .checkpoints = true};

/// The bigger ones take minutes with sanitizers: with GLEANER_TEST_LONG.
std::vector<Bounds> worlds() {
  std::vector<Bounds> all{kTwoLaunches, kOneLaunch, kTwoTroubles, kCheckpoints};
  if (std::getenv("GLEANER_TEST_LONG") == nullptr) return all;
  all.push_back({.launches = 1, .jobs = 2, .remotes = 3, .troubles = 3});
  all.push_back({.launches = 2, .jobs = 2, .remotes = 3, .troubles = 1});
  all.push_back({.launches = 2, .jobs = 2, .remotes = 2, .troubles = 0, .replicas = true});
  all.push_back({.tasks = 2, .launches = 2, .jobs = 2, .remotes = 2, .troubles = 0});
  return all;
}

std::string told(const Found& found) {
  std::string text = found.broken;
  for (const auto& line : found.path) text += "\n  " + line;
  return text;
}

TEST(Model, WhateverHappens_NoAttemptRunsTwice_NoTaskIsLost_AndEachMayEnd) {
  for (const auto& bounds : worlds()) {
    const auto found = search({}, bounds, kMost);
    EXPECT_TRUE(found.complete);
    EXPECT_EQ(found.broken, "") << told(found);
    std::cout << "[ measured ] tasks " << bounds.tasks << ", launches " << bounds.launches << ", jobs " << bounds.jobs << ", jobs of OAR "
              << bounds.remotes << ", misfortunes " << bounds.troubles << (bounds.replicas ? ", replicas" : "")
              << (bounds.checkpoints ? ", checkpoints" : "") << ": " << found.states << " states, " << found.steps << " steps" << std::endl;
  }
}

/// A fault that was put back, and the smallest world in which the search finds it.
struct Fault {
  const char* name;
  Bounds bounds;
  std::function<void(Rules&)> put_back;
};

/// Ten million states: with GLEANER_TEST_LONG.
Fault slow_fault() {
  return {"ADuplicateSettlesNothing_ThoughTheHolderIsForgotten", {.launches = 2, .jobs = 2, .remotes = 3, .troubles = 1}, [](Rules& rules) {
            rules.settle = [](const auto& task, const auto& job, auto end, auto deletion, const auto& limits) {
              return end == grid::JobEnd::duplicate ? grid::Settlement{} : grid::settle(task, job, end, deletion, limits);
            };
          }};
}

const std::vector<Fault>& faults() {
  static const std::vector<Fault> all = [] {
    std::vector<Fault> some{
        {"TasksOfAVoidLaunchMayLeaveItsCluster", kTwoLaunches,
         [](Rules& rules) {
           rules.settle_unsubmitted = [](const auto& task, const auto& job, const auto& launch, const auto& limits) {
             auto next = grid::settle_unsubmitted(task, job, launch, limits);
             next.bound = false;
             return next;
           };
         }},
        {"AnAnswerThatIsLostIsTakenForARefusal", kTwoLaunches,
         [](Rules& rules) {
           rules.after_post = [](grid::PostAnswer answer) {
             return grid::after_post(answer == grid::PostAnswer::lost ? grid::PostAnswer::not_sent : answer);
           };
         }},
        {"ARunnerThatWasStoppedSendsAllTheSame", kTwoLaunches,
         [](Rules& rules) { rules.to_send = [](const grid::Intent&) { return grid::LaunchStep::go_on; }; }},
        {"ReleasedTasksKeepTheirAttempt",
         {.launches = 2, .jobs = 2, .remotes = 3, .troubles = 1},
         [](Rules& rules) { rules.attempt_after_release = [](const grid::TaskFacts& task) { return task.attempt; }; }},
        {"AFirstRunThatGoesOnIsTakenForCut", kTwoTroubles, [](Rules& rules) { rules.first_run_has_its_walltime = false; }},
        {"ASecondRunIsNotFollowedOnceItsDeletionWasNoted", kTwoTroubles,
         [](Rules& rules) { rules.follow = [](int kill) { return kill == 0; }; }},
        {"ANewAttemptBesideADeletedJobThatMayBegin", kTwoTroubles,
         [](Rules& rules) {
           rules.settle = [](const auto& task, auto job, auto end, auto deletion, const auto& limits) {
             job.may_begin = false;
             return grid::settle(task, job, end, deletion, limits);
           };
         }},
        {"ASuccessThatNobodyRecorded", kOneLaunch,
         [](Rules& rules) {
           rules.end_of = [](const grid::RemoteEnd& record, const grid::Evidence& evidence, grid::Deletion deletion) {
             return record.record == grid::Record::exited_silently ? grid::JobEnd::done : grid::end_of(record, evidence, deletion);
           };
         }},
        {"AChargeForAWalltimeInLaunching", kOneLaunch,
         [](Rules& rules) {
           rules.end_of = [](const grid::RemoteEnd& record, const grid::Evidence& evidence, grid::Deletion deletion) {
             return record.record == grid::Record::walltime ? grid::JobEnd::walltime : grid::end_of(record, evidence, deletion);
           };
         }},
        {"AnExitStatusWithoutAMark", kOneLaunch,
         [](Rules& rules) {
           rules.end_of = [](const grid::RemoteEnd& record, const grid::Evidence& evidence, grid::Deletion deletion) {
             return record.record == grid::Record::exited && record.status == 0 ? grid::JobEnd::done
                                                                                : grid::end_of(record, evidence, deletion);
           };
         }},
        {"ATaskPaysForAStatusThatNobodyCanProve", kOneLaunch,
         [](Rules& rules) {
           rules.end_of = [](const grid::RemoteEnd& record, const grid::Evidence& evidence, grid::Deletion deletion) {
             const bool fails = record.record == grid::Record::exited && record.status == 1;
             return fails ? grid::JobEnd::task_error : grid::end_of(record, evidence, deletion);
           };
         }},
        {"OarsWordWithoutEvidence", kTwoTroubles,
         [](Rules& rules) { rules.needs_evidence = [](const grid::RemoteEnd&) { return false; }; }},
    };
    if (std::getenv("GLEANER_TEST_LONG") != nullptr) some.push_back(slow_fault());
    return some;
  }();
  return all;
}

class PutBack : public ::testing::TestWithParam<Fault> {};

TEST_P(PutBack, IsFound) {
  Rules rules;
  GetParam().put_back(rules);
  const auto found = search(rules, GetParam().bounds, kMost);
  EXPECT_NE(found.broken, "") << found.states << " states";
  std::cout << "[ measured ] " << found.broken << " after " << found.states << " states" << std::endl;
}

INSTANTIATE_TEST_SUITE_P(Fault, PutBack, ::testing::ValuesIn(faults()), [](const auto& each) { return std::string{each.param.name}; });

}  // namespace
}  // namespace gleaner::model
