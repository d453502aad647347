#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <array>

#include "lib/fleet/fleet.hpp"
#include "lib/process/options.hpp"
#include "lib/store/clean.hpp"
#include "lib/store/detail.hpp"
#include "lib/store/locks.hpp"
#include "lib/store/matching.hpp"
#include "metascheduler/metascheduler.hpp"
#include "predictor/predictor.hpp"
#include "tests/db/grid_fixture.hpp"
#include "tests/db/stored_sentences.hpp"

namespace gleaner::tests {
namespace {

class Planning : public GridFixture {
 protected:
  [[nodiscard]] grid::PlanningFacts facts() {
    grid::PlanningFacts facts;
    transact([&](store::Transaction& transaction) { facts = store::planning_facts(transaction, {0.5, 500}, now); });
    return facts;
  }
  /// The text of gridstat --why.
  [[nodiscard]] std::string sentences(const std::string& where) {
    return stored_sentences([this](const std::string& sql) { return value(sql); }, where);
  }
  [[nodiscard]] std::string active() {
    return value("SELECT string_agg(campaign_id || ':' || cluster_id, ' ' ORDER BY 1) FROM campaign_clusters WHERE active");
  }
};

TEST_F(Planning, APairThatHadNoJob_IsReportedAsItsJdlRequests) {
  const auto campaign = a_campaign(3);
  execute("UPDATE campaign_clusters SET priority = 20, resources_per_job = NULL, walltime_s = 90, max_jobs = 7 WHERE cluster_id = " +
          std::to_string(beta.value()));
  const auto pairs = facts().pairs;
  ASSERT_EQ(pairs.size(), 2U);
  EXPECT_EQ(pairs[0].campaign, campaign);
  EXPECT_EQ(pairs[0].cluster, alpha);
  EXPECT_EQ(pairs[0].resources_per_job, 1);
  EXPECT_EQ(pairs[0].max_jobs, std::nullopt);
  EXPECT_EQ(pairs[0].walltime, 600);
  EXPECT_EQ(pairs[0].login, "alice");
  EXPECT_EQ(pairs[1].cluster, beta);
  EXPECT_EQ(pairs[1].priority, 20);
  EXPECT_EQ(pairs[1].resources_per_job, std::nullopt);
  EXPECT_EQ(pairs[1].walltime, 90);
  EXPECT_EQ(pairs[1].max_jobs, 7);
  EXPECT_EQ(active(), "");
}

TEST_F(Planning, PairsWithTheSameRequest_AreReportedShortly_AndLikeTheOthers) {
  execute("INSERT INTO clusters (name, url) SELECT 'c' || i, 'http://127.0.0.1:1/' || i FROM generate_series(3, 6) i");
  static_cast<void>(a_campaign(3, {"alpha", "beta", "c3", "c4", "c5", "c6"}));
  execute(
      "UPDATE campaign_clusters SET walltime_s = 90, max_jobs = 2 WHERE cluster_id IN (SELECT id FROM clusters WHERE name IN ('c3', 'c4'))");
  const auto id = [&](const std::string& name) { return value("SELECT id FROM clusters WHERE name = '" + name + "'"); };
  EXPECT_EQ(value("SELECT requested FROM campaigns"),
            fmt::format(R"x({{"(\"{{{},{},{},{}}}\",1,1,600,,,t)","(\"{{{},{}}}\",1,1,90,2,,t)"}})x", id("alpha"), id("beta"), id("c5"),
                        id("c6"), id("c3"), id("c4")));
  std::string told;
  for (const auto& pair : facts().pairs) told += fmt::format("{}/{} ", pair.walltime, pair.max_jobs.value_or(0));
  EXPECT_EQ(told, "600/0 600/0 90/2 90/2 600/0 600/0 ");
}

TEST_F(Planning, APairIsActive_FromItsFirstJobOn) {
  const auto campaign = a_campaign(3);
  static_cast<void>(launched(campaign, beta, 2));
  EXPECT_EQ(active(), std::to_string(campaign.value()) + ":" + std::to_string(beta.value()));
  const auto known = facts();
  EXPECT_EQ(known.pairs[0].waiting, 0);
  EXPECT_EQ(known.pairs[1].waiting, 2);
  EXPECT_TRUE(known.pairs[1].last_accept_at);
  EXPECT_EQ(known.campaigns.at(0).waiting_tasks, 1);
}

