// Tasks that come after others one by one: on which cluster they wait.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <array>
#include <chrono>

#include "lib/intake/request_freed.hpp"
#include "lib/store/changes.hpp"
#include "lib/store/checkpoints.hpp"
#include "lib/store/declarations.hpp"
#include "lib/store/dependencies.hpp"
#include "lib/store/prune.hpp"
#include "lib/store/sinks.hpp"
#include "tests/db/grid_fixture.hpp"

namespace gleaner::tests {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* kSame = R"({"after_each": [1]})";
constexpr const char* kAny = R"({"after_each": [1], "after_each_cluster": "any"})";

class Followers : public GridFixture {
 protected:
  /// The first campaign, whose tasks ran on alpha, but for the last `on_beta`.
  grid::CampaignId done_campaign(int tasks, int on_beta) {
    const auto first = a_campaign(tasks);
    for (const auto& job : launched(first, alpha, tasks - on_beta)) end(job, grid::JobEnd::done);
    if (on_beta > 0)
      for (const auto& job : launched(first, beta, on_beta)) end(job, grid::JobEnd::done);
    return first;
  }
  grid::CampaignId after(grid::CampaignId first, int tasks, const std::string& jdl = kSame,
                         const std::vector<std::string>& clusters = {"alpha", "beta"}) {
    const auto id = a_campaign(tasks, clusters);
    execute(fmt::format("UPDATE campaigns SET jdl = '{}' WHERE id = {}", jdl, id.value()));
    std::array dependencies{store::NewDependency{.kind = grid::DependencyKind::after_each, .on = first}};
    store::transact(database, std::nullopt, [&](store::Transaction& transaction) {
      EXPECT_FALSE(store::wrong_dependency(transaction, tasks, dependencies));
      store::add_dependencies(transaction, id, dependencies, now);
    });
    return id;
  }
  void finish() {
    transact([&](store::Transaction& t) { static_cast<void>(store::finish_campaigns(t, now)); });
  }
  /// `0:alpha 1:beta 2:` : the tasks in the bag, and the clusters that they wait for.
  std::string bag(grid::CampaignId campaign) {
    store::release_freed(database, term, std::chrono::minutes{10}, now, intake::request_freed,
                         [](const store::ToRelease&, const std::string& why) { throw std::runtime_error{why}; });
    return value(
        fmt::format("SELECT coalesce(string_agg(number || ':' || coalesce(k.name, ''), ' ' ORDER BY number), '') FROM returned_tasks r "
                    "LEFT JOIN clusters k ON k.id = r.cluster_id WHERE campaign_id = {}",
                    campaign.value()));
  }
  int plan(grid::CampaignId campaign, grid::ClusterId cluster, int jobs) {
    int got = 0;
    transact([&](store::Transaction& t) {
      got = store::plan_launch(t, {.campaign = campaign, .cluster = cluster, .jobs = jobs, .resources = 1.0 * jobs}, term, now);
    });
    return got;
  }
  void follow_again(grid::CampaignId campaign, const std::string& jdl) {
    execute(fmt::format("UPDATE campaigns SET jdl = '{}' WHERE id = {}", jdl, campaign.value()));
    transact([&](store::Transaction& t) { store::follow_again(t, campaign); });
  }
  /// Gives back tasks 0 and 1 of the campaign, which a sink of alpha swallowed; the sink's brake is gone.
  store::HeldAgain given_back_by_a_sink(grid::CampaignId campaign) {
    execute(fmt::format(
        "INSERT INTO events (campaign_id, cluster_id, code, message, state, opened_at, last_at) SELECT {0}, id, 'SINK', 'm', 'open', now(), "
        "now() FROM clusters WHERE name = 'alpha'; UPDATE jobs SET sink = (SELECT max(id) FROM events) WHERE campaign_id = {0} AND task < 2",
        campaign.value()));
    store::GivenBack given;
    transact([&](store::Transaction& t) {
      given = store::retry_swallowed_tasks(t, campaign, {.cluster = "alpha"}, {grid::Seconds{60}, grid::Seconds{600}}, now);
    });
    EXPECT_EQ(given.tasks, 2);
    execute("DELETE FROM brakes");
    return given.after;
  }
};

TEST_F(Followers, WaitForTheClusterWhereTheTaskRanThatTheyComeAfter_AndStartNowhereElse) {
  const auto first = done_campaign(4, 1);
  const auto second = after(first, 4);
  EXPECT_EQ(bag(second), "0:alpha 1:alpha 2:alpha 3:beta");
  EXPECT_EQ(plan(second, beta, 10), 1);
  EXPECT_EQ(plan(second, beta, 10), 0);
  EXPECT_EQ(plan(second, alpha, 10), 3);
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(Followers, OfACampaignThatWasOverBefore_AndTasksThatAreAppended_FollowToo) {
  const auto first = done_campaign(3, 2);
  finish();
  ASSERT_EQ(value("SELECT state FROM campaigns WHERE id = 1"), "terminated");
  const auto second = after(first, 2);
  EXPECT_EQ(bag(second), "0:alpha 1:beta");
  EXPECT_EQ(value("SELECT count(*) FROM dependencies WHERE released_at IS NULL"), "0");
  store::transact(database, std::nullopt, [&](store::Transaction& transaction) {
    store::write_numbered_tasks(transaction, second, 2, 2);
    EXPECT_TRUE(store::append_tasks(transaction, second, {.first = 2, .count = 2}, std::nullopt));
    store::hold_appended(transaction, second, 2);
  });
  EXPECT_EQ(bag(second), "0:alpha 1:beta 2:beta 3:") << "task 3 comes after none";
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(Followers, ThatAreRetried_StayThere_AndACheckpointIsNotLeftForAnotherCluster) {
  const auto second = after(done_campaign(2, 1), 2);
  ASSERT_EQ(bag(second), "0:alpha 1:beta");
  const auto job = launched(second, beta, 1).front();
  end(job, grid::JobEnd::task_error, {.attempts = 9, .charged = 9, .retries = 9});
  EXPECT_EQ(bag(second), "0:alpha 1:beta");
  transact([&](store::Transaction& t) { EXPECT_THAT(store::release_kept_tasks(t, now + std::chrono::hours{1000}, now), IsEmpty()); });
  EXPECT_EQ(bag(second), "0:alpha 1:beta");
  transact([&](store::Transaction& t) {
    EXPECT_TRUE(store::kept_task(t, second, grid::TaskNumber{1})->follows);
    EXPECT_EQ(store::kept_task(t, second, grid::TaskNumber{1})->cluster, "beta");
  });
}

TEST_F(Followers, OfATaskThatIsDoneAnewElsewhere_GoThere) {
  const auto first = done_campaign(2, 0);
  const auto second = after(first, 2);
  ASSERT_EQ(bag(second), "0:alpha 1:alpha");
  // As a sink's tasks are given back.
  execute("UPDATE tasks SET state = 'waiting', attempt = 1 WHERE campaign_id = 1 AND number = 1");
  execute("INSERT INTO returned_tasks (campaign_id, number, returned_at) VALUES (1, 1, now())");
  end(launched(first, beta, 1).front(), grid::JobEnd::done);
  EXPECT_EQ(bag(second), "0:alpha 1:beta");
}

TEST_F(Followers, OfTasksThatNeedNoFiles_GoAnywhere_AndAnEditFreesThemAndBindsThem) {
  const auto first = done_campaign(2, 1);
  const auto second = after(first, 2, kAny);
  EXPECT_EQ(bag(second), "0: 1:");
  follow_again(second, kSame);
  EXPECT_EQ(bag(second), "0:alpha 1:beta");
  follow_again(second, kAny);
  EXPECT_EQ(bag(second), "0: 1:");
}

TEST_F(Followers, GoToAnyClusterWithTheSameHomes) {
  store::transact(database, std::nullopt, [&](store::Transaction& t) {
    store::Cluster gamma;
    gamma.name = "gamma";
    gamma.url = "http://127.0.0.1:1/gamma";
    gamma.shared_home = "site";
    static_cast<void>(store::add_cluster(t, gamma));
  });
  const auto first = done_campaign(2, 1);
  const auto share = [&](const std::string& name) {
    store::transact(database, std::nullopt, [&](store::Transaction& t) {
      auto cluster = store::find_cluster(t, name).value();
      cluster.shared_home = "site";
      store::edit_cluster(t, cluster);
    });
  };
  const auto both = after(first, 2);
  const auto partly = after(first, 2, kSame, {"beta", "gamma"});
  EXPECT_EQ(bag(both), "0:alpha 1:beta");
  EXPECT_EQ(bag(partly), "0: 1:beta") << "no cluster of it sees the files of alpha";
  transact([&](store::Transaction& t) {
    const std::array names{std::string{"beta"}, std::string{"gamma"}};
    EXPECT_THAT(store::unseen_clusters(t, first, names), ElementsAre("alpha"));
  });
  share("alpha");
  transact([&](store::Transaction& t) {
    const std::array names{std::string{"beta"}, std::string{"gamma"}};
    EXPECT_THAT(store::unseen_clusters(t, first, names), IsEmpty());
  });
  EXPECT_EQ(bag(partly), "0:gamma 1:beta");
  share("beta");
  EXPECT_EQ(bag(partly), "0: 1:");
  EXPECT_EQ(bag(both), "0: 1:");
}

TEST_F(Followers, GoToTheOneOfTwoClustersWithTheSameHomes_ThatTheCampaignUses) {
  store::transact(database, std::nullopt, [&](store::Transaction& t) {
    store::Cluster gamma;
    gamma.name = "gamma";
    gamma.url = "http://127.0.0.1:1/gamma";
    static_cast<void>(store::add_cluster(t, gamma));
  });
  execute("UPDATE clusters SET shared_home = 'site' WHERE name IN ('alpha', 'beta')");
  const auto second = after(done_campaign(1, 0), 1, kSame, {"alpha", "beta", "gamma"});
  EXPECT_EQ(bag(second), "0:alpha") << "where it ran";
  execute(
      fmt::format("UPDATE campaign_clusters SET max_jobs = 0 WHERE campaign_id = {} AND cluster_id = {}", second.value(), alpha.value()));
  follow_again(second, kSame);
  EXPECT_EQ(bag(second), "0:beta") << "alpha is off, and beta has the same files";
}

TEST_F(Followers, KeepTheCampaignThatTheyComeAfter_WhileTheyWait) {
  const auto first = done_campaign(2, 1);
  const auto second = after(first, 2);
  ASSERT_EQ(bag(second), "0:alpha 1:beta");
  finish();
  execute("UPDATE campaign_clusters SET cleaned_at = now()");
  transact([&](store::Transaction& t) {
    const auto sealed = store::seal_campaign(t, first);
    ASSERT_FALSE(sealed) << "its jobs say where the files are";
    EXPECT_EQ(sealed.error(), "campaign 2 waits for it: cancel that one first, or let it end");
  });
  EXPECT_EQ(store::prune(database, now + std::chrono::hours{1000}).campaigns, 0);
}

TEST_F(Followers, OfARetiredCluster_AreFreed_AndThoseOfADisabledOneWait) {
  const auto second = after(done_campaign(2, 1), 2);
  ASSERT_EQ(bag(second), "0:alpha 1:beta");
  execute("UPDATE clusters SET enabled = false WHERE name = 'alpha'");
  transact([&](store::Transaction& t) { EXPECT_THAT(store::release_kept_tasks(t, now, now), IsEmpty()); });
  EXPECT_EQ(bag(second), "0:alpha 1:beta");
  transact([&](store::Transaction& t) {
    EXPECT_TRUE(store::retire_cluster(t, beta, now));
    static_cast<void>(store::release_bound_tasks(t, beta, {}, now));
  });
  EXPECT_EQ(bag(second), "0:alpha 1:");
  EXPECT_THAT(broken(), IsEmpty());
}

/// An administrator's edit of a cluster changed the rows of all bags in its own transaction.
TEST_F(Followers, AreBoundAnewInTheTurnOfTheMetascheduler_WhateverIsDoneToAClusterChangesNoRowOfABag) {
  const auto second = after(done_campaign(3, 1), 3);
  ASSERT_EQ(bag(second), "0:alpha 1:alpha 2:beta");
  const auto rows = [&] { return value("SELECT string_agg(xmin || ' ' || ctid, ', ' ORDER BY number) FROM returned_tasks"); };
  const auto before = rows();
  store::transact(database, std::nullopt, [&](store::Transaction& t) {
    auto cluster = store::find_cluster(t, "beta").value();
    cluster.enabled = false;
    store::edit_cluster(t, cluster);
    EXPECT_TRUE(store::retire_cluster(t, beta, now));
    static_cast<void>(store::release_bound_tasks(t, beta, {}, now));
  });
  EXPECT_EQ(rows(), before);
  EXPECT_EQ(bag(second), "0:alpha 1:alpha 2:");
  EXPECT_EQ(value("SELECT count(*) FROM dependencies WHERE scan_at < scan_to"), "0");
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(Followers, OfARetiredCluster_AreNamedByAnEventOfTheirCampaign_UntilItIsBack) {
  const auto first = done_campaign(2, 1);
  const auto second = after(first, 2);
  const auto free = after(first, 2, kAny);
  static_cast<void>(free);
  const auto events = [&] {
    return value("SELECT coalesce(string_agg(code || ' ' || campaign_id, ', '), '') FROM events WHERE state = 'open'");
  };
  transact([&](store::Transaction& t) { EXPECT_TRUE(store::retire_cluster(t, beta, now)); });
  EXPECT_EQ(events(), fmt::format("FILES_OUT_OF_REACH {}", second.value()));
  EXPECT_THAT(stored.event().message,
              ::testing::StartsWith("beta is retired, where 1 task of campaign 1 ran, and no cluster of this campaign has the homes"));
  EXPECT_EQ(bag(second), "0:alpha 1:");
  transact([&](store::Transaction& t) { EXPECT_TRUE(store::bring_back_cluster(t, beta, now)); });
  EXPECT_EQ(events(), "");
  EXPECT_EQ(bag(second), "0:alpha 1:beta") << "it waits for its files again";
}

TEST_F(Followers, OfTasksThatASinkGivesBack_WaitForThemAgain) {
  const auto first = a_campaign(3);
  for (const auto& job : launched(first, alpha, 3)) end(job, grid::JobEnd::done);
  execute(
      "UPDATE campaigns SET total = 4, waiting = 1 WHERE id = 1; INSERT INTO tasks (campaign_id, number, parameter) VALUES (1, 3, '3')");
  const auto second = after(first, 3);
  ASSERT_EQ(bag(second), "0:alpha 1:alpha 2:alpha");
  const auto started = launched(second, alpha, 1);
  ASSERT_EQ(started.front().task.value(), 0);
  const auto held = given_back_by_a_sink(first);
  EXPECT_EQ(held.waiting, 1) << "task 1";
  EXPECT_EQ(held.not_held, 1) << "task 0 is under way";
  EXPECT_EQ(bag(second), "2:alpha");
  EXPECT_THAT(broken(), IsEmpty());
  for (const auto& job : launched(first, beta, 2)) end(job, grid::JobEnd::done);
  EXPECT_EQ(bag(second), "1:beta 2:alpha");
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(Followers, OfTasksThatASinkGivesBack_WaitAgain_AlsoWhereTheDependencyWasMet) {
  const auto first = a_campaign(3);
  const auto second = after(first, 3);
  for (const auto& job : launched(first, alpha, 3)) end(job, grid::JobEnd::done);
  finish();
  ASSERT_EQ(bag(second), "0:alpha 1:alpha 2:alpha");
  const auto whole = after(first, 3);
  const auto met = [&] { return value("SELECT count(*) FROM dependencies WHERE met_at IS NOT NULL"); };
  ASSERT_EQ(met(), "2");
  EXPECT_EQ(given_back_by_a_sink(first).not_held, 0);
  EXPECT_EQ(met(), "0");
  for (const auto campaign : {second, whole}) EXPECT_EQ(bag(campaign), "2:alpha");
  EXPECT_THAT(broken(), IsEmpty());
  for (const auto& job : launched(first, beta, 2)) end(job, grid::JobEnd::done);
  finish();
  EXPECT_EQ(bag(second), "0:beta 1:beta 2:alpha");
  EXPECT_EQ(met(), "2");
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(Followers, AreCountedByTheirCluster_AndGetNoReplicas) {
  const auto second = after(done_campaign(3, 1), 3);
  ASSERT_EQ(bag(second), "0:alpha 1:alpha 2:beta");
  auto transaction = database.begin();
  for (const auto& pair : store::planning_facts(transaction, {.flood = 1, .array_size = 100}, now).pairs) {
    if (pair.campaign != second) continue;
    EXPECT_EQ(pair.following_tasks, pair.cluster == alpha ? 2 : 1);
    EXPECT_EQ(pair.returned_tasks, pair.following_tasks);
  }
}

}  // namespace
}  // namespace gleaner::tests
