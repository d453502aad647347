#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>

#include "lib/process/options.hpp"
#include "metascheduler/metascheduler.hpp"
#include "metascheduler/planner/orders/order.hpp"
#include "metascheduler/planner/placements/placement.hpp"
#include "metascheduler/planner/schedulers/scheduler.hpp"
#include "predictor/algorithms/trials.hpp"
#include "predictor/predictor.hpp"
#include "tests/db/grid_fixture.hpp"

/// Every policy of the tables with every other one, in whole production cycles.
namespace gleaner::tests {
namespace {

/// Every order in which some of the classes may come before an order: "", "priority,", "affinity,priority,"…
std::vector<std::string> all_classes() {
  auto names = planner::class_names();
  std::ranges::sort(names);
  std::vector<std::string> classes;
  do {
    std::string some;
    classes.push_back(some);
    for (const auto name : names) classes.push_back(some += std::string{name} + ",");
  } while (std::ranges::next_permutation(names).found);
  std::ranges::sort(classes);
  classes.erase(std::ranges::unique(classes).begin(), classes.end());
  return classes;
}

/// A small grid with something of everything that a policy reads: affinities, limits of each kind, shares, priorities of users and
/// campaigns, brakes, replicas, a test campaign, wide jobs, jobs whose width only their cluster knows.
class PolicyCombinations : public GridFixture, public ::testing::WithParamInterface<std::string_view> {
 protected:
  PolicyCombinations() {
    execute("INSERT INTO clusters (name, url, power, cost, transfer_mb_s) VALUES ('gamma', 'http://127.0.0.1:1/gamma', 2, 1, 10)");
    const std::vector<std::string> all{"alpha", "beta", "gamma"};
    const auto add = [&](const std::string& user, const std::string& jdl, const std::string& pair, std::int64_t tasks = 5000) {
      const auto id = a_campaign(tasks, all).value();
      execute(fmt::format("UPDATE campaigns SET user_name = '{}', jdl = '{}' WHERE id = {};", user, jdl, id));
      if (!pair.empty()) execute(fmt::format("UPDATE campaign_clusters SET {} WHERE campaign_id = {}", pair, id));
      return id;
    };
    add("ada", R"({"project": "physics"})", "");
    add("ada", R"({"campaign_priority": 6, "min_duration": 5})", "resources = '/nodes=1', resources_per_job = NULL");
    const auto braked = add("ben", R"({"campaign_priority": 2})", "max_jobs = 4");
    add("ben", R"({"project": "physics"})", "resources = '/core=12', resources_per_job = 12");
    add("eva", R"({"campaign_priority": 7})", "priority = 3");
    execute(fmt::format("UPDATE campaigns SET type = 'test' WHERE id = {}", add("eva", "{}", "")));
    copied = add("eva", R"({"replicas": "allowed"})", "", 4);
    execute(fmt::format("UPDATE campaigns SET state = 'paused' WHERE id = {}", add("cyd", "{}", "")));
    execute(fmt::format(
        "INSERT INTO brakes (campaign_id, cluster_id, reason, created_at, expires_at) VALUES ({0}, {1}, 'braked', instant(0), '2100-01-01');"
        "INSERT INTO affinities SELECT u, id FROM clusters, unnest(ARRAY['ada', 'eva']) u WHERE name = 'alpha';"
        "INSERT INTO limits (kind, most, user_name, project, days) VALUES ('running_jobs', 12, 'ada', NULL, 1), ('resources', 20, NULL, 'physics', 1),"
        "  ('waiting_jobs', 2, 'eva', NULL, 1), ('resource_seconds', 1e7, NULL, NULL, 2);"
        "INSERT INTO shares (name, kind, parent_id, shares) VALUES ('physics', 'project', NULL, 2);"
        "INSERT INTO shares (name, kind, parent_id, shares) SELECT u, 'user', CASE u WHEN 'ben' THEN id END, 1 FROM shares, unnest(ARRAY['ada', 'ben']) u;"
        "INSERT INTO user_priorities VALUES ('ben', 1), ('ada', 7);"
        "INSERT INTO durations VALUES ({2}, {1}, 1, 20)",
        braked, alpha.value(), copied));
  }

  /// Writes the status of a poll: from full to empty, each cluster in its own steps. Every other time all decisions are new.
  void poll() {
    now += grid::Seconds{10};
    ++round;
    if (round % 2 == 0) execute("DELETE FROM decided; DELETE FROM decisions");
    execute(fmt::format(
        "UPDATE clusters SET reachable = true; DELETE FROM gridstatus;"
        "INSERT INTO gridstatus (cluster_id, time, max_resources, free, used, used_besteffort, our_running, our_waiting, reachable, api_latency_ms)"
        "  SELECT id, instant({0}), 16, ({1} * id) % 17, 0, 0, 0, 0, true, 5 FROM clusters",
        now.time_since_epoch().count(), round));
  }

