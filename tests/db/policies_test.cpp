#include <fmt/format.h>
#include <gmock/gmock.h>

#include "lib/store/kills.hpp"
#include "lib/store/policies.hpp"
#include "tests/db/grid_fixture.hpp"

namespace gleaner::tests {
namespace {

class Policies : public GridFixture {
 protected:
  grid::PolicyFacts facts() {
    auto transaction = database.begin();
    return store::policy_facts(transaction, {.usage_days = 7, .affinities = true, .endings = true, .dying = true, .profiled = true}, now);
  }
  void edit(const std::function<void(store::Transaction&)>& work) { store::transact(database, std::nullopt, work); }
};

TEST_F(Policies, Usage_FollowsTheEndsOfJobs_AndCountsThoseThatRun) {
  const auto campaign = a_campaign(4);
  execute("UPDATE campaigns SET jdl = '{\"project\": \"physics\"}'");
  const auto jobs = launched(campaign, alpha, 3);
  end(jobs[0], grid::JobEnd::done);
  end(jobs[1], grid::JobEnd::preempted);
  execute(
      "UPDATE jobs SET state = 'running', started_at = instant(1800000000000000) - interval '30 seconds', resources = 2 WHERE state = 'remote_waiting'");
  const auto usage = facts().usage;
  ASSERT_EQ(usage.size(), 1U);
  EXPECT_EQ(usage[0].user, "alice");
  EXPECT_EQ(usage[0].project, "physics");
  EXPECT_EQ(usage[0].days_ago, 0);
  EXPECT_DOUBLE_EQ(usage[0].resource_seconds, 10 + 10 + 2 * 30);
}

TEST_F(Policies, ALimit_CountsWhomItNames_AndIsReplacedByOneOnTheSame) {
  const auto campaign = a_campaign(10);
  launched(campaign, alpha, 3);
  launched(campaign, beta, 2);
  edit([&](store::Transaction& t) {
    store::set_limit(t, {.kind = grid::LimitKind::running_jobs, .most = 9});
    store::set_limit(t, {.kind = grid::LimitKind::running_jobs, .most = 8});
    store::set_limit(t, {.kind = grid::LimitKind::waiting_jobs, .most = 7, .user = "alice", .cluster = alpha});
    store::set_limit(t, {.kind = grid::LimitKind::resources, .most = 6, .user = "bob"});
    store::set_limit(t, {.kind = grid::LimitKind::resource_seconds, .most = 5, .campaign = campaign});
  });
  const auto limits = facts().limits;
  ASSERT_EQ(limits.size(), 4U);
  EXPECT_DOUBLE_EQ(limits[0].most, 8);
  EXPECT_DOUBLE_EQ(limits[0].used, 5);
  EXPECT_DOUBLE_EQ(limits[1].used, 3);
  EXPECT_EQ(limits[1].cluster_name, "alpha");
  EXPECT_DOUBLE_EQ(limits[2].used, 0);
  EXPECT_DOUBLE_EQ(limits[3].used, 5 * 600);
}

TEST_F(Policies, ALimitForEach_CountsTheUseOfEachByName) {
  const auto campaign = a_campaign(10);
  launched(campaign, alpha, 3);
  launched(a_campaign(4), beta, 2);
  execute("UPDATE campaigns SET user_name = 'bob', jdl = '{\"project\": \"physics\"}' WHERE id <> " + std::to_string(campaign.value()));
  const auto used_by = [&](grid::LimitKind kind, grid::LimitEach each, std::optional<std::string> user = {}) {
    edit([&](store::Transaction& t) {
      for (const auto& limit : store::limits(t, now)) store::remove_limit(t, limit.id);
      store::set_limit(t, {.kind = kind, .most = 9, .user = std::move(user), .each = each});
    });
    const auto limits = facts().limits;
    EXPECT_EQ(limits.size(), 1U);
    return limits.at(0).used_by;
  };
  using Uses = std::map<std::string, double>;
  EXPECT_EQ(used_by(grid::LimitKind::running_jobs, grid::LimitEach::user), (Uses{{"alice", 3}, {"bob", 2}}));
  EXPECT_DOUBLE_EQ(facts().limits.at(0).used, 3) << "the most of one";
  EXPECT_EQ(used_by(grid::LimitKind::nodes, grid::LimitEach::project), (Uses{{"", 3}, {"physics", 2}}));
  EXPECT_EQ(used_by(grid::LimitKind::running_jobs, grid::LimitEach::campaign, "bob").size(), 1U);
  EXPECT_EQ(used_by(grid::LimitKind::resource_seconds, grid::LimitEach::user), (Uses{{"alice", 3 * 600}, {"bob", 2 * 600}}));
}

/// Document 002: cores beyond the licence "can be automatically taken into use if any of 500 CPU cores becomes unavailable".
TEST_F(Policies, Document002_TheLicencesOfASilentCluster_AreFreeForOthers_AndCountAgainWhenItAnswers) {
  const auto campaign = a_campaign(10);
  execute("UPDATE campaigns SET jdl = '{\"needs\": {\"matlab\": 1}}'");
  launched(campaign, alpha, 3);
  launched(campaign, beta, 2);
  edit([&](store::Transaction& t) {
    store::set_limit(t, {.kind = grid::LimitKind::consumable, .most = 9, .consumable = "matlab", .silent = std::chrono::minutes{30}});
    store::set_limit(t, {.kind = grid::LimitKind::running_jobs, .most = 9});
  });
  const auto used = [&] {
    const auto limits = facts().limits;
    return std::pair{limits.at(0).used, limits.at(1).used};
  };
  EXPECT_EQ(used(), std::pair(5.0, 5.0));
  execute("UPDATE clusters SET unreachable_since = instant(1800000000000000) - interval '29 minutes' WHERE name = 'alpha'");
  EXPECT_EQ(used(), std::pair(5.0, 5.0)) << "it has not been silent for so long";
  execute("UPDATE clusters SET unreachable_since = instant(1800000000000000) - interval '30 minutes' WHERE name = 'alpha'");
  EXPECT_EQ(used(), std::pair(2.0, 5.0)) << "of the other limit they count";
  execute("UPDATE clusters SET unreachable_since = NULL");
  EXPECT_EQ(used(), std::pair(5.0, 5.0));
}

TEST_F(Policies, AKeep_IsReadAsItWasSet_AndCountsTheUseOfThoseItIsFor) {
  const auto campaign = a_campaign(10);
  launched(campaign, alpha, 3);
  const grid::Keep night{.name = "night",
                         .cluster = alpha,
                         .cluster_name = "alpha",
                         .part = {.amount = 12.5, .percent = true},
                         .user = "alice",
                         .hours = grid::DayHours{.from = 79200, .to = 21600},
                         .until = now + std::chrono::hours{1}};
  edit([&](store::Transaction& t) {
    store::set_keep(t, {.name = "night", .cluster = beta, .part = {.amount = 4}, .type = grid::CampaignType::test});
    store::set_keep(t, night);
    store::set_keep(t, {.name = "bobs", .cluster = alpha, .part = {.amount = 4}, .user = "bob"});
  });
  const auto keeps = facts().keeps;
  ASSERT_EQ(keeps.size(), 2U);
  EXPECT_EQ(keeps[1].part, night.part);
  EXPECT_EQ(keeps[1].hours, night.hours);
  EXPECT_EQ(keeps[1].until, night.until);
  EXPECT_EQ(keeps[1].cluster_name, "alpha");
  EXPECT_EQ(keeps[1].type, std::nullopt);
  edit([&](store::Transaction& t) {
    const auto used = store::used_keeps(t, now);
    EXPECT_DOUBLE_EQ(used[0].used, 0);
    EXPECT_DOUBLE_EQ(used[1].used, 3);
    const auto next = store::next_change_of_keeps(t, now);
    ASSERT_TRUE(next);
    EXPECT_LE(*next, now + std::chrono::hours{1});
  });
}

TEST_F(Policies, AKeepOfAProject_ReadsTheTreeOfShares_AndCountsItsMembersAlone) {
  edit([&](store::Transaction& t) { store::set_keep(t, {.name = "dft", .cluster = alpha, .part = {.amount = 4}, .project = "physics"}); });
  launched(a_campaign(4), alpha, 3);
  execute("UPDATE campaigns SET jdl = '{\"project\": \"physics\"}'");
  const auto used = [&] {
    double resources = 0;
    edit([&](store::Transaction& t) { resources = store::used_keeps(t, now).at(0).used; });
    return resources;
  };
  EXPECT_DOUBLE_EQ(used(), 3) << "no such project has shares";
  edit([&](store::Transaction& t) {
    store::set_share(t, "project", "physics", std::nullopt, 1);
    store::set_share(t, "user", "bob", store::share_of(t, "project", "physics", std::nullopt), 1);
  });
  EXPECT_DOUBLE_EQ(used(), 0) << "alice only names it";
  auto transaction = database.begin();
  EXPECT_EQ(store::policy_facts(transaction, {.declared_priorities = false}, now).shares.size(), 2U);
  transaction.commit();
  edit([&](store::Transaction& t) {
    const auto physics = store::share_of(t, "project", "physics", std::nullopt);
    store::set_share(t, "project", "theory", physics, 1);
    store::set_share(t, "user", "alice", store::share_of(t, "project", "theory", physics), 1);
  });
  EXPECT_DOUBLE_EQ(used(), 3);
}

TEST_F(Policies, Document001_ANewUser_IsOneWhoseFirstCampaignIsYoung_AlsoWhenThatWasDeleted) {
  edit([&](store::Transaction& t) { store::set_keep(t, {.name = "new", .cluster = alpha, .part = {.amount = 4}, .new_users = 86400}); });
  const auto old = a_campaign(1);
  const auto first = [&] { return facts().first_campaigns; };
  ASSERT_EQ(first().size(), 1U);
  const auto at = first()[0].submitted;
  EXPECT_EQ(first()[0].user, "alice");
  execute(fmt::format("DELETE FROM campaigns WHERE id = {}", old.value()));
  now += std::chrono::hours{30};
  launched(a_campaign(1), alpha, 1);
  EXPECT_EQ(first()[0].submitted, at);
  edit([&](store::Transaction& t) { EXPECT_DOUBLE_EQ(store::used_keeps(t, at + std::chrono::hours{23}).at(0).used, 1); });
  edit([&](store::Transaction& t) { EXPECT_DOUBLE_EQ(store::used_keeps(t, at + std::chrono::hours{25}).at(0).used, 0); });
}

TEST_F(Policies, AConsumable_IsHeldByTheLiveJobsOfThoseThatNeedIt_OnAllClusters) {
  const auto one = a_campaign(10), other = a_campaign(10);
  const auto jdl_of = [&](grid::CampaignId campaign, const std::string& jdl) {
    execute(fmt::format("UPDATE campaigns SET jdl = '{}' WHERE id = {}", jdl, campaign.value()));
  };
  jdl_of(one, R"({"needs": {"matlab": 2}})");
  const auto jobs = launched(one, alpha, 3);
  launched(one, beta, 1);
  launched(other, alpha, 4);
  edit([&](store::Transaction& t) {
    store::set_limit(t, {.kind = grid::LimitKind::consumable, .most = 40, .consumable = "matlab"});
    store::set_limit(t, {.kind = grid::LimitKind::consumable, .most = 50, .consumable = "matlab"});
    store::set_limit(t, {.kind = grid::LimitKind::consumable, .most = 5, .cluster = beta, .consumable = "matlab"});
    store::set_limit(t, {.kind = grid::LimitKind::consumable, .most = 9, .user = "bob", .consumable = "gpu"});
  });
  const auto used = [&] {
    std::vector<double> all;
    for (const auto& limit : facts().limits) all.push_back(limit.used);
    return all;
  };
  EXPECT_THAT(used(), testing::ElementsAre(8, 2, 0));
  EXPECT_DOUBLE_EQ(facts().limits[0].most, 50);
  EXPECT_EQ(facts().limits[0].consumable, "matlab");
  end(jobs[0], grid::JobEnd::done);
  EXPECT_THAT(used(), testing::ElementsAre(6, 2, 0));
  jdl_of(one, R"({"needs": {"matlab": 2, "gpu": 1}, "dimensional_grouping": true})");
  execute("UPDATE campaign_clusters SET resources_per_job = 4");
  EXPECT_THAT(used(), testing::ElementsAre(3 * 2 * 4, 2 * 4, 0));
  EXPECT_EQ(value("SELECT needs FROM campaigns WHERE id = " + std::to_string(one.value())), "gpu=1 matlab=2");
  EXPECT_EQ(value("SELECT count(needs) FROM campaigns"), "1");
  auto transaction = database.begin();
  const auto declared = [&](const std::optional<std::string>& user) {
    std::string text;
    for (const auto& consumable : store::consumables(transaction, user))
      text += fmt::format("{} {} {}\n", consumable.name, consumable.most.value_or(-1), consumable.limit > 0);
    return text;
  };
  EXPECT_EQ(declared("bob"), "gpu 9 true\nmatlab 50 true\n");
  EXPECT_EQ(declared("alice"), "gpu -1 false\nmatlab 50 true\n") << "hers is without a limit";
  EXPECT_EQ(declared(std::nullopt), declared("alice"));
}

TEST_F(Policies, ALimitOfAGroup_CountsTheCampaignsOfItsMembers) {
  const auto one = a_campaign(10), other = a_campaign(10);
  execute(fmt::format("UPDATE campaigns SET groups = '{{chemistry,domain users}}' WHERE id = {}", one.value()));
  end(launched(one, alpha, 1)[0], grid::JobEnd::done);
  launched(one, alpha, 3);
  launched(other, alpha, 2);
  edit([&](store::Transaction& t) {
    store::set_limit(t, {.kind = grid::LimitKind::running_jobs, .most = 9, .group = "domain users"});
    store::set_limit(t, {.kind = grid::LimitKind::running_jobs, .most = 9, .group = "biology"});
    store::set_limit(t, {.kind = grid::LimitKind::resource_seconds, .most = 9, .group = "chemistry"});
  });
  const auto limits = facts().limits;
  ASSERT_EQ(limits.size(), 3U);
  EXPECT_EQ(limits[0].group, "domain users");
  EXPECT_DOUBLE_EQ(limits[0].used, 3);
  EXPECT_DOUBLE_EQ(limits[1].used, 0);
  EXPECT_DOUBLE_EQ(limits[2].used, 10 + 3 * 10) << "three more are expected to take as long as the first";
}

TEST_F(Policies, ALimitOnResources_CountsTheMeasuredMean_AndTheBiggestNodeBeforeAnyIsMeasured) {
  launched(a_campaign(10), alpha, 3);
  execute("UPDATE campaign_clusters SET resources = '/nodes=1', resources_per_job = NULL");
  edit([&](store::Transaction& t) {
    store::set_limit(t, {.kind = grid::LimitKind::resources, .most = 64});
    store::set_limit(t, {.kind = grid::LimitKind::resource_seconds, .most = 1e6});
  });
  const auto used = [&] {
    const auto limits = facts().limits;
    return std::pair{limits.at(0).used, limits.at(1).used};
  };
  EXPECT_EQ(used(), std::pair(3.0, 3 * 600.0));
  edit([&](store::Transaction& t) { store::record_resources(t, alpha, 64, {}, *grid::NodeSizes::parse("16x2 8x4"), now); });
  EXPECT_EQ(used(), std::pair(3 * 16.0, 3 * 16 * 600.0));
  execute("UPDATE campaign_clusters SET resources_sum = 30, resources_jobs = 3");
  EXPECT_EQ(used(), std::pair(3 * 10.0, 3 * 10 * 600.0));
}

TEST_F(Policies, ALimitOnResourceSeconds_CountsAllTasksOfAJobThatTakesSeveral) {
  launched(a_campaign(10), alpha, 3);
  execute(
      "UPDATE launches SET pool_s = 120; UPDATE tasks SET state = 'launching' WHERE number BETWEEN 3 AND 6; INSERT INTO jobs (launch_id, "
      "campaign_id, cluster_id, task, attempt, pooled, state) SELECT l.id, l.campaign_id, l.cluster_id, n, 0, true, 'pooled' FROM launches l, "
      "generate_series(3, 6) n");
  edit([&](store::Transaction& t) { store::set_limit(t, {.kind = grid::LimitKind::resource_seconds, .most = 1e6}); });
  EXPECT_DOUBLE_EQ(facts().limits.at(0).used, 3 * 600 + 3 * 120) << "they take tasks for two minutes, and then one more";
  execute("UPDATE campaign_clusters SET done = 1, duration_sum = 10");
  EXPECT_DOUBLE_EQ(facts().limits.at(0).used, 7 * 10);
}

TEST_F(Policies, Usage_OfJobsThatOarDidNotMeasure_IsThatOfTheOthersOfTheirCampaign) {
  const auto campaign = a_campaign(4);
  const auto jobs = launched(campaign, alpha, 2);
  execute("UPDATE campaign_clusters SET resources_per_job = NULL, resources_sum = 20, resources_jobs = 2");
  execute("UPDATE jobs SET state = 'terminated', started_at = instant(1800000000000000), ended_at = instant(1800000010000000) WHERE id = " +
          std::to_string(jobs[0].id.value()));
  execute(
      "UPDATE jobs SET state = 'running', started_at = instant(1800000000000000) - interval '30 seconds' WHERE state = 'remote_waiting'");
  EXPECT_DOUBLE_EQ(facts().usage.at(0).resource_seconds, 10 * 10 + 10 * 30);
  EXPECT_DOUBLE_EQ(facts().endings.at(0).resources, 10);
}

TEST_F(Policies, ALimitOnTheResourceSecondsOfACampaign_CountsWhatThatOneUsed) {
  const auto one = a_campaign(4), other = a_campaign(4);
  for (const auto campaign : {one, other, other}) {
    for (const auto& job : launched(campaign, alpha, 1)) end(job, grid::JobEnd::done);
  }
  edit([&](store::Transaction& t) {
    store::set_limit(t, {.kind = grid::LimitKind::resource_seconds, .most = 100, .campaign = one});
    store::set_limit(t, {.kind = grid::LimitKind::resource_seconds, .most = 100, .campaign = other});
    store::set_limit(t, {.kind = grid::LimitKind::resource_seconds, .most = 100, .user = "alice"});
  });
  const auto limits = facts().limits;
  ASSERT_EQ(limits.size(), 3U);
  EXPECT_DOUBLE_EQ(limits[0].used, 10);
  EXPECT_DOUBLE_EQ(limits[1].used, 20);
  EXPECT_DOUBLE_EQ(limits[2].used, 30);
}

TEST_F(Policies, Preemption_AsksForTheYoungestRunningJobs_AndAllThatWait) {
  const auto campaign = a_campaign(6);
  launched(campaign, alpha, 6);
  execute(
      "UPDATE jobs SET state = 'running', started_at = instant(1800000000000000) - id * interval '1 second' WHERE id <= (SELECT min(id) + 3 FROM jobs)");
  transact([&](store::Transaction& t) { store::preempt_jobs(t, campaign, alpha, 2, now); });
  EXPECT_EQ(value("SELECT string_agg((j.id - m.first)::text, ' ' ORDER BY j.id) FROM kill_requests k JOIN jobs j ON j.id = k.job_id, "
                  "(SELECT min(id) AS first FROM jobs) m WHERE k.reason = 'preempted'"),
            "0 1 4 5");
  const auto dying = facts().dying;
  ASSERT_EQ(dying.size(), 1U);
  EXPECT_EQ(dying[0].jobs, 2);
}

TEST_F(Policies, Endings_ShowWhenResourcesComeBack) {
  const auto campaign = a_campaign(6);
  const auto jobs = launched(campaign, alpha, 3);
  execute("UPDATE jobs SET state = 'running', started_at = instant(1800000000000000) - interval '100 seconds'");
  auto endings = facts().endings;
  ASSERT_EQ(endings.size(), 1U);
  EXPECT_DOUBLE_EQ(endings[0].after, 500);
  EXPECT_DOUBLE_EQ(endings[0].resources, 3);
  execute("UPDATE campaign_clusters SET done = 2, duration_sum = 300");
  EXPECT_DOUBLE_EQ(facts().endings.at(0).after, 50);
}

TEST_F(Policies, Endings_SayWhatMayBeFreeSoon_ByWhatIsKnownOfTheJobs) {
  const auto campaign = a_campaign(6);
  launched(campaign, alpha, 3);
  execute("UPDATE jobs SET state = 'running', started_at = instant(1800000000000000) - interval '100 seconds'");
  const auto soon = [&](std::chrono::seconds time) {
    auto transaction = database.begin();
    const auto endings = store::policy_facts(transaction, {.endings = true, .soon = time}, now).endings;
    return endings.size() == 1 ? endings[0].soon : -1.0;
  };
  EXPECT_DOUBLE_EQ(soon(std::chrono::seconds{100}), 3) << "of jobs of unknown durations: while they are no older than that";
  EXPECT_DOUBLE_EQ(soon(std::chrono::seconds{99}), 0);
  execute("UPDATE campaign_clusters SET done = 2, duration_sum = 300");
  EXPECT_DOUBLE_EQ(soon(std::chrono::seconds{50}), 3) << "of others: if they are expected to end by then";
  EXPECT_DOUBLE_EQ(soon(std::chrono::seconds{49}), 0);
}

TEST_F(Policies, ACampaign_IsProfiledByAnEarlierOneOfTheSameUserAndCommand) {
  const auto first = a_campaign(2);
  end(launched(first, alpha, 1)[0], grid::JobEnd::done);
  const auto second = a_campaign(2);
  EXPECT_THAT(facts().profiled, testing::ElementsAre(second));
  execute("UPDATE campaigns SET user_name = 'bob' WHERE id = " + std::to_string(second.value()));
  EXPECT_TRUE(facts().profiled.empty());
}

TEST_F(Policies, TheTreeOfShares_ListsParentsFirst_AndGoesWithThem) {
  edit([&](store::Transaction& t) {
    store::set_share(t, "project", "science", std::nullopt, 3);
    const auto science = store::share_of(t, "project", "science", std::nullopt);
    store::set_share(t, "project", "physics", science, 1);
    store::set_share(t, "user", "alice", store::share_of(t, "project", "physics", science), 2);
    store::set_share(t, "user", "alice", store::share_of(t, "project", "physics", science), 5);
  });
  const auto shares = facts().shares;
  ASSERT_EQ(shares.size(), 3U);
  EXPECT_EQ(shares[2].name, "alice");
  EXPECT_DOUBLE_EQ(shares[2].shares, 5);
  EXPECT_EQ(shares[2].parent, shares[1].id);
  edit([&](store::Transaction& t) { EXPECT_TRUE(store::remove_share(t, shares[0].id)); });
  EXPECT_TRUE(facts().shares.empty());
}

TEST_F(Policies, AFailure_IsNotedWithItsTime) {
  (void)a_campaign(2);
  EXPECT_EQ(value("SELECT count(last_failure_at) FROM campaign_clusters"), "0");
  execute("UPDATE campaign_clusters SET failures_in_a_row = failures_in_a_row + 1 WHERE cluster_id = " + std::to_string(alpha.value()));
  EXPECT_EQ(value("SELECT count(last_failure_at) FROM campaign_clusters"), "1");
}

TEST_F(Policies, AReservation_IsAsOldAsItsFirstPlan_AndGoesWithTheLast) {
  const auto first = a_campaign(2), second = a_campaign(2);
  const auto hold = [&](const std::vector<grid::HeldForJob>& held, grid::Instant at) {
    edit([&](store::Transaction& t) { store::hold_resources(t, held, at); });
  };
  const grid::HeldForJob on_beta{first, beta, now + grid::Seconds{60}}, on_alpha{second, alpha, now + grid::Seconds{90}};
  hold({on_beta}, now);
  hold({on_alpha, on_beta}, now + grid::Seconds{5});
  EXPECT_EQ(facts().held, (std::vector{on_beta, on_alpha})) << "the oldest first";
  hold({on_alpha}, now + grid::Seconds{9});
  EXPECT_EQ(facts().held, std::vector{on_alpha});
  hold({}, now + grid::Seconds{9});
  EXPECT_TRUE(facts().held.empty());
}

TEST_F(Policies, TheOneJobOfATestCampaign_KeepsItsPlaceInTheQueue) {
  launched(a_campaign(1), alpha, 1);
  const auto waiting = [&] {
    std::size_t jobs = 0;
    edit([&](store::Transaction& t) { jobs = store::waiting_jobs(t, alpha).size(); });
    return jobs;
  };
  EXPECT_EQ(waiting(), 1U);
  execute("UPDATE campaigns SET type = 'test'");
  EXPECT_EQ(waiting(), 0U);
}

}  // namespace
}  // namespace gleaner::tests