TEST_F(Planning, MemoryOfNodesAndTasks_IsKnown_AsRequestedAndAsMeasured) {
  const auto campaign = a_campaign(3);
  static_cast<void>(launched(campaign, beta, 2));
  execute("UPDATE campaign_clusters SET memory_jobs = 6, peak_memory_mb = 812 WHERE active");
  execute(
      "INSERT INTO campaign_requests (campaign_id, cluster_id, request, shape, resources, resources_per_job, memory_mb, walltime_s) "
      "SELECT id, " +
      std::to_string(alpha.value()) + ", n, n, '/core=1', 1, 1000 * n, 600 FROM campaigns, generate_series(1, 2) n");
  auto known = facts();
  EXPECT_EQ(known.pairs[1].memory_jobs, 6);
  EXPECT_EQ(known.pairs[1].peak_memory_mb, 812);
  EXPECT_FALSE(known.pairs[0].peak_memory_mb);
  EXPECT_FALSE(known.pairs[0].memory_mb) << "no cluster states the memory of its nodes";
  execute("UPDATE clusters SET memory_property = 'mem', memory_unit_mb = 1024, node_memory = '16:192' WHERE name = 'alpha'");
  known = facts();
  EXPECT_EQ(known.clusters[0].node_memory, "16:192");
  EXPECT_EQ(known.clusters[0].memory_unit_mb, 1024);
  EXPECT_EQ(known.pairs[0].memory_mb, 2000) << "the most of its tasks";
  EXPECT_FALSE(known.pairs[1].memory_mb);
}

TEST_F(Planning, LoginsBrakesAndBoundTasks_GoToTheirPairsAndCampaigns) {
  const auto first = a_campaign(3), second = a_campaign(3), over = a_campaign(3);
  execute("INSERT INTO user_mappings VALUES ('alice', " + std::to_string(beta.value()) + ", 'al')");
  const auto brake = [&](grid::CampaignId campaign, const std::string& cluster, const std::string& reason) {
    execute("INSERT INTO brakes (campaign_id, cluster_id, reason, created_at, expires_at) VALUES (" + std::to_string(campaign.value()) +
            ", " + cluster + ", '" + reason + "', instant(0), instant(" +
            std::to_string((now + grid::Seconds{60}).time_since_epoch().count()) + "))");
  };
  brake(first, "NULL", "whole");
  brake(second, std::to_string(alpha.value()), "there");
  brake(over, "NULL", "gone");
  execute("UPDATE campaigns SET state = 'cancelled' WHERE id = " + std::to_string(over.value()));
  execute("UPDATE campaigns SET next_task = 2 WHERE id = " + std::to_string(second.value()));
  execute("INSERT INTO returned_tasks (campaign_id, number, cluster_id, returned_at) VALUES (" + std::to_string(second.value()) + ", 0, " +
          std::to_string(beta.value()) + ", instant(0)), (" + std::to_string(second.value()) + ", 1, NULL, instant(0))");
  const auto known = facts();
  ASSERT_EQ(known.campaigns.size(), 2U);
  ASSERT_EQ(known.pairs.size(), 4U);
  EXPECT_EQ(known.campaigns[0].brake.value().reason, "whole");
  EXPECT_FALSE(known.campaigns[1].brake);
  EXPECT_EQ(known.campaigns[1].waiting_tasks, 3);
  EXPECT_EQ(known.pairs[0].login, "alice");
  EXPECT_EQ(known.pairs[1].login, "al");
  EXPECT_FALSE(known.pairs[0].brake);
  EXPECT_EQ(known.pairs[2].brake.value().reason, "there");
  EXPECT_EQ(known.pairs[3].returned_tasks, 1);
  now += grid::Seconds{61};
  EXPECT_FALSE(facts().campaigns[0].brake);
}

