#include <fmt/format.h>
#include <gtest/gtest.h>

#include "lib/process/options.hpp"
#include "lib/store/inputs.hpp"
#include "metascheduler/metascheduler.hpp"
#include "tests/db/grid_fixture.hpp"

namespace gleaner::tests {
namespace {

class TransferPlacement : public GridFixture {
 protected:
  /// The cluster that got jobs when a campaign of three tasks with 1 GB each was planned.
  std::string chosen() {
    static_cast<void>(a_campaign(3));
    execute("UPDATE campaigns SET input_mb = 1000, jdl = jdl || '{\"min_duration\": 0}'");
    now += grid::Seconds{10};
    execute(fmt::format(
        "UPDATE clusters SET reachable = true;"
        "INSERT INTO gridstatus (cluster_id, time, max_resources, free, used, used_besteffort, our_running, our_waiting, reachable, api_latency_ms)"
        "  SELECT id, instant({}), 8, 8, 0, 0, 0, 0, true, 5 FROM clusters",
        now.time_since_epoch().count()));
    auto config = process::build_config({}, {}).value();
    config.placement = "transfer";
    metascheduler::run_once(config, database, term, now);
    return value(
        "SELECT string_agg(DISTINCT k.name, ' ') FROM jobs j JOIN clusters k ON k.id = j.cluster_id "
        "WHERE j.campaign_id = (SELECT max(id) FROM campaigns)");
  }
  void arrived_at(grid::ClusterId cluster, double mb_s) {
    transact([&](store::Transaction& transaction) { store::note_input_rate(transaction, cluster, mb_s); });
  }
};

TEST_F(TransferPlacement, Document003_TheBandwidthAtWhichInputsArrived_DecidesWhereTasksWithInputGo_UnlessOneIsDeclared) {
  arrived_at(alpha, 1);
  arrived_at(beta, 100);
  EXPECT_EQ(chosen(), "beta");
  for (int i = 0; i < 20; ++i) arrived_at(alpha, 1000);
  EXPECT_EQ(chosen(), "alpha");
  execute("UPDATE clusters SET transfer_mb_s = 2 WHERE name = 'alpha'");
  EXPECT_EQ(chosen(), "beta");
}

}  // namespace
}  // namespace gleaner::tests
