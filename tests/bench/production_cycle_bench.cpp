#include <fmt/format.h>

#include <pqxx/pqxx>

#include <cstdlib>

#include "almighty/modules.hpp"
#include "lib/process/options.hpp"
#include "metascheduler/facts_of.hpp"
#include "metascheduler/metascheduler.hpp"
#include "metascheduler/planner/plan.hpp"
#include "metascheduler/planner_config.hpp"
#include "metascheduler/snapshot_of.hpp"
#include "predictor/predictor.hpp"
#include "tests/bench/measure.hpp"
#include "tests/db/grid_fixture.hpp"
#include "tests/system/service.hpp"

// Issue "metascheduler", what must be shown, 5: what a whole cycle of the metascheduler costs, the database included.
namespace gleaner::tests {
namespace {

constexpr int kClusters = 10, kCampaigns = 200, kTasks = 5000;
constexpr int kRuns = 300;
constexpr int kRounds = 5;  // a busy machine makes one miss

class ProductionCycle : public GridFixture {
 protected:
  ProductionCycle() {
    execute(fmt::format("INSERT INTO clusters (name, url) SELECT 'c' || i, 'http://127.0.0.1:1/' || i FROM generate_series(3, {}) i", kClusters));
    std::vector<std::string> names{"alpha", "beta"};
    for (int i = 3; i <= kClusters; ++i) names.push_back(fmt::format("c{}", i));
    for (int i = 0; i < kCampaigns; ++i) static_cast<void>(a_campaign(kTasks, names));
    execute("UPDATE campaigns SET user_name = 'user' || id % 20");
    offer(100);
    execute("ANALYZE");
  }

  /// What the updator would have seen now: so many free resources of the 128 on each cluster.
  void offer(int free) {
    now += grid::Seconds{10};
    execute(fmt::format("UPDATE clusters SET reachable = true;"
                        "INSERT INTO gridstatus (cluster_id, time, max_resources, free, used, used_besteffort, our_running, our_waiting, reachable, api_latency_ms)"
                        "  SELECT id, instant({}), 128, {}, 128 - {}, 0, 0, 0, true, 5 FROM clusters",
                        now.time_since_epoch().count(), free, free));
  }

  [[nodiscard]] double plan_alone(const process::Config& config) {
    store::PlanningFacts facts;
    transact([&](store::Transaction& transaction) {
      facts = metascheduler::facts_of(transaction, config, now);
    });
    const auto snapshot = metascheduler::snapshot_of(facts, config, now);
    return least_seconds(kRuns, [&] { EXPECT_FALSE(planner::plan(snapshot, metascheduler::planner_config_of(config)).decisions.empty()); });
  }
  /// The smallest statement there is.
  [[nodiscard]] double round_trip() {
    constexpr int kTrips = 1000;
    pqxx::connection connection{conninfo};
    pqxx::work work{connection};
    return least_seconds(3, [&] { for (int i = 0; i < kTrips; ++i) work.exec_params("SELECT 1"); }) / kTrips;
  }
};

/// Asked: five plans and ten round trips. That is not reached yet (docs/measured.md); the factors keep the cycle from growing again, and
/// leave room for a round trip that takes four times as long in one moment as in another.
TEST_F(ProductionCycle, OfTwoHundredCampaigns_AndAMillionTasks) {
  for (const auto& [order, most] : {std::pair{"fifo", 1.75}, std::pair{"priority,fairshare", 2.5}}) {
    auto config = process::build_config({}, {}).value();
    config.campaign_order = order;
    metascheduler::run_once(config, database, term, now);
    double whole = 0.0, asked = 0.0;
    for (int round = 0; round < kRounds && (round == 0 || whole > most * asked); ++round) {
      whole = least_seconds(kRuns, [&] { metascheduler::run_once(config, database, term, now); });
      const double plan = plan_alone(config), trip = round_trip();
      asked = 5 * plan + 10 * trip;
      report(fmt::format("a cycle of the metascheduler, {} campaigns on {} clusters, {} tasks waiting, {}", kCampaigns, kClusters, kCampaigns * kTasks, order),
             fmt::format("{:.2f} ms; the plan alone {:.2f} ms, a round trip to the database {:.3f} ms: five and ten of these are {:.2f} ms, ratio {:.2f}", whole * 1e3, plan * 1e3,
                         trip * 1e3, asked * 1e3, whole / asked));
    }
    EXPECT_LE(whole, most * asked) << order;
  }
}

/// What almighty waits for: the turn of a process that it keeps, and of one that it starts, which connects, and whose queries the server
/// plans, all anew.
TEST_F(ProductionCycle, OfAProcess_KeptOrStartedAnew) {
  ::setenv("GLEANER_DATABASE", conninfo.c_str(), 1);
  auto config = process::default_config();
  config.bin_directory = program("metascheduler").parent_path();
  const auto turn = [&](almighty::Modules& modules) {
    const auto run = modules.run("metascheduler", term, [] {});
    EXPECT_EQ(run.result, almighty::ModuleRun::Result::succeeded) << run.detail;
  };
  almighty::Modules modules{config};
  turn(modules);
  const double kept = least_seconds(100, [&] { turn(modules); });
  const double anew = least_seconds(20, [&] {
    almighty::Modules fresh{config};
    turn(fresh);
  });
  report("a turn of the metascheduler's process, from almighty's message to its answer",
         fmt::format("kept {:.1f} ms, started anew {:.1f} ms, ratio {:.2f}", kept * 1e3, anew * 1e3, kept / anew));
  EXPECT_LE(kept, 0.5 * anew);
}

/// The module before it reads the same rows, and writes a forecast for each campaign.
TEST_F(ProductionCycle, OfThePredictor) {
  const auto config = process::build_config({}, {}).value();
  metascheduler::run_once(config, database, term, now);
  const auto cycle = [&] {
    now += grid::Seconds{5};
    predictor::run_once(config, database, term, now);
  };
  cycle();
  const double whole = least_seconds(30, cycle);
  const double rows = least_seconds(30, [&] { execute("SELECT * FROM campaign_clusters"); });
  report("a cycle of the predictor, the same grid", fmt::format("{:.1f} ms; to fetch the rows of all pairs {:.2f} ms", whole * 1e3, rows * 1e3));
  EXPECT_LE(whole, 10 * rows);
}

/// The worst case: each pair has had jobs, and each cluster's figures are others than in the last cycle.
TEST_F(ProductionCycle, WhereEveryPairWasUsed_AndEveryFigureChanged) {
  auto config = process::build_config({}, {}).value();
  metascheduler::run_once(config, database, term, now);
  execute("UPDATE campaign_clusters SET active = true, done = 100, concluded = 100, duration_sum = 6000, resources_sum = 100, resources_jobs = 100,"
          " last_start_at = instant(0), last_accept_at = instant(0)");
  execute("ANALYZE campaign_clusters");
  int free = 0;
  const double whole = least_seconds(20, [&] {
    offer(free = 1 - free);
    metascheduler::run_once(config, database, term, now);
  });
  // The floor: one transaction that only fetches the rows that such a plan is made of.
  const double rows = least_seconds(20, [&] { execute("SELECT * FROM campaign_clusters"); });
  report("the same where every pair has had jobs and every cluster's figures changed", fmt::format("{:.1f} ms; to fetch the rows of all pairs {:.2f} ms", whole * 1e3, rows * 1e3));
  EXPECT_LE(whole, 30 * rows);
}

}  // namespace
}  // namespace gleaner::tests