TEST_F(Planning, WhatACycleSubmitted_IsKnownToTheNext) {
  const auto campaign = a_campaign(3);
  static_cast<void>(launched(campaign, alpha, 1));
  transact([&](store::Transaction& transaction) {
    const store::Submitted one{.campaign = campaign, .cluster = alpha, .jobs = 1, .offered = 4, .first_ratio = 0.5};
    store::write_submitted(transaction, std::vector{one}, now);
  });
  const auto known = facts();
  EXPECT_EQ(known.pairs[0].last_submitted, 1);
  EXPECT_EQ(known.pairs[0].forecast_ratio, 0.5);
  EXPECT_EQ(known.pairs[1].last_submitted, 0);
}

TEST_F(Planning, APairIsNotActive_WhenItsCampaignIsOverAndItsClaimsAreRemoved_UntilItGoesOn) {
  const auto campaign = a_campaign(3);
  static_cast<void>(launched(campaign, alpha, 1));
  execute("UPDATE tasks SET state = 'failed' WHERE number = 2; UPDATE campaigns SET state = 'terminated', ended_at = instant(0)");
  EXPECT_TRUE(facts().pairs.empty());
  transact([&](store::Transaction& transaction) { store::note_cleaned(transaction, campaign, alpha, now); });
  EXPECT_EQ(active(), "1:1") << "a job of it lives there";
  execute("UPDATE jobs SET state = 'killed', ending = 'killed_by_us', ended_at = instant(0)");
  transact([&](store::Transaction& transaction) { store::note_cleaned(transaction, campaign, alpha, now); });
  EXPECT_EQ(active(), "");
  transact(
      [&](store::Transaction& transaction) { static_cast<void>(store::retry_failed_tasks(transaction, {.campaign = campaign}, now)); });
  EXPECT_FALSE(facts().pairs.empty());
}

/// Cycles of the metascheduler on clusters of 8 resources, of which so many are free.
class PlanningCycle : public Planning {
 protected:
  double flood = 0;
  int ours = 0;  ///< resources in use by our jobs
  void cycle(int free) {
    now += grid::Seconds{10};
    execute(fmt::format(
        "UPDATE clusters SET reachable = true;"
        "INSERT INTO gridstatus (cluster_id, time, max_resources, free, used, used_besteffort, our_running, our_waiting, reachable, api_latency_ms)"
        "  SELECT id, instant({}), 8, {}, 8 - {}, 0, {}, 0, true, 5 FROM clusters",
        now.time_since_epoch().count(), free, free, ours));
    auto config = process::build_config({}, {}).value();
    config.flood = flood;
    metascheduler::run_once(config, database, term, now);
  }
  std::string submitted() {
    return value("SELECT string_agg(cluster_id || ':' || nsub || ' of ' || offered, ' ' ORDER BY cluster_id) FROM forecasts");
  }
};

TEST_F(PlanningCycle, WhatItSubmits_IsWrittenForThePredictor_AndNothingOfIt_AfterACycleThatSubmitsNothing) {
  static_cast<void>(a_campaign(100, {"alpha"}));
  cycle(3);
  EXPECT_EQ(submitted(), fmt::format("{}:3 of 3", alpha.value()));
  cycle(3);
  EXPECT_EQ(submitted(), fmt::format("{}:0 of 0", alpha.value()));
}

/// A job that waited longer than remote_waiting_timeout would be taken back, and sent again.
TEST_F(PlanningCycle, NoMoreWaitInAQueue_ThanMayStartBeforeTheyHaveWaitedTooLong) {
  const auto campaign = a_campaign(100, {"alpha"});
  launched(campaign, alpha, 8);
  execute(
      fmt::format("UPDATE jobs SET state = 'running', started_at = instant({}), resources = 1;"
                  "UPDATE campaign_clusters SET done = 10, duration_sum = 72000, walltime_s = 14400",
                  (now + grid::Seconds{10}).time_since_epoch().count()));
  flood = 0.5;
  ours = 8;
  cycle(0);
  EXPECT_EQ(submitted(), "") << "they end in two hours";
  execute(fmt::format("UPDATE jobs SET started_at = instant({}) - interval '7000 s' WHERE task < 3", now.time_since_epoch().count()));
  cycle(0);
  EXPECT_EQ(submitted(), fmt::format("{}:3 of 0", alpha.value()));
}

TEST_F(PlanningCycle, BehindJobsOfOthers_AllOfTheFloodMayWait_AsNobodyKnowsWhenTheyEnd) {
  static_cast<void>(a_campaign(100, {"alpha"}));
  flood = 0.5;
  cycle(0);
  EXPECT_EQ(submitted(), fmt::format("{}:4 of 0", alpha.value()));
}

