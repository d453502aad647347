#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "sim/gridsim/engine/scenario_file.hpp"
#include "sim/gridsim/engine/simulation.hpp"
#include "sim/gridsim/engine/what_if.hpp"

// A grid that is simulated from a state in which jobs run already.
namespace gleaner::gridsim {
namespace {

constexpr auto kAlpha = R"("alpha": {"nodes": 1, "cores": 16, "start_rate": 100, "held": 4})";

std::string a_pair(const std::string& more = "") { return R"({"name": "alpha", "resources_per_job": 1, "walltime": 3600)" + more + "}"; }

std::string a_campaign(int waiting, const std::string& durations, const std::string& pair = a_pair(), const std::string& more = "") {
  return fmt::format(
      R"({{"name": "pi", "user": "ada", "waiting": {}, "durations": {}, "evidence": "own", "seen": 400, "clusters": [{}]{}}})", waiting,
      durations, pair, more);
}

std::string a_grid(const std::string& live, const std::string& more = "") {
  return fmt::format(R"({{"clusters": {{{}}}, "live": [{}]{}}})", kAlpha, live, more);
}

Scenario read(const std::string& text) {
  auto scenario = read_scenario(text, ".");
  if (!scenario) throw std::logic_error{jdl::render(scenario.error(), "scenario")};
  return *scenario;
}

TEST(GridsimLive, JobsThatRunAlready_EndByTheirAge_AndTheBagFollows) {
  const auto scenario = read(a_grid(a_campaign(24, "[[110, 1]]", a_pair(R"(, "running": [[60, 12]])"))));
  EXPECT_EQ(scenario.campaigns.at(0).live, 12);
  EXPECT_EQ(scenario.campaigns.at(0).tasks, 36);
  const auto outcome = simulate(scenario);
  EXPECT_TRUE(outcome.complete);
  EXPECT_EQ(outcome.campaigns.at(0).done, 36);
  double first_end = 1e9;
  for (const auto& job : outcome.jobs) first_end = std::min(first_end, seconds_of(job.ended));
  EXPECT_GE(first_end, 40 - 1);  // 100 to 110 s each, 60 of them gone
  EXPECT_LE(first_end, 50 + 1);
  EXPECT_NEAR(*outcome.campaigns.at(0).ended, 50 + 2 * 110, 30);
}

TEST(GridsimLive, ACampaignThatIsSubmittedLater_StartsThen_AlsoAfterTheGridHasBeenEmptyForLong) {
  const auto early = a_campaign(12, "[[100, 1]]"), late = a_campaign(12, "[[100, 1]]", a_pair(), R"(, "at": 20000)");
  for (const auto& live : {late, early + ", " + late}) {
    const auto prospects = what_if(a_grid(live), {.most_runs = 3, .least_runs = 3});
    ASSERT_TRUE(prospects) << prospects.error();
    const auto& last = prospects->campaigns.back();
    ASSERT_TRUE(last.start && last.end) << live;
    EXPECT_GE(last.start->earliest, 20000);
    EXPECT_LT(last.start->latest, 20000 + 60);
    EXPECT_GT(last.end->expected, 20000 + 50);
  }
}

TEST(GridsimLive, ACampaignsOwnMaxAttempts_IsSimulated) {
  const auto jobs_of = [](const std::string& more) {
    const auto pair = R"({"name": "alpha", "resources_per_job": 1, "walltime": 60})";
    const auto outcome = simulate(
        read(a_grid(a_campaign(1, "[[600, 1]]", pair, more), R"(, "configuration": {"max_attempts": 5, "max_charged_attempts": 9})")));
    EXPECT_EQ(outcome.campaigns.at(0).failed, 1);
    return std::ranges::count_if(outcome.jobs, [](const auto& job) { return job.campaign == 0; });
  };
  EXPECT_EQ(jobs_of(""), 5);
  EXPECT_EQ(jobs_of(R"(, "max_attempts": 2)"), 2);
  EXPECT_EQ(jobs_of(R"(, "max_attempts": 7)"), 5);
}

TEST(GridsimLive, ACampaignThatWaitsForAnother_StartsWhenItIsOver_AndOneThatIsStuckNever) {
  const auto first = a_campaign(12, "[[60, 1]]", a_pair(), R"(, "id": 7)");
  const auto prospects = what_if(a_grid(first + "," + a_campaign(2, "[[60, 1]]", a_pair(), R"(, "id": 8, "after": [7], "stuck": false)") +
                                        "," + a_campaign(2, "[[60, 1]]", a_pair(), R"(, "id": 9, "stuck": true)")));
  ASSERT_TRUE(prospects) << prospects.error();
  ASSERT_TRUE(prospects->campaigns[1].start);
  EXPECT_GT(prospects->campaigns[1].start->earliest, 50);
  EXPECT_EQ(prospects->campaigns[2].blocked, "awaits");
}

TEST(GridsimLive, ACampaignWithHeldTasks_RunsTheOthers_AndHasNoEnd_NorHasWhatComesAfterIt) {
  const auto first = a_campaign(12, "[[60, 1]]", a_pair(), R"(, "id": 7, "on_hold": 3)");
  const auto grid = a_grid(first + "," + a_campaign(2, "[[60, 1]]", a_pair(), R"(, "id": 8, "after": [7], "stuck": false)"));
  const auto prospects = what_if(grid);
  ASSERT_TRUE(prospects) << prospects.error();
  EXPECT_EQ(prospects->campaigns[0].blocked, "held");
  EXPECT_FALSE(prospects->campaigns[0].end);
  EXPECT_FALSE(prospects->campaigns[1].start);
  auto scenario = read(grid);
  scenario.give_up = 600;
  EXPECT_EQ(simulate(scenario).campaigns.at(0).done, 12);
}

TEST(GridsimLive, WhatOthersHold_IsNeverUsed) {
  const auto outcome = simulate(read(a_grid(a_campaign(100, "[[60, 1]]"))));
  int used = 0, most = 0;
  for (const auto& change : outcome.usage) {
    used += change.delta;
    most = std::max(most, used);
  }
  EXPECT_EQ(most, 16);
  int ours = 0, most_of_ours = 0;
  for (const auto& change : outcome.usage) {
    if (change.campaign == kLocal) continue;
    ours += change.delta;
    most_of_ours = std::max(most_of_ours, ours);
  }
  EXPECT_EQ(most_of_ours, 12);
}

TEST(GridsimLive, AJobOlderThanAnyThatWasSeen_LastsATenthMore) {
  const auto outcome = simulate(read(a_grid(a_campaign(0, "[[60, 1]]", a_pair(R"(, "running": [[1000, 1]])")))));
  EXPECT_NEAR(seconds_of(outcome.jobs.at(0).ended), 101, 1);
}

TEST(GridsimLive, APausedCampaign_EndsItsJobsAndKeepsItsBag) {
  const auto outcome = simulate(read(a_grid(a_campaign(50, "[[60, 1]]", a_pair(R"(, "running": [[10, 2]])"), R"(, "paused": true)"))));
  EXPECT_EQ(outcome.jobs.size(), 2U);
}

TEST(GridsimLive, ABrake_HoldsUntilItExpires) {
  const auto outcome = simulate(read(a_grid(a_campaign(2, "[[60, 1]]", a_pair(R"(, "braked": 500)")))));
  ASSERT_EQ(outcome.jobs.size(), 2U);
  for (const auto& job : outcome.jobs) {
    EXPECT_GE(seconds_of(*job.held), 500);
    EXPECT_LE(seconds_of(*job.held), 530) << "and no longer: the next cycles see it";
  }
}

TEST(GridsimLive, LimitsAndUnknownClusters_AreRead) {
  const auto scenario = read(
      a_grid(a_campaign(50, "[[60, 1]]"), R"(, "policies": {"limits": [{"id": 1, "kind": "running_jobs", "most": 3, "user": "ada"}]})"));
  const auto outcome = simulate(scenario);
  int ours = 0, most = 0;
  for (const auto& change : outcome.usage) {
    if (change.campaign == kLocal) continue;
    ours += change.delta;
    most = std::max(most, ours);
  }
  EXPECT_EQ(most, 3);
  EXPECT_FALSE(read_scenario(a_grid(R"({"waiting": 1, "durations": [[1, 1]], "clusters": [{"name": "nowhere"}]})"), "."));
  EXPECT_FALSE(read_scenario(a_grid(R"({"waiting": -1, "durations": 7, "clusters": []})"), "."));
}

TEST(GridsimLive, SharesAndPrioritiesOfProjectsAndGroups_DecideWhoGoesFirst) {
  const auto work_of = [](const std::string& order, const std::string& policies) {
    const auto scenario = read(fmt::format(
        R"({{"clusters": {{"alpha": {{"nodes": 1, "cores": 16, "start_rate": 100}}}}, "configuration": {{"campaign_order": "{}"}}, "live": [{}, {}],)"
        R"( "policies": {{{}}}, "length": "50s"}})",
        order, a_campaign(100, "[[110, 1]]", a_pair(), R"(, "project": "physics")"),
        R"({"name": "tau", "user": "eve", "groups": ["chem"], "waiting": 100, "durations": [[110, 1]], "clusters": [)" + a_pair() + "]}",
        policies));
    std::vector<int> jobs(2, 0);
    for (const auto& job : simulate(scenario).jobs) ++jobs.at(static_cast<std::size_t>(job.campaign));
    return jobs;
  };
  const std::string shares{
      R"("shares": [{"id": 1, "name": "physics", "shares": 1}, {"id": 2, "name": "ada", "is_user": true, "parent": 1, "shares": 1},)"
      R"( {"id": 3, "name": "chem", "is_group": true, "shares": 3}])"};
  EXPECT_THAT(work_of("fairshare", shares), testing::ElementsAre(0, 24))
      << "the greater share goes first, and 3/4 of a day is long; 16 run, and 8 wait";
  EXPECT_THAT(work_of("priority", R"("group_priorities": [{"name": "chem", "priority": 2}])"), testing::ElementsAre(0, 24));
  EXPECT_THAT(
      work_of("priority",
              R"("project_priorities": [{"name": "physics", "priority": 3}], "group_priorities": [{"name": "chem", "priority": 2}])"),
      testing::ElementsAre(24, 0));
  EXPECT_THROW(work_of("fifo", R"("shares": [{"id": 2, "name": "ada", "is_user": true, "parent": 1, "shares": 1}])"), std::logic_error)
      << "a parent that is not there";
}

TEST(GridsimLive, WhatIsKept_IsNotUsedByOthers_UntilItsEnd) {
  const auto begun_before = [](double time, const std::string& keep) {
    const std::string keeps{R"(, "policies": {"keeps": [{"name": "class", "cluster": "alpha", "resources": "60%", "until": 1000, )"};
    const auto outcome = simulate(read(a_grid(a_campaign(16, "[[600, 1]]"), keeps + keep + "}]}")));
    EXPECT_EQ(outcome.jobs.size(), 16U);
    return std::ranges::count_if(outcome.jobs, [&](const auto& job) { return seconds_of(*job.held) < time; });
  };
  const auto all = begun_before(500, R"("user": "ada")");
  EXPECT_EQ(all, 12) << "4 of 16 are held";
  EXPECT_EQ(begun_before(500, R"("user": "bob")"), 3) << "9 are kept";
  EXPECT_EQ(begun_before(500, R"("user": "bob", "hours": "01:00-02:00")"), all) << "the simulation begins at 00:00";
  for (const auto* wrong : {R"("user": "bob", "hours": "8-9")", R"("type": "none")", R"("group": "")"})
    EXPECT_FALSE(read_scenario(a_grid(a_campaign(1, "[[1, 1]]"), std::string{R"(, "policies": {"keeps": [{"name": "class", "cluster": )"} +
                                                                     R"("alpha", "resources": "4", )" + wrong + "}]}"),
                               "."))
        << wrong;
}

TEST(GridsimLive, ALimitOnResources_CountsWhatJobsTookSoFar_WhereTheirWidthIsNotAskedFor) {
  const auto outcome = simulate(read(a_grid(a_campaign(20, "[[60, 1]]", R"({"name": "alpha", "width": 4, "walltime": 3600})"),
                                            R"(, "policies": {"limits": [{"id": 1, "kind": "resources", "most": 8}]})")));
  EXPECT_EQ(outcome.campaigns.at(0).done, 20);
  int used = 0, most = 0;
  for (const auto& change : outcome.usage) {
    if (change.campaign == kLocal) continue;
    used += change.delta;
    most = std::max(most, used);
  }
  EXPECT_EQ(most, 8);
}

TEST(GridsimLive, JobsThatRunLongerThanWasSeen_GetASecondCopy_WhereItIsAllowed) {
  const auto end_of = [](const std::string& more) {
    const auto clusters = R"("alpha": {"nodes": 1, "cores": 16, "start_rate": 100}, "beta": {"nodes": 1, "cores": 16, "start_rate": 100})";
    const auto slow = R"({"name": "beta", "resources_per_job": 1, "walltime": 3600, "speed": 0.1, "running": [[100, 4]]})";
    const auto outcome = simulate(
        read(fmt::format(R"({{"clusters": {{{}}}, "live": [{}]}})", clusters, a_campaign(0, "[[60, 400]]", a_pair() + ", " + slow, more))));
    EXPECT_EQ(outcome.campaigns.at(0).done, 4);
    return *outcome.campaigns.at(0).ended;
  };
  EXPECT_GT(end_of(""), 400);
  EXPECT_LT(end_of(R"(, "replicas": true)"), 120);
}

TEST(GridsimLive, ALimitOnResourceSeconds_CountsWhatIsUsedMeanwhile) {
  const auto done = [](const std::string& limit) {
    const auto outcome = simulate(read(a_grid(
        a_campaign(50, "[[60, 1]]", a_pair(R"(, "done": 10, "duration_sum": 600)")),
        R"(, "length": "1h", "policies": {"limits": [{"id": 1, "kind": "resource_seconds", "most": 1800, "days": 9999)" + limit + "}]}")));
    return outcome.campaigns.at(0).done;
  };
  EXPECT_NEAR(static_cast<double>(done("")), 30, 4);  // 1800 s of 57 to 60 s each
  EXPECT_NEAR(static_cast<double>(done(R"(, "user": "ada", "used": 900)")), 15, 3);
  EXPECT_EQ(done(R"(, "user": "bob")"), 50);
  EXPECT_EQ(done(R"(, "cluster": "alpha", "used": 1800)"), 0);
}

TEST(WhatIf, StatesWhenEachEnds_WithAnIntervalThatHoldsTheExpectedTime) {
  const auto prospects = what_if(a_grid(a_campaign(200, "[[60, 100], [120, 100]]") + "," + a_campaign(100, "[[60, 1]]")),
                                 {.most_runs = 9, .seconds = 600, .most_seconds = 600});
  ASSERT_TRUE(prospects) << prospects.error();
  ASSERT_EQ(prospects->campaigns.size(), 2U);
  EXPECT_EQ(prospects->runs, 9);
  EXPECT_FALSE(prospects->out_of_time);
  EXPECT_FALSE(prospects->known_until);
  for (const auto& one : prospects->campaigns) {
    ASSERT_TRUE(one.start && one.end);
    EXPECT_LE(one.end->earliest, one.end->expected);
    EXPECT_LE(one.end->expected, one.end->latest);
    EXPECT_LT(one.start->expected, one.end->earliest);
  }
  EXPECT_LT(prospects->campaigns[0].start->expected, prospects->campaigns[1].start->expected);
  EXPECT_GT(prospects->campaigns[0].end->latest, prospects->campaigns[0].end->earliest);
}

/// An effort whose time is over when `is_over` says so, with a clock of its own.
Effort until(bool (*is_over)(const Advance& advance), bool& over, double& now) {
  return {.most_seconds = 1e6,
          .report = [&over, is_over](const Advance& advance) { over = is_over(advance); },
          .clock =
              [&over, &now] {
                now += 0.2;
                return over ? 1e7 : now;
              }};
}

TEST(WhatIf, TimeThatIsOverInTheFirstRun_LeavesWhatIsKnownUntilThen) {
  bool over = false;
  double now = 0;
  const auto effort = until([](const Advance& advance) { return advance.simulated > 600; }, over, now);
  const auto prospects = what_if(a_grid(a_campaign(12, "[[60, 1]]") + "," + a_campaign(3000, "[[60, 1]]")), effort);
  ASSERT_TRUE(prospects) << prospects.error();
  EXPECT_EQ(prospects->runs, 1);
  EXPECT_TRUE(prospects->out_of_time);
  ASSERT_TRUE(prospects->known_until);
  EXPECT_GT(*prospects->known_until, 600);
  EXPECT_LT(*prospects->known_until, 1200);
  const auto& few = prospects->campaigns.at(0);
  const auto& many = prospects->campaigns.at(1);
  ASSERT_TRUE(few.end);
  EXPECT_LT(few.end->expected, 600);
  ASSERT_TRUE(many.start);
  EXPECT_LT(many.start->expected, 600);
  EXPECT_FALSE(many.end);
}

TEST(WhatIf, TimeThatIsOverLater_LeavesTheRunsThatAreWhole) {
  bool over = false;
  double now = 0;
  const auto effort = until([](const Advance& advance) { return advance.runs == 2 && advance.simulated > 100; }, over, now);
  const auto prospects = what_if(a_grid(a_campaign(100, "[[60, 1]]")), effort);
  ASSERT_TRUE(prospects) << prospects.error();
  EXPECT_EQ(prospects->runs, 2);
  EXPECT_TRUE(prospects->out_of_time);
  EXPECT_FALSE(prospects->known_until);
  EXPECT_TRUE(prospects->campaigns.at(0).end);
}

TEST(WhatIf, NoTimeAtAll_IsAnAnswerToo) {
  const auto prospects = what_if(a_grid(a_campaign(100, "[[60, 1]]")), {.most_seconds = 0});
  ASSERT_TRUE(prospects) << prospects.error();
  EXPECT_EQ(prospects->known_until, 0.0);
  EXPECT_FALSE(prospects->campaigns.at(0).start);
  EXPECT_FALSE(prospects->campaigns.at(0).end);
}

TEST(WhatIf, ACampaignThatNothingIsSentFor_HasNoTimes_ButTheReason) {
  const auto clusters = R"({"clusters": {"alpha": {"nodes": 1, "cores": 16}, "beta": {"nodes": 1, "cores": 16, "braked": 60}}, "live": [)";
  const auto on = [](const std::string& pairs, const std::string& more = "") {
    return fmt::format(R"({{"waiting": 10, "durations": [[60, 1]], "evidence": "own", "seen": 9, "clusters": [{}]{}}})", pairs, more);
  };
  const std::string alpha = R"({"name": "alpha", "walltime": 60})", beta = R"({"name": "beta", "walltime": 60})";
  const std::string held = R"({"name": "alpha", "walltime": 60, "braked": 30})",
                    off = R"({"name": "alpha", "walltime": 60, "max_jobs": 0})";
  const std::vector<std::pair<std::string, std::string>> cases{{on(alpha, R"(, "paused": true)"), "paused"},
                                                               {on(alpha, R"(, "braked": 30)"), "braked"},
                                                               {on(beta), "braked"},
                                                               {on(held + ", " + beta), "braked"},
                                                               {on(off), "closed"},
                                                               {on(""), "closed"},
                                                               {on(alpha + ", " + beta), ""}};
  std::string live;
  for (const auto& [campaign, blocked] : cases) live += (live.empty() ? "" : ", ") + campaign;
  const auto prospects = what_if(clusters + live + "]}", {.most_runs = 2, .least_runs = 2});
  ASSERT_TRUE(prospects) << prospects.error();
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto& one = prospects->campaigns.at(i);
    EXPECT_EQ(one.blocked, cases[i].second) << i;
    EXPECT_EQ(one.start.has_value(), one.blocked.empty()) << i;
    EXPECT_EQ(one.end.has_value(), one.blocked.empty()) << i;
  }
}

TEST(WhatIf, ACampaignThatNothingStarts_IsNotForeseen_AndTakesNoTime) {
  const auto prospects = what_if(a_grid(a_campaign(10, "[[60, 1]]", a_pair(R"(, "width": 13)"))), {.most_runs = 2, .least_runs = 2});
  ASSERT_TRUE(prospects) << prospects.error();
  EXPECT_FALSE(prospects->campaigns.at(0).start);
  EXPECT_FALSE(prospects->campaigns.at(0).end);
}

/// The same campaign, of whose tasks no duration is known.
std::string unknown(std::string campaign) {
  constexpr std::string_view kOwn{"own"};
  return campaign.replace(campaign.find(kOwn), kOwn.size(), "walltime");
}

TEST(WhatIf, AStartBehindOthersOfUnknownDurations_IsNoted) {
  const auto behind = [](const std::string& first, const std::string& second) {
    const auto prospects = what_if(a_grid(first + "," + second), {.most_runs = 3, .least_runs = 3});
    if (!prospects) throw std::logic_error{prospects.error()};
    EXPECT_FALSE(prospects->campaigns.at(0).behind_walltimes);
    return prospects->campaigns.at(1).behind_walltimes;
  };
  const auto second = a_campaign(5, "[[60, 1]]");
  EXPECT_TRUE(behind(unknown(a_campaign(60, "[[600, 1]]")), second));
  EXPECT_TRUE(behind(unknown(a_campaign(0, "[[600, 1]]", a_pair(R"(, "running": [[10, 12]])"))), second)) << "they run already";
  EXPECT_FALSE(behind(a_campaign(60, "[[600, 1]]"), second)) << "their durations are known";
  EXPECT_FALSE(behind(unknown(a_campaign(4, "[[600, 1]]")), second)) << "there is room for both";
  EXPECT_FALSE(behind(a_campaign(60, "[[600, 1]]"), unknown(second))) << "only others count";
}

TEST(WhatIf, AMillionTasks_AreSimulatedInGroups_AndEndAtTheSameTime) {
  const auto prospects = what_if(a_grid(a_campaign(1'000'000, "[[60, 1]]")), {.most_runs = 2, .least_runs = 2});
  ASSERT_TRUE(prospects) << prospects.error();
  const auto& one = prospects->campaigns.at(0);
  EXPECT_GT(one.group, 10);
  ASSERT_TRUE(one.end);
  EXPECT_NEAR(one.end->expected, 1'000'000 * (57.3 + 1) / 12, 1'000'000 * 58.3 / 12 * 0.1);
}

TEST(WhatIf, AFewTasksBesideMany_AreSimulatedOneByOne) {
  const auto prospects = what_if(a_grid(a_campaign(60, "[[60, 1]]") + "," + a_campaign(30'000, "[[60, 1]]")),
                                 {.most_runs = 2, .least_runs = 2, .tasks = 2000});
  ASSERT_TRUE(prospects) << prospects.error();
  const auto& few = prospects->campaigns.at(0);
  EXPECT_EQ(few.group, 1);
  ASSERT_TRUE(few.end);
  EXPECT_NEAR(few.end->expected, 5 * 60, 60) << "five rounds on 12 cores, and not 15 tasks in a row";
  EXPECT_GT(prospects->campaigns.at(1).group, 10);
}

TEST(WhatIf, OfTasksInGroups_TheIntervalBegins_NoSoonerThanAllOfThemCanBeDone) {
  const auto prospects = what_if(a_grid(a_campaign(60, "[[60, 1]]")), {.most_runs = 2, .least_runs = 2, .tasks = 4});
  ASSERT_TRUE(prospects) << prospects.error();
  const auto& one = prospects->campaigns.at(0);
  EXPECT_EQ(one.group, 15);
  ASSERT_TRUE(one.end);
  EXPECT_GT(one.end->earliest, 60 * 50.0 / 12);
  EXPECT_LE(one.end->earliest, one.end->expected);
}

}  // namespace
}  // namespace gleaner::gridsim