  /// All that was planned runs, but for some that waits, and half of what ran is done; the copies of the last tasks are forgotten, so that
  /// they are made again.
  void work() {
    execute(fmt::format(
        "UPDATE launches SET state = 'accepted', settled_at = instant({0}) WHERE state = 'planned';"
        "UPDATE jobs SET state = 'terminated', ending = 'done', ended_at = instant({0}) WHERE state = 'running' AND id % 2 = {1} AND campaign_id <> {2};"
        "UPDATE jobs SET state = 'error', ended_at = instant({0}) WHERE state IN ('planned', 'remote_waiting', 'running') AND campaign_id = {2} AND attempt > 0;"
        "UPDATE jobs SET state = CASE id % 5 WHEN 0 THEN 'remote_waiting' ELSE 'running' END::job_state, started_at = instant({0}) - interval '1 minute', resources = 1 + id % 3"
        "  WHERE state IN ('planned', 'remote_waiting');"
        "UPDATE tasks t SET state = CASE j.state WHEN 'terminated' THEN 'done' WHEN 'running' THEN 'running' ELSE 'submitted' END::task_state FROM jobs j"
        "  WHERE j.campaign_id = t.campaign_id AND j.task = t.number AND j.attempt = t.attempt AND t.state IN ('launching', 'submitted', 'running');"
        "UPDATE tasks SET replica = NULL, replica_lives = false WHERE campaign_id = {2};"
        "UPDATE campaign_clusters p SET done = d.jobs, concluded = d.jobs, duration_sum = 60 * d.jobs, resources_sum = 2 * d.jobs, resources_jobs = d.jobs"
        "  FROM (SELECT campaign_id, cluster_id, count(*) AS jobs FROM jobs WHERE state = 'terminated' GROUP BY 1, 2) d"
        "  WHERE p.campaign_id = d.campaign_id AND p.cluster_id = d.cluster_id;"
        "WITH gone AS (DELETE FROM kill_requests RETURNING reason) INSERT INTO seen SELECT reason FROM gone;"
        "INSERT INTO seen SELECT DISTINCT reason FROM decisions",
        now.time_since_epoch().count(), round % 2, copied));
  }

  /// Pairs of which nothing is decided, neither on themselves nor on their whole campaign.
  [[nodiscard]] std::string undecided() {
    return value(
        "SELECT string_agg(campaign_id || ':' || cluster_id, ' ') FROM campaign_clusters p WHERE NOT EXISTS ("
        "SELECT FROM decisions d WHERE d.campaign_id = p.campaign_id AND (d.cluster_id = p.cluster_id OR (d.cluster_id = 0 AND d.reason <> 'standing')))");
  }
  [[nodiscard]] bool saw(const std::string& reason) {
    return value(fmt::format("SELECT count(*) FROM seen WHERE reason = '{}'", reason)) != "0";
  }

  std::int64_t copied = 0;
  int round = 0;
};

TEST_P(PolicyCombinations, EachGetsAWholeCycle_ThatDecidesOnEveryPair) {
  execute("CREATE TABLE seen (reason text)");
  auto config = process::build_config({}, {}).value();
  const auto algorithms = prediction::names_to_configure();
  int copies = 0;
  const auto cycle = [&](const std::string& classes, std::string_view placement, std::string_view scheduler) {
    config.campaign_order = classes + std::string{GetParam()};
    config.placement = std::string{placement};
    config.campaign_scheduler = std::string{scheduler};
    config.predictor_algorithm = std::string{algorithms[static_cast<std::size_t>(round) % algorithms.size()]};
    config.simultaneous = round % 3 == 0;
    config.head_start = round % 5 < 2;
    config.head_start_preempts = round % 5 == 1;
    config.multifactor_weights = round % 4 == 0 ? "age:1000,early:1000" : "age:1000,fairshare:1000,priority:500";
    poll();
    predictor::run_once(config, database, term, now);
    metascheduler::run_once(config, database, term, now);
    EXPECT_EQ(undecided(), "");
    EXPECT_EQ(stored.events().size(), 0U);
    copies +=
        std::stoi(value(fmt::format("SELECT count(*) FROM jobs WHERE campaign_id = {} AND attempt > 0 AND state = 'planned'", copied)));
    work();
  };
  for (const auto& classes : all_classes()) {
    for (const auto placement : planner::placement_names()) {
      for (const auto scheduler : planner::default_scheduler_names()) {
        SCOPED_TRACE(fmt::format("campaign_order {}{}, placement {}, campaign_scheduler {}, predictor_algorithm {}", classes, GetParam(),
                                 placement, scheduler, algorithms[static_cast<std::size_t>(round) % algorithms.size()]));
        ASSERT_NO_THROW(cycle(classes, placement, scheduler));
      }
    }
  }
  // The grid had something for each of them to do.
  for (const auto* reason :
       {"launched", "paused", "pair_braked", "test_already_given", "limit_reached", "max_jobs_reached", "reserved", "preempted"})
    EXPECT_TRUE(saw(reason)) << reason;
  EXPECT_GT(copies, 0);
}

INSTANTIATE_TEST_SUITE_P(Of, PolicyCombinations, ::testing::ValuesIn(planner::order_names()),
                         [](const auto& of) { return std::string{of.param}; });

}  // namespace
}  // namespace gleaner::tests
