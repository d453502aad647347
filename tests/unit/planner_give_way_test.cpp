// Document 003, note 3: small campaigns are not stuck behind big ones. First tasks that find no resources get those of users who hold more
// than their part.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "tests/unit/planner_builders.hpp"

namespace gleaner::planner::test {
namespace {

const PlannerConfig kGivesWay{.head_start = true, .head_start_preempts = true, .early_percent = 100, .early_grid_percent = 50};

/// Ada's big campaign runs 16 jobs on the 16 resources of alpha; bob's small one of five tasks comes.
Snapshot a_big_campaign_has_all() {
  auto snapshot = users({"ada", "bob"});
  snapshot.campaigns[0].unsettled_tasks = 1000;
  snapshot.campaigns[0].settled_tasks = 100;
  snapshot.campaigns[0].waiting_tasks = 984;
  snapshot.campaigns[1].waiting_tasks = snapshot.campaigns[1].unsettled_tasks = 5;
  snapshot.pairs[0].live_jobs = 16;
  snapshot.pairs[0].concluded_jobs = 100;
  snapshot.clusters[0].free_resources = 0;
  return snapshot;
}

TEST(GiveWay, Document003_Note3_ABigCampaignGivesWay_ToTheFirstTasksOfASmallOne_InEveryOrder) {
  for (const auto* order : {"fifo", "fairshare", "fairtree", "multifactor", "tickets", "cheapest", "priority", "affinity"}) {
    auto config = kGivesWay;
    config.campaign_order = order;
    auto snapshot = a_big_campaign_has_all();
    EXPECT_EQ(outcome_of(plan(snapshot, config)).preempted, (std::vector<Expect::Jobs>{{1, 1, 5}})) << order;
    EXPECT_EQ(reason_on(plan(snapshot, config), 2, 1), "preempting_for_first_tasks") << order;
    // The killed ones are gone: what they leave is for the first tasks, though their campaign is the older one.
    snapshot.pairs[0].live_jobs = 11;
    snapshot.campaigns[0].waiting_tasks += 5;
    snapshot.clusters[0].free_resources = 5;
    EXPECT_EQ(jobs_on(plan(snapshot, config), 2, 1), 5) << order;
  }
}

TEST(GiveWay, IsOff_UnlessConfigured_AndNeedsHeadStarts) {
  auto config = kGivesWay;
  config.head_start_preempts = false;
  EXPECT_TRUE(plan(a_big_campaign_has_all(), config).preemptions.empty());
  config = {.head_start_preempts = true};
  ASSERT_FALSE(check(config));
  EXPECT_EQ(check(config).error(), "head_start_preempts = yes has no effect with head_start = no: set head_start = yes as well");
}

TEST(GiveWay, JobsThatAreBeingKilled_Count) {
  auto snapshot = a_big_campaign_has_all();
  snapshot.pairs[0].dying_jobs = 3;
  EXPECT_EQ(outcome_of(plan(snapshot, kGivesWay)).preempted, (std::vector<Expect::Jobs>{{1, 1, 2}}));
  snapshot.pairs[0].dying_jobs = 5;
  const auto result = plan(snapshot, kGivesWay);
  EXPECT_TRUE(result.preemptions.empty());
  EXPECT_EQ(reason_on(result, 2, 1), "preempting_for_first_tasks");
  // Their queued jobs are being killed with them.
  snapshot.pairs[0].live_jobs += 6;
  snapshot.pairs[0].waiting_jobs = 6;
  snapshot.clusters[0].waiting_resources = 6;
  EXPECT_TRUE(plan(snapshot, kGivesWay).preemptions.empty());
}

TEST(GiveWay, AUserKeepsThePart_AndAUsersFirstTasksGetNoMoreThanOne) {
  auto snapshot = users({"ada", "bob", "cyn", "dan"});
  for (auto& campaign : snapshot.campaigns) campaign.waiting_tasks = campaign.unsettled_tasks = 15;
  snapshot.campaigns[0].settled_tasks = 1000;
  snapshot.pairs[0].concluded_jobs = 1000;
  snapshot.pairs[0].live_jobs = 16;
  snapshot.clusters[0].free_resources = 0;
  auto config = kGivesWay;
  config.early_grid_percent = 100;
  // Three users with 15 first tasks each want 4 of 16 resources; ada keeps 4.
  EXPECT_EQ(outcome_of(plan(snapshot, config)).preempted, (std::vector<Expect::Jobs>{{1, 1, 12}}));
  for (const std::size_t pair : {1, 2, 3}) {
    snapshot.pairs[pair].live_jobs = 4;
    snapshot.campaigns[pair].waiting_tasks = 11;
  }
  snapshot.pairs[0].live_jobs = 4;
  EXPECT_TRUE(plan(snapshot, config).preemptions.empty()) << "each holds a part";
}

TEST(GiveWay, NoJobOfTheSameUser_OfAClassThatGoesBefore_OrOfAFirstTask_IsKilled) {
  auto own = a_big_campaign_has_all();
  own.campaigns[1].user = "ada";
  EXPECT_TRUE(plan(own, kGivesWay).preemptions.empty()) << "of the same user";
  auto higher = a_big_campaign_has_all();
  higher.campaigns[0].priority = 2;
  EXPECT_FALSE(plan(higher, kGivesWay).preemptions.empty()) << "in fifo there is one class";
  auto by_priority = kGivesWay;
  by_priority.campaign_order = "priority";
  EXPECT_TRUE(plan(higher, by_priority).preemptions.empty());
  auto first = a_big_campaign_has_all();
  first.campaigns[0].settled_tasks = first.pairs[0].concluded_jobs = 4;  // 20 are first tasks: of the 16 that run, all
  EXPECT_TRUE(plan(first, kGivesWay).preemptions.empty());
  auto test = a_big_campaign_has_all();
  test.campaigns[0].type = grid::CampaignType::test;
  EXPECT_TRUE(plan(test, kGivesWay).preemptions.empty());
}

TEST(GiveWay, LaterTasks_FreeNothing) {
  auto snapshot = a_big_campaign_has_all();
  snapshot.campaigns[1].settled_tasks = 20;
  snapshot.pairs[1].concluded_jobs = 20;
  EXPECT_TRUE(plan(snapshot, kGivesWay).preemptions.empty());
}

TEST(GiveWay, FirstTasksThatWaitInTheQueue_AreWantedToo_BehindWhatWaitsThere) {
  auto snapshot = a_big_campaign_has_all();
  snapshot.campaigns[1].waiting_tasks = 0;  // no contender any more
  snapshot.pairs[1].live_jobs = snapshot.pairs[1].waiting_jobs = 5;
  snapshot.clusters[0].waiting_resources = 5;
  EXPECT_EQ(outcome_of(plan(snapshot, kGivesWay)).preempted, (std::vector<Expect::Jobs>{{1, 1, 5}}));
  // Queued jobs of the big campaign itself are killed with its running ones.
  snapshot.pairs[0].live_jobs = 19;
  snapshot.pairs[0].waiting_jobs = 3;
  snapshot.clusters[0].waiting_resources = 8;
  EXPECT_EQ(outcome_of(plan(snapshot, kGivesWay)).preempted, (std::vector<Expect::Jobs>{{1, 1, 5}}));
  // Queued jobs of others take freed resources first.
  auto others = a_campaign(3);
  others.user = "cyn";
  others.unsettled_tasks = 4000;
  others.settled_tasks = 1000;
  others.waiting_tasks = 0;
  snapshot.campaigns.push_back(others);
  snapshot.pairs.push_back(a_pair(3, 1));
  snapshot.pairs[2].concluded_jobs = 1000;
  snapshot.pairs[2].live_jobs = snapshot.pairs[2].waiting_jobs = 2;
  EXPECT_EQ(outcome_of(plan(snapshot, kGivesWay)).preempted, (std::vector<Expect::Jobs>{{1, 1, 7}}));
}

TEST(GiveWay, AJobTooWideForThePart_AndOneThatRequestsNodes_FreeNothing) {
  auto wide = a_big_campaign_has_all();
  wide.pairs[1].resources_per_job = 9;
  wide.pairs[1].job_ratio = 1.0 / 9;
  EXPECT_TRUE(plan(wide, kGivesWay).preemptions.empty()) << "a part is 8";
  auto nodes = a_big_campaign_has_all();
  nodes.pairs[1].nodes_per_job = 1;
  EXPECT_TRUE(plan(nodes, kGivesWay).preemptions.empty());
}

TEST(GiveWay, NarrowJobsFreeNothingForAWiderOne_AsTheyEndOneByOne) {
  auto snapshot = a_big_campaign_has_all();
  snapshot.pairs[1].resources_per_job = 2;
  snapshot.pairs[1].job_ratio = 0.5;
  EXPECT_TRUE(plan(snapshot, kGivesWay).preemptions.empty());
  snapshot.pairs[0] = a_pair(1, 1, 2);
  snapshot.pairs[0].live_jobs = 8;
  snapshot.pairs[0].concluded_jobs = 100;
  EXPECT_EQ(outcome_of(plan(snapshot, kGivesWay)).preempted, (std::vector<Expect::Jobs>{{1, 1, 4}}));
}

TEST(GiveWay, WideJobs_GiveWhole_AndOnlyWhileTheirUserKeepsThePart) {
  auto snapshot = a_big_campaign_has_all();
  snapshot.pairs[0] = a_pair(1, 1, 4);
  snapshot.pairs[0].live_jobs = 4;
  snapshot.pairs[0].concluded_jobs = 100;
  EXPECT_EQ(outcome_of(plan(snapshot, kGivesWay)).preempted, (std::vector<Expect::Jobs>{{1, 1, 2}})) << "5 are wanted, and 8 are freed";
  snapshot.pairs[0] = a_pair(1, 1, 16);
  snapshot.pairs[0].live_jobs = 1;
  snapshot.pairs[0].concluded_jobs = 100;
  EXPECT_TRUE(plan(snapshot, kGivesWay).preemptions.empty()) << "its user would hold nothing";
}

TEST(GiveWay, ACampaignOfTheLowestPriority_GivesAll_BeforeOthersGiveAnything) {
  auto snapshot = a_big_campaign_has_all();
  snapshot.campaigns.push_back(a_campaign(3));
  snapshot.campaigns[2].user = "cyn";
  snapshot.campaigns[2].priority = kLowestPriority;
  snapshot.campaigns[2].waiting_tasks = 0;
  snapshot.pairs.push_back(a_pair(3, 1));
  snapshot.pairs[0].live_jobs = 8;
  snapshot.pairs[2].live_jobs = 8;
  snapshot.campaigns[0].waiting_tasks = 0;
  EXPECT_EQ(outcome_of(plan(snapshot, kGivesWay)).preempted, (std::vector<Expect::Jobs>{{3, 1, 5}}));
}

TEST(GiveWay, AClusterThatIsNotReachable_IsLeftAlone) {
  auto snapshot = a_big_campaign_has_all();
  snapshot.clusters[0].reachable = false;
  EXPECT_TRUE(plan(snapshot, kGivesWay).preemptions.empty());
}

// Laws, over drawn snapshots.

/// Campaigns of up to six users, with jobs that fill a cluster or not, some of which wait in its queue.
Snapshot drawn(std::mt19937& draw) {
  const auto up_to = [&](int most) { return static_cast<int>(draw() % static_cast<unsigned>(most + 1)); };
  std::vector<std::string> names;
  for (int i = 1 + up_to(12); i >= 0; --i) names.push_back(fmt::format("u{}", up_to(5)));
  auto snapshot = users(names);
  snapshot.clusters[0].max_resources = 200;
  snapshot.clusters[0].flood = 0.1;
  int free = 200;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const int each = 1 + up_to(3) / 3 * up_to(60);
    auto& pair = snapshot.pairs[i];
    pair = a_pair(static_cast<std::int64_t>(i) + 1, 1, each);
    const int running = up_to(free / each);
    free -= running * each;
    pair.waiting_jobs = up_to(3) / 3 * up_to(10);
    pair.live_jobs = running + pair.waiting_jobs;
    pair.concluded_jobs = up_to(1) * up_to(50);
    snapshot.clusters[0].waiting_resources += pair.waiting_jobs * each;
    auto& campaign = snapshot.campaigns[i];
    campaign.priority = 2 + up_to(3);
    campaign.waiting_tasks = up_to(100);
    campaign.settled_tasks = pair.concluded_jobs;
    campaign.unsettled_tasks = campaign.waiting_tasks + pair.live_jobs;
  }
  snapshot.clusters[0].free_resources = free;
  return snapshot;
}

std::map<std::string, double> held_by_user(const Snapshot& snapshot) {
  std::map<std::string, double> held;
  for (std::size_t i = 0; i < snapshot.pairs.size(); ++i) {
    const auto& pair = snapshot.pairs[i];
    held[snapshot.campaigns[i].user] += (pair.live_jobs - pair.waiting_jobs) * *pair.resources_per_job;
  }
  return held;
}

TEST(GiveWayLaws, WhoGives_KeepsThePart_AndTheOrderOfTheListsDoesNotMatter) {
  int given = 0;
  for (unsigned seed = 1; seed <= 400; ++seed) {
    std::mt19937 draw{seed};
    const auto snapshot = drawn(draw);
    auto config = kGivesWay;
    config.campaign_order = seed % 2 == 0 ? "fifo" : "priority,tickets";
    const auto result = plan(snapshot, config);
    auto held = held_by_user(snapshot);
    for (const auto& preemption : result.preemptions) {
      const auto index = static_cast<std::size_t>(preemption.campaign.value() - 1);
      auto& of_user = held.at(snapshot.campaigns[index].user);
      of_user -= preemption.jobs * *snapshot.pairs[index].resources_per_job;
      // A part is smaller the more users there are: at most all of the snapshot.
      EXPECT_GE(of_user, 200.0 / static_cast<double>(held.size())) << seed;
      ++given;
    }
    auto shuffled = snapshot;
    std::ranges::reverse(shuffled.campaigns);
    std::ranges::reverse(shuffled.pairs);
    EXPECT_EQ(summed(plan(shuffled, config).preemptions), summed(result.preemptions)) << seed;
  }
  EXPECT_GT(given, 40);
}

/// OAR starts what waits in its queue, as far as resources are free.
void start_queued(Snapshot& snapshot) {
  auto& cluster = snapshot.clusters[0];
  for (auto& pair : snapshot.pairs) {
    const int starts = std::min(pair.waiting_jobs, cluster.free_resources / *pair.resources_per_job);
    pair.waiting_jobs -= starts;
    cluster.free_resources -= starts * *pair.resources_per_job;
    cluster.waiting_resources -= starts * *pair.resources_per_job;
  }
}

/// Once the killed jobs are gone, and the first tasks run, nothing more is killed for these.
TEST(GiveWayLaws, KillsComeToAnEnd) {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    std::mt19937 draw{seed};
    auto snapshot = drawn(draw);
    int rounds = 0;
    for (; rounds < 30; ++rounds) {
      const auto result = plan(snapshot, kGivesWay);
      if (result.preemptions.empty()) break;
      for (const auto& preemption : result.preemptions) {
        const auto index = static_cast<std::size_t>(preemption.campaign.value() - 1);
        auto& pair = snapshot.pairs[index];
        const int ended = preemption.jobs + pair.waiting_jobs;
        pair.live_jobs -= ended;
        snapshot.clusters[0].free_resources += preemption.jobs * *pair.resources_per_job;
        snapshot.clusters[0].waiting_resources -= pair.waiting_jobs * *pair.resources_per_job;
        pair.waiting_jobs = 0;
        snapshot.campaigns[index].waiting_tasks += ended;
      }
      start_queued(snapshot);
      const auto next = plan(snapshot, kGivesWay);
      for (const auto& launch : next.launches) {
        const auto index = static_cast<std::size_t>(launch.campaign.value() - 1);
        auto& pair = snapshot.pairs[index];
        const int starts = std::min(launch.jobs, snapshot.clusters[0].free_resources / *pair.resources_per_job);
        pair.live_jobs += launch.jobs;
        pair.waiting_jobs += launch.jobs - starts;
        snapshot.clusters[0].free_resources -= starts * *pair.resources_per_job;
        snapshot.clusters[0].waiting_resources += (launch.jobs - starts) * *pair.resources_per_job;
        snapshot.campaigns[index].waiting_tasks -= launch.jobs;
      }
    }
    EXPECT_LT(rounds, 30) << seed;
  }
}

}  // namespace
}  // namespace gleaner::planner::test