TEST_F(PlanningCycle, WhatTheBagDidNotHold_IsNotSaidToBeSubmitted) {
  const auto campaign = a_campaign(3, {"alpha"});
  execute(fmt::format(
      "ALTER TABLE tasks DISABLE TRIGGER USER; UPDATE tasks SET state = 'cancelled' WHERE campaign_id = {} AND number > 0; ALTER TABLE tasks ENABLE TRIGGER USER",
      campaign.value()));
  cycle(3);
  EXPECT_EQ(submitted(), fmt::format("{}:1 of 3", alpha.value()));
}

TEST_F(PlanningCycle, LaunchesOfUnknownFate_AreNamed_WhereTheyHoldTheRoom_AlsoToOtherCampaigns) {
  const auto campaign = a_campaign(100, {"alpha"}), other = a_campaign(100, {"alpha"});
  const std::array lost{begun(campaign, alpha, 5), begun(campaign, alpha, 3)};
  transact([&](store::Transaction& t) { store::mark_unknown(t, lost, "no answer", now + grid::Seconds{15}); });
  cycle(8);
  EXPECT_EQ(
      sentences(fmt::format("d.campaign_id = {}", other.value())),
      "waiting for resources on alpha: alpha has no room: 8 of 8 resources are free, 0 may wait, 8 are held for 8 jobs of 2 launches whose fate is unknown; "
      "a job needs 1, and starts when the cluster has reported whether it accepted the submission");
  cycle(8);
  EXPECT_EQ(value(fmt::format("SELECT reason FROM decisions WHERE campaign_id = {} AND cluster_id = {}", campaign.value(), alpha.value())),
            "launched")
      << "a younger status shows what they take";
}

TEST_F(PlanningCycle, APriorityThatTheOrderDoesNotLookAt_IsReported) {
  static_cast<void>(a_campaign(100, {"alpha"}));
  execute("UPDATE campaigns SET jdl = '{\"campaign_priority\": 1}'");
  cycle(3);
  EXPECT_EQ(
      sentences("d.cluster_id = 0 AND d.stage = 'prioritize' AND d.reason = 'standing'"),
      "its place in the order: campaign_priority 1 changes nothing in the order of campaigns here: the grid's campaign_order is 'fifo', without the class "
      "'priority'");
}

TEST_F(PlanningCycle, ASuspectedCluster_GetsAFew) {
  const auto campaign = a_campaign(100, {"alpha"});
  static_cast<void>(launched(campaign, alpha, 1));
  execute("UPDATE campaign_clusters SET done = 10, duration_sum = 600, suspected = true");
  cycle(8);
  EXPECT_EQ(submitted(), fmt::format("{}:2 of 7", alpha.value()));
}

TEST_F(PlanningCycle, ThatRepeatsTheLast_WritesNoDecision) {
  static_cast<void>(a_campaign(100));
  execute("UPDATE campaigns SET jdl = '{\"min_duration\": 0}'");
  cycle(3);
  cycle(3);
  const auto versions = [&] {
    return value(
        "SELECT string_agg(cluster_id || ':' || xmin, ' ' ORDER BY cluster_id) || (SELECT string_agg(xmin::text, ' ') FROM decided) FROM decisions");
  };
  const auto before = versions();
  cycle(3);
  EXPECT_EQ(versions(), before);
  cycle(2);
  EXPECT_NE(versions(), before);
}

