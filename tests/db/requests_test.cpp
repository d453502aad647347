#include <fmt/format.h>
#include <gmock/gmock.h>

#include "lib/store/kills.hpp"
#include "lib/store/requests.hpp"
#include "tests/db/grid_fixture.hpp"

namespace gleaner::tests {
namespace {

/// Campaigns whose tasks ask for different things.
class TaskRequests : public GridFixture {
 protected:
  /// Each task asks for one of these, in turn: cores, seconds. Those of more than 8 cores do not fit on beta.
  struct Asked {
    int cores;
    int seconds;
  };
  grid::CampaignId asking(const std::vector<Asked>& asked, int tasks, std::optional<grid::Seconds> max_walltime = {}) {
    grid::CampaignId id{0};
    store::transact(database, std::nullopt, [&](store::Transaction& t) {
      store::NewCampaign campaign;
      campaign.user = "alice";
      campaign.name = "requests";
      campaign.jdl = "{}";
      id = std::get<grid::CampaignId>(store::create_campaign(t, campaign, now));
      for (const auto* name : {"alpha", "beta"}) {
        store::NewCampaignCluster cluster;
        cluster.name = name;
        cluster.exec_file = "run";
        cluster.resources = "/core=p1";
        cluster.max_walltime = max_walltime;
        ASSERT_TRUE(store::add_campaign_cluster(t, id, cluster));
      }
      {
        store::TaskWriter writer{t, id, store::Requests::by_task};
        for (int i = 0; i < tasks; ++i) writer.add(store::ParameterForm::line, std::to_string(i), i % static_cast<int>(asked.size()) + 1);
        writer.finish();
      }
      store::write_requests(t, id, rows_of(asked));
      store::complete_campaign(t, id, tasks);
    });
    return id;
  }
  static std::vector<store::ClusterRequest> rows_of(const std::vector<Asked>& asked) {
    std::vector<store::ClusterRequest> rows;
    for (std::size_t i = 0; i < asked.size(); ++i) {
      for (const auto* name : {"alpha", "beta"}) {
        if (std::string_view{name} == "beta" && asked[i].cores > 8) continue;
        rows.push_back({.cluster = name,
                        .request = static_cast<int>(i) + 1,
                        .shape = asked[i].cores,
                        .resources = fmt::format("/core={}", asked[i].cores),
                        .resources_per_job = asked[i].cores,
                        .memory_mb = {},
                        .walltime = grid::Seconds{asked[i].seconds}});
      }
    }
    return rows;
  }
  int plan(grid::CampaignId campaign, grid::ClusterId cluster, int jobs, double resources) {
    int got = 0;
    transact([&](store::Transaction& t) {
      got = store::plan_launch(t, {.campaign = campaign, .cluster = cluster, .jobs = jobs, .resources = resources}, term, now);
    });
    return got;
  }
  std::vector<store::LaunchToMake> planned(grid::ClusterId cluster) {
    std::vector<store::LaunchToMake> launches;
    transact([&](store::Transaction& t) { launches = store::planned_launches(t, cluster); });
    return launches;
  }
  std::string tasks_of(const store::LaunchToMake& launch) {
    return value(fmt::format("SELECT string_agg(task::text, ' ' ORDER BY id) FROM jobs WHERE launch_id = {}", launch.id.value()));
  }
};

TEST_F(TaskRequests, ALaunch_HoldsTasksOfTheSameResources_WithTheGreatestOfTheirWalltimes) {
  const auto campaign = asking({{1, 600}, {4, 60}, {1, 900}}, 9);
  EXPECT_EQ(plan(campaign, alpha, 9, 100), 9);
  const auto launches = planned(alpha);
  ASSERT_EQ(launches.size(), 2U);
  EXPECT_EQ(launches[0].request, "/core=1");
  EXPECT_EQ(launches[0].walltime, grid::Seconds{900});
  EXPECT_EQ(tasks_of(launches[0]), "0 2 3 5 6 8");
  EXPECT_EQ(launches[1].request, "/core=4");
  EXPECT_EQ(launches[1].walltime, grid::Seconds{60});
  EXPECT_EQ(tasks_of(launches[1]), "1 4 7");
  EXPECT_EQ(value("SELECT string_agg(resources::text, ' ' ORDER BY id) FROM launches"), "6 12");
  EXPECT_EQ(counters(campaign), recount(campaign));
}

TEST_F(TaskRequests, OfALaunch_TakeNoMoreResourcesThanOffered_ButOneJobAtLeast) {
  const auto campaign = asking({{4, 60}}, 9);
  EXPECT_EQ(plan(campaign, alpha, 9, 10), 2);
  EXPECT_EQ(plan(campaign, alpha, 9, 3), 1);
}

TEST_F(TaskRequests, ThatAClusterCannotHold_StayForTheOthers) {
  const auto campaign = asking({{16, 60}, {2, 60}}, 4);
  EXPECT_EQ(plan(campaign, beta, 10, 100), 2);
  EXPECT_EQ(tasks_of(planned(beta)[0]), "1 3");
  EXPECT_EQ(plan(campaign, beta, 10, 100), 0);
  EXPECT_EQ(plan(campaign, alpha, 10, 100), 2);
  EXPECT_EQ(tasks_of(planned(alpha)[0]), "0 2");
}

TEST_F(TaskRequests, ThatAClusterCanHold_AreCounted_AsTheyAreTakenAndGivenBack) {
  const auto campaign = asking({{16, 60}, {2, 60}}, 6);
  const auto same = a_campaign(3);
  const auto fitting = [&](grid::CampaignId of, grid::ClusterId cluster) {
    grid::PlanningFacts facts;
    transact([&](store::Transaction& t) { facts = store::planning_facts(t, {0.5, 500}, now); });
    for (const auto& pair : facts.pairs) {
      if (pair.campaign == of && pair.cluster == cluster) return pair.fitting_tasks;
    }
    throw std::logic_error{"there is no such pair"};
  };
  EXPECT_EQ(fitting(campaign, alpha), 6);
  EXPECT_EQ(fitting(campaign, beta), 3);
  EXPECT_EQ(fitting(same, beta), std::nullopt);
  EXPECT_EQ(plan(campaign, beta, 2, 100), 2);
  EXPECT_EQ(fitting(campaign, alpha), 4);
  EXPECT_EQ(fitting(campaign, beta), 1);
  transact([&](store::Transaction& t) {
    const auto launch = store::planned_launches(t, beta).at(0).id;
    ASSERT_TRUE(store::begin_launch(t, {.launch = launch, .tag = "tag", .login = "alice"}, term, now));
    store::give_back(
        t,
        {.launch = launch, .from = grid::LaunchState::launching, .to = grid::LaunchState::refused, .sent = grid::Sent::never, .error = ""},
        many_attempts, now);
  });
  EXPECT_EQ(fitting(campaign, beta), 3);
  EXPECT_EQ(plan(campaign, beta, 10, 100), 3);
  EXPECT_EQ(fitting(campaign, beta), 0);
  EXPECT_EQ(fitting(campaign, alpha), 3);
}

TEST_F(TaskRequests, EachIsTakenOnce_InTheOrderOfItsNumber_WhateverComesBackMeanwhile) {
  const auto campaign = asking({{1, 60}, {2, 60}, {4, 60}, {1, 120}}, 60);
  int done = 0;
  for (int round = 0; done < 60; ++round) {
    ASSERT_LT(round, 200);
    const auto cluster = round % 2 == 0 ? alpha : beta;
    static_cast<void>(plan(campaign, cluster, 5, 7));
    for (const auto& launch : planned(cluster)) {
      transact([&](store::Transaction& t) {
        ASSERT_TRUE(
            store::begin_launch(t, {.launch = launch.id, .tag = fmt::format("tag-{}", launch.id.value()), .login = "alice"}, term, now));
        if (round % 3 == 0)
          return static_cast<void>(store::give_back(t,
                                                    {.launch = launch.id,
                                                     .from = grid::LaunchState::launching,
                                                     .to = grid::LaunchState::refused,
                                                     .sent = grid::Sent::never,
                                                     .error = ""},
                                                    many_attempts, now));
        std::vector<store::AcceptedJob> accepted;
        for (const auto& line : store::launch_lines(t, launch.id)) accepted.push_back({line.job, grid::RemoteJobId{next_remote++}});
        store::accept_launch(t, launch.id, accepted, std::nullopt, now);
      });
    }
    std::vector<store::LiveJob> live;
    transact([&](store::Transaction& t) { live = store::live_jobs(t, cluster); });
    for (std::size_t i = 0; i < live.size(); ++i) {
      const bool back = (i + static_cast<std::size_t>(round)) % 4 == 0;
      done += back ? 0 : 1;
      end(live[i], back ? grid::JobEnd::preempted : grid::JobEnd::done);
    }
    ASSERT_EQ(counters(campaign), recount(campaign));
    ASSERT_EQ(value("SELECT total - next_task + (SELECT count(*) FROM returned_tasks) - waiting FROM campaigns"), "0");
  }
  EXPECT_EQ(counters(campaign).done, 60);
  EXPECT_EQ(value("SELECT sum(untaken) FROM request_bags"), "0");
}

TEST_F(TaskRequests, OfDifferentSizes_GiveTheFirstJobRatioByTheirMean) {
  const auto campaign = asking({{1, 60}, {3, 120}}, 10);
  EXPECT_EQ(value(fmt::format("SELECT job_ratio FROM forecasts WHERE cluster_id = {}", alpha.value())), "0.5");
  EXPECT_EQ(value(fmt::format(
                "SELECT coalesce(resources_per_job::text, 'differ') || ' ' || walltime_s FROM campaign_clusters WHERE cluster_id = {}",
                alpha.value())),
            "differ 120");
  static_cast<void>(campaign);
}

TEST_F(TaskRequests, AreGoneWithTheirCampaign) {
  const auto campaign = asking({{1, 60}}, 3);
  store::transact(database, std::nullopt, [&](store::Transaction& t) { EXPECT_TRUE(store::cancel_campaign(t, campaign, now)); });
  EXPECT_EQ(plan(campaign, alpha, 3, 3), 0);
  EXPECT_EQ(counters(campaign), (Counters{0, 0, 0, 0, 0, 0, 3}));
}

TEST_F(TaskRequests, AWalltimeThatGrew_IsThatOfItsTasksNextLaunch_AndNeverBeyondTheLimit) {
  const auto campaign = asking({{1, 600}}, 2, grid::Seconds{1000});
  const auto killed = launched(campaign, alpha, 1)[0];
  EXPECT_EQ(killed.walltime, grid::Seconds{600});
  const auto next = end(killed, grid::JobEnd::walltime, {.attempts = 50, .charged = 1, .walltime_factor = 1.5});
  ASSERT_EQ(next.walltime, grid::Seconds{900});
  EXPECT_EQ(value("SELECT state || ' ' || attempt || ' ' || charged || ' ' || walltime_s FROM tasks WHERE number = 0"), "waiting 1 0 900")
      << "it pays nothing";
  const auto again = launched(campaign, alpha, 2);
  EXPECT_EQ(again[0].walltime, grid::Seconds{900}) << "and so has the other one of its launch";
  EXPECT_EQ(end(again[0], grid::JobEnd::walltime, {.attempts = 50, .charged = 1, .walltime_factor = 1.5}).walltime, grid::Seconds{1000});
}

TEST_F(TaskRequests, OfTasksThatWaitForAnotherCluster_DoNotCountAsFitting) {
  const auto campaign = asking({{1, 60}, {2, 60}}, 4);
  execute(fmt::format(
      "UPDATE request_bags SET next_task = 4, untaken = 0; INSERT INTO returned_tasks (campaign_id, number, request, returned_at, "
      "cluster_id) SELECT campaign_id, number, request, now(), CASE WHEN number < 3 THEN {} END FROM tasks",
      alpha.value()));
  auto transaction = database.begin();
  for (const auto& pair : store::planning_facts(transaction, {.flood = 1, .array_size = 100}, now).pairs) {
    EXPECT_EQ(pair.campaign, campaign);
    EXPECT_EQ(pair.fitting_tasks, pair.cluster == alpha ? 4 : 1);
  }
}

/// Tasks 0 and 1 are in the bag again, one that goes after the new ones bound to alpha, and one that goes before them bound to none.
TEST_F(TaskRequests, OfAClusterThatIsOff_AreOnlyThoseOfTasksBoundToIt) {
  const auto campaign = asking({{1, 60}}, 6);
  execute(fmt::format(
      "UPDATE request_bags SET next_task = 2, untaken = 4; UPDATE campaigns SET next_task = 2;"
      "INSERT INTO returned_tasks (campaign_id, number, request, returned_at, priority, cluster_id) VALUES ({0}, 0, 1, now(), 0, {1}), "
      "({0}, 1, 1, now(), 10, NULL); UPDATE campaign_clusters SET max_jobs = 0 WHERE cluster_id = {1}",
      campaign.value(), alpha.value()));
  EXPECT_EQ(plan(campaign, alpha, 1, 100), 1);
  ASSERT_EQ(planned(alpha).size(), 1U);
  EXPECT_EQ(tasks_of(planned(alpha)[0]), "0");
  EXPECT_EQ(plan(campaign, alpha, 6, 100), 0);
  EXPECT_EQ(plan(campaign, beta, 6, 100), 5);
}

}  // namespace
}  // namespace gleaner::tests
