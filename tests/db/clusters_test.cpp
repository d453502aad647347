#include "lib/store/clusters.hpp"

#include "lib/fleet/fleet.hpp"
#include "lib/store/events.hpp"
#include "tests/db/grid_fixture.hpp"

namespace gleaner::tests {
namespace {

constexpr auto kOutages = "SELECT count(*) || ' ' || coalesce(sum(occurrences), 0) FROM events WHERE code = 'CLUSTER_UNREACHABLE'";

class Outage : public GridFixture {
 protected:
  /// The cluster as a module saw it at its beginning.
  store::Cluster seen() {
    auto transaction = database.begin();
    return store::find_cluster(transaction, "alpha").value();
  }
  fleet::SharedDatabase shared{database, term};
};

TEST_F(Outage, SeenByTwoModulesAtOnce_IsReportedOnce) {
  const auto before = seen();
  fleet::note_unreachable(shared, before, "the updator's error");
  fleet::note_unreachable(shared, before, "the runner's error");
  fleet::note_unreachable(shared, seen(), "again");
  EXPECT_EQ(value(kOutages), "1 1");
}

TEST_F(Outage, AfterARecovery_IsReportedAgain) {
  fleet::note_unreachable(shared, seen(), "first");
  transact([&](store::Transaction& transaction) { store::record_reached(transaction, alpha, now); });
  fleet::note_unreachable(shared, seen(), "second");
  EXPECT_EQ(value(kOutages), "2 2");
}

/// A runner that was left behind may see a failure while the updator, which began before, is being answered.
TEST_F(Outage, SeenByAnotherModuleMeanwhile_IsOverToo) {
  fleet::note_unreachable(shared, seen(), "the runner's error");
  transact([&](store::Transaction& transaction) { store::record_reached(transaction, alpha, now); });
  EXPECT_EQ(stored.open_events().size(), 0U);
}

}  // namespace
}  // namespace gleaner::tests