/// Jobs of 16 cores, which only the cluster knows as their JDL asks for a node, on a cluster of 1 024.
TEST_F(PlanningCycle, UnderALimitOnResources_JobsOfUnknownWidth_EndWhereItIs) {
  static_cast<void>(a_campaign(1000, {"alpha"}));
  execute(
      "UPDATE campaign_clusters SET resources = '/nodes=1', resources_per_job = NULL; INSERT INTO limits (kind, most) VALUES ('resources', 64)");
  const auto config = process::build_config({}, {}).value();
  int running = 0;
  for (int i = 0; i < 6; ++i) {
    now += grid::Seconds{10};
    execute(fmt::format(
        "UPDATE clusters SET reachable = true;"
        "INSERT INTO gridstatus (cluster_id, time, max_resources, free, used, used_besteffort, our_running, our_waiting, reachable, api_latency_ms)"
        "  SELECT id, instant({}), 1024, 1024 - {}, 0, 0, 0, 0, true, 5 FROM clusters",
        now.time_since_epoch().count(), 16 * running));
    predictor::run_once(config, database, term, now);
    metascheduler::run_once(config, database, term, now);
    // All that was given starts; OAR says how wide it is.
    execute("UPDATE jobs SET state = 'running', started_at = instant(0), resources = 16 WHERE state = 'planned'");
    running = std::stoi(value("SELECT count(*) FROM jobs WHERE state = 'running'"));
    execute(fmt::format("UPDATE campaign_clusters SET resources_jobs = {0}, resources_sum = 16 * {0}", running));
    ASSERT_LE(16 * running, 64);
  }
  EXPECT_EQ(16 * running, 64);
}

/// From the counts of the database to its launches, and to the sentence of `gridstat --why`.
TEST_F(PlanningCycle, Document003_FirstTasksOfACampaignBehindABigOne_AreLaunchedFirst_AndOnlyThese) {
  const auto big = a_campaign(5000, {"alpha"});
  const auto small = a_campaign(100, {"alpha"});
  execute(fmt::format("UPDATE campaigns SET user_name = 'bob' WHERE id = {}; UPDATE campaigns SET jdl = jdl || '{{\"min_duration\": 0}}'",
                      small.value()));
  execute("INSERT INTO user_mappings SELECT 'bob', id, 'bob' FROM clusters ON CONFLICT DO NOTHING");
  auto config = process::build_config({}, {}).value();
  config.flood = 0;
  const auto cycle = [&] {
    now += grid::Seconds{10};
    execute(fmt::format(
        "UPDATE clusters SET reachable = true;"
        "INSERT INTO gridstatus (cluster_id, time, max_resources, free, used, used_besteffort, our_running, our_waiting, reachable, api_latency_ms)"
        "  SELECT id, instant({}), 1000, 16, 0, 0, 0, 0, true, 5 FROM clusters WHERE name = 'alpha'",
        now.time_since_epoch().count()));
    predictor::run_once(config, database, term, now);
    metascheduler::run_once(config, database, term, now);
    const auto launched = value(
        "SELECT string_agg(n, ' ' ORDER BY campaign_id) FROM (SELECT campaign_id, campaign_id || ':' || count(*) AS n FROM jobs WHERE state = 'planned' "
        "GROUP BY 1) j");
    execute("UPDATE jobs SET state = 'running', started_at = instant(0), resources = 1 WHERE state = 'planned'");
    return launched;
  };
  const auto only = [](grid::CampaignId campaign, int jobs) { return fmt::format("{}:{}", campaign.value(), jobs); };
  EXPECT_EQ(cycle(), only(big, 16)) << "by default";
  config.head_start = true;
  EXPECT_EQ(cycle(), only(big, 6) + " " + only(small, 10)) << "a tenth of 100 tasks";
  EXPECT_THAT(sentences("reason = 'standing'"),
              testing::HasSubstr("head start: 0 of its first 10 tasks have begun, and 10 more may begin before others' later tasks"));
  EXPECT_EQ(cycle(), only(big, 16)) << "they have begun";
  EXPECT_EQ(sentences("reason = 'standing'"), "");
  // Tasks are appended, and some are done: a tenth is 30 now, of which early_tasks leaves 2.
  execute(fmt::format("UPDATE campaigns SET total = 300, done = 8 WHERE id = {}", small.value()));
  config.early_tasks = 12;
  EXPECT_EQ(cycle(), only(big, 14) + " " + only(small, 2));
  EXPECT_EQ(cycle(), only(big, 16));
}

TEST_F(PlanningCycle, PropertiesThatAClusterReports_AreReadOnce_AndBoundTheFirstOffer) {
  const auto campaign = a_campaign(146, {"alpha"}), plain = a_campaign(2, {"alpha"});
  execute(fmt::format(
      "UPDATE campaign_clusters SET properties = 'core <= 4' WHERE campaign_id = {}; INSERT INTO user_mappings VALUES ('alice', {}, 'al')",
      campaign.value(), alpha.value()));
  const auto wanted = [&] {
    std::vector<store::UnmatchedPair> pairs;
    transact([&](store::Transaction& t) { pairs = store::unmatched_pairs(t, alpha, now - grid::Seconds{600}, now - grid::Seconds{60}); });
    return pairs;
  };
  const auto told = [&](std::optional<int> resources) {
    transact([&](store::Transaction& t) { store::record_matching(t, campaign, alpha, resources, now); });
  };
  ASSERT_EQ(wanted().size(), 1U);
  EXPECT_EQ(wanted()[0].campaign, campaign);
  EXPECT_EQ(wanted()[0].properties, "core <= 4");
  EXPECT_EQ(wanted()[0].login, "al");
  told(4);
  EXPECT_TRUE(wanted().empty());
  cycle(8);
  EXPECT_EQ(value(fmt::format("SELECT string_agg(campaign_id || ':' || jobs, ' ' ORDER BY campaign_id) FROM launches")),
            fmt::format("{}:4 {}:2", campaign.value(), plain.value()));
  now += grid::Seconds{601};
  EXPECT_EQ(wanted().size(), 1U);
  told(0);
  now += grid::Seconds{61};
  EXPECT_EQ(wanted().size(), 1U) << "nodes come back";
  told(std::nullopt);
  EXPECT_TRUE(wanted().empty()) << "that it cannot tell is an answer";
}

/// Beside what campaigns request there.
TEST_F(PlanningCycle, PropertiesOfACluster_HoldForAllJobsThere_AndAreAskedForAgainWhenTheyChange) {
  const auto campaign = a_campaign(10, {"alpha"}), plain = a_campaign(10, {"alpha", "beta"});
  execute(fmt::format("UPDATE campaign_clusters SET properties = 'core <= 4' WHERE campaign_id = {}", campaign.value()));
  const auto set = [&](std::string_view properties) {
    transact([&](store::Transaction& t) { store::set_cluster_properties(t, alpha, properties); });
  };
  const auto wanted = [&](grid::ClusterId cluster) {
    std::vector<std::string> all;
    transact([&](store::Transaction& t) {
      for (const auto& pair : store::unmatched_pairs(t, cluster, now - grid::Seconds{600}, now - grid::Seconds{60})) {
        all.push_back(fmt::format("{}: {}", pair.campaign.value(), pair.properties));
        store::record_matching(t, pair.campaign, cluster, 3, now);
      }
    });
    return all;
  };
  set("local = 'NO'");
  EXPECT_EQ(wanted(alpha), (std::vector{fmt::format("{}: (core <= 4) AND (local = 'NO')", campaign.value()),
                                        fmt::format("{}: local = 'NO'", plain.value())}));
  EXPECT_TRUE(wanted(beta).empty());
  cycle(8);
  std::vector<std::string> sent;
  transact([&](store::Transaction& t) {
    for (const auto& launch : store::planned_launches(t, alpha)) sent.push_back(fmt::format("{} {}", launch.jobs, launch.properties));
  });
  EXPECT_EQ(sent, (std::vector<std::string>{"3 (core <= 4) AND (local = 'NO')", "3 local = 'NO'"})) << "as many jobs as resources match";
  set("local = 'NO'");
  EXPECT_TRUE(wanted(alpha).empty()) << "nothing has changed";
  set("");
  EXPECT_EQ(wanted(alpha), std::vector{fmt::format("{}: core <= 4", campaign.value())});
}

/// One campaign is poisoned, and the one beside it is not.
class PoisonedCampaign : public PlanningCycle {
 protected:
  PoisonedCampaign() : poisoned{a_campaign(100, {"alpha"})}, sound{a_campaign(100, {"beta"})} {}
  [[nodiscard]] std::string jobs(grid::CampaignId campaign) {
    return value(fmt::format("SELECT count(*) FROM jobs WHERE campaign_id = {}", campaign.value()));
  }
  [[nodiscard]] std::string events() {
    return value(
        "SELECT string_agg(code || ':' || campaign_id || ':' || occurrences, ' ' ORDER BY campaign_id) FROM events WHERE state = 'open'");
  }
  /// The text of gridstat --why for it.
  [[nodiscard]] std::string why() { return sentences(fmt::format("d.campaign_id = {}", poisoned.value())); }
  void is_set_aside_alone(const std::string& why_not) {
    cycle(3);
    EXPECT_EQ(jobs(sound), "3");
    EXPECT_EQ(jobs(poisoned), "0");
    EXPECT_EQ(events(), fmt::format("CANNOT_PLAN:{}:1", poisoned.value()));
    EXPECT_THAT(why(), testing::HasSubstr("the campaign is braked (the campaign cannot be planned: "));
    EXPECT_THAT(why(), testing::HasSubstr(why_not));
    execute("UPDATE jobs SET state = 'running' WHERE state = 'planned'");
    cycle(3);
    EXPECT_EQ(jobs(sound), "6");
    EXPECT_THAT(why(), testing::HasSubstr(why_not));
    EXPECT_EQ(events(), fmt::format("CANNOT_PLAN:{}:1", poisoned.value()));
  }
  void gets_its_plan_again() {
    now += grid::Seconds{120};
    cycle(3);
    EXPECT_EQ(jobs(poisoned), "3");
    EXPECT_EQ(events(), "");
    EXPECT_EQ(stored.brakes().size(), 0U);
    EXPECT_THAT(why(), testing::HasSubstr("3 jobs to alpha"));
  }
  void set(const std::string& what) { execute(fmt::format("UPDATE campaigns SET {} WHERE id = {}", what, poisoned.value())); }

  grid::CampaignId poisoned, sound;
};

TEST_F(PoisonedCampaign, WhoseSchedulerNobodyKnows_IsSetAside_AndTheOtherGetsItsPlan) {
  set(R"(jdl = '{"scheduler": "oracle"}')");
  is_set_aside_alone("no campaign scheduler named 'oracle'");
  set("jdl = '{}'");
  gets_its_plan_again();
}

TEST_F(PoisonedCampaign, WhoseRowCannotBeRead_IsSetAside_AndTheOtherGetsItsPlan) {
  set("requested = '{(1;1)}'");
  is_set_aside_alone("'{(1;1)}' is no array of rows");
  set("requested = requested_of(id)");
  gets_its_plan_again();
}

TEST_F(PoisonedCampaign, BesideWhichNoneIsSound_TakesNobodysDecisions) {
  execute(R"(UPDATE campaigns SET jdl = '{"scheduler": "oracle"}')");
  cycle(3);
  EXPECT_EQ(events(), fmt::format("CANNOT_PLAN:{}:1 CANNOT_PLAN:{}:1", poisoned.value(), sound.value()));
  EXPECT_EQ(value("SELECT string_agg(reason, ' ') FROM decisions"), "campaign_braked campaign_braked");
}

TEST_F(PlanningCycle, WithoutAPolicyOfThatName_Fails_AndBlamesNoCampaign) {
  static_cast<void>(a_campaign(100));
  auto config = process::build_config({}, {}).value();
  config.placement = "nowhere";
  EXPECT_THROW(metascheduler::run_once(config, database, term, now), std::invalid_argument);
  EXPECT_EQ(stored.events().size(), 0U);
}

/// almighty leaves a slow turn behind, and begins the next one beside it.
TEST_F(Planning, TwoTurnsAtOnce_PlanNothingTwice) {
  const auto config = process::default_config();
  static_cast<void>(a_campaign(4));
  const auto time = fleet::now();
  transact([&](store::Transaction& transaction) {
    store::GridStatus status;
    status.cluster = alpha;
    status.time = time;
    status.max_resources = status.free = 16;
    status.reachable = true;
    store::record_status(transaction, status);
    store::record_reached(transaction, alpha, time);
  });
  execute("UPDATE campaigns SET jdl = '{\"min_duration\": 0}'");
  store::Database other{conninfo};
  {
    auto slow = other.begin(term);
    ASSERT_TRUE(store::try_lock_until_commit(slow, store::Database::Work::plan));
    EXPECT_EQ(metascheduler::run_once(config, database, term, time).launches, 0);
    EXPECT_EQ(stored.launches().size(), 0U);
    EXPECT_EQ(value("SELECT count(*) FROM decisions"), "0");
  }
  EXPECT_EQ(metascheduler::run_once(config, database, term, time).jobs, 4);
}

}  // namespace
}  // namespace gleaner::tests
