#include <gmock/gmock.h>

#include "lib/process/options.hpp"
#include "lib/store/views_grid.hpp"
#include "tests/db/fake_cluster.hpp"
#include "tests/db/grid_fixture.hpp"
#include "updator/write.hpp"

/// The load of alpha's nodes (two of 8 resources) as the updator reads it, and its way to the planner.
namespace gleaner::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class Load : public GridFixture {
 protected:
  Load() {
    execute("UPDATE clusters SET availability = 'combined', load_property = 'load' WHERE name = 'alpha'");
    states("0", "0");
  }
  /// The load that all resources of each node state, as JSON.
  void states(const std::string& first, const std::string& second) {
    std::string items;
    for (int id = 1; id <= 16; ++id)
      items += fmt::format(R"({}{{"id":{},"network_address":"n{}","state":"Alive","load":{}}})", id == 1 ? "" : ",", id, id <= 8 ? 1 : 2,
                           id <= 8 ? first : second);
    cluster.answers("/resources", fmt::format(R"({{"total":16,"items":[{}]}})", items));
  }
  /// The resources of each node that jobs hold, for whoever has a campaign there.
  void hold(int first, int second) {
    cluster.answers("/select_all", fmt::format(R"({{"total":3,"items":[{{"node":"n1","held":{}}},{{"node":"n2","held":{}}},)"
                                               R"({{"node":"","held":0}}]}})",
                                               first, second));
    if (first + second == 0) return;
    cluster.answers("/jobs/table",
                    fmt::format(R"({{"total":1,"items":[{{"id":7,"name":"x","state":"Running","owner":"bob","message":"R={},W=1:0:0"}}]}})",
                                first + second));
  }
  /// A poll, and what it leaves in the database.
  void poll() {
    const auto known = alpha_now();
    fleet::SharedDatabase shared{database, term};
    oar::Client client{cluster.access(), fleet::limits_of(config)};
    fleet::Visit visit{known, config, shared, client};
    now += grid::Seconds{61};
    const auto seen = updator::poll_cluster(visit, {}, {}, "grid", now, {}).value();
    transact([&](store::Transaction& t) {
      static_cast<void>(updator::write(t, visit, seen, updator::judge({}, seen, updator::Patience::of(config)), now));
    });
  }
  store::Cluster alpha_now() {
    auto transaction = database.begin();
    return store::find_cluster(transaction, "alpha").value();
  }
  grid::ClusterFacts facts() {
    std::vector<grid::ClusterFacts> clusters;
    transact([&](store::Transaction& t) { clusters = store::planning_clusters(t, {0.5, 500}); });
    return *std::ranges::find(clusters, alpha, &grid::ClusterFacts::id);
  }
  std::string event() { return value("SELECT coalesce(max(message), '') FROM events WHERE code = 'LOAD_UNKNOWN' AND state = 'open'"); }

  FakeCluster cluster;
  process::Config config = process::default_config();
};

TEST_F(Load, ReachesThePlanner_NodeByNode) {
  a_campaign(10);
  states("6", "1");
  hold(3, 8);
  poll();
  EXPECT_EQ(alpha_now().load, (grid::ClusterLoad{.utilized = 7, .loaded = 3}));
  EXPECT_EQ(facts().free_resources, 5);
  EXPECT_EQ(facts().available_resources(), 2) << "8 - max(3, 6), and 8 - max(8, 1)";
  EXPECT_EQ(facts().flood_for_grid(), 0);
  execute("UPDATE clusters SET availability = 'utilized' WHERE name = 'alpha'");
  poll();
  EXPECT_EQ(facts().available_resources(), 5) << "16 - 7 = 9, and OAR has 5";
  EXPECT_THAT(cluster.requests("select_all"), SizeIs(1)) << "the nodes of the jobs do not matter";
  execute("UPDATE clusters SET availability = NULL WHERE name = 'alpha'");
  EXPECT_EQ(facts().loaded_resources, 0) << "dedicated, as configured";
  EXPECT_EQ(facts().available_resources(), 5);
  EXPECT_THAT(event(), IsEmpty());
}

/// The resources out of use, and the time since when none is left.
TEST_F(Load, OfNodesThatAreOut_GoesWithThem_AndTheirResourcesAreCounted) {
  const auto states_of = [&](const std::string& first, const std::string& second) {
    cluster.answers("/resources",
                    fmt::format(R"({{"total":3,"items":[{{"id":1,"network_address":"n1","state":"{}"}},)"
                                R"({{"id":2,"network_address":"n1","state":"{}"}},{{"id":3,"network_address":"n2","state":"{}"}}]}})",
                                first, first, second));
    poll();
  };
  states_of("Suspected", "Alive");
  EXPECT_EQ(alpha_now().max_resources, 1);
  EXPECT_EQ(grid::text_of(alpha_now()), "2 suspected");
  EXPECT_FALSE(facts().no_resources_since);
  states_of("Dead", "Absent");
  const auto since = now;
  EXPECT_EQ(facts().max_resources, 0);
  EXPECT_EQ(grid::text_of(facts()), "1 absent, 2 dead");
  EXPECT_EQ(facts().no_resources_since, since);
  states_of("Suspected", "Suspected");
  EXPECT_EQ(facts().no_resources_since, since) << "none came back meanwhile";
  states_of("Alive", "Suspected");
  EXPECT_FALSE(alpha_now().no_resources_since);
  EXPECT_EQ(grid::text_of(facts()), "1 suspected");
}

TEST_F(Load, WithoutACampaign_IsComparedWithAllJobsTogether) {
  states("6", "1");
  hold(3, 1);
  poll();
  EXPECT_EQ(alpha_now().load, (grid::ClusterLoad{.utilized = 7, .loaded = 3}));
  EXPECT_THAT(cluster.requests("select_all"), IsEmpty()) << "OAR answers that to users only";
}

TEST_F(Load, WhoseHeldResourcesOarDoesNotReport_IsComparedWithAllJobsTogether) {
  a_campaign(10);
  states("6", "1");
  hold(3, 1);
  cluster.answers("/select_all", R"({"total":9,"items":[]})");
  poll();
  EXPECT_EQ(alpha_now().load, (grid::ClusterLoad{.utilized = 7, .loaded = 3}));
}

TEST_F(Load, ThatIsNoNumber_IsNone_AndOneEventNamesTheNode) {
  hold(0, 0);
  for (const auto* bad : {R"("busy")", R"("NaN")", R"("-inf")", "-1", "null", "[1]", R"("")"}) {
    states(bad, "2");
    poll();
    EXPECT_EQ(alpha_now().load, (grid::ClusterLoad{.utilized = 2, .loaded = 2})) << bad;
    EXPECT_THAT(event(), HasSubstr("availability is combined, but 1 of 2 nodes state no number from 0 in the property 'load' of their "
                                   "resources (n1 is one): their load counts as 0; `gridctl cluster edit alpha --load-property NAME`"))
        << bad;
  }
  EXPECT_EQ(stored.events("LOAD_UNKNOWN").size(), 1U) << "said once";
  states("1e300", R"("3.4")");
  poll();
  EXPECT_EQ(alpha_now().load, (grid::ClusterLoad{.utilized = 11, .loaded = 11})) << "no more than the node has";
  EXPECT_THAT(event(), IsEmpty());
}

TEST_F(Load, OfAClusterThatCannotListItsProperties_StaysAsItWas_AndTheClusterIsUsed) {
  a_campaign(10);
  states("6", "1");
  hold(3, 1);
  poll();
  const auto before = alpha_now().load;
  cluster.answers("/resources.json", R"({"total":1,"items":[{"id":1,"network_address":"n1","state":"Alive"}]})");
  cluster.answers("/resources/details", "{");
  poll();
  EXPECT_EQ(alpha_now().load, before);
  EXPECT_EQ(alpha_now().max_resources, 1);
  EXPECT_EQ(alpha_now().reachable, true);
  EXPECT_THAT(event(), HasSubstr("the properties of its resources cannot be read"));
  EXPECT_THAT(event(), HasSubstr("the load that was read last counts for 10 minutes"));
  for (int minute = 0; minute < 10; ++minute) poll();
  EXPECT_FALSE(alpha_now().load);
}

TEST_F(Load, OfAPropertyThatIsMissing_OrNotNamed_IsSaid) {
  hold(0, 0);
  execute("UPDATE clusters SET load_property = 'lood' WHERE name = 'alpha'");
  poll();
  EXPECT_EQ(facts().available_resources(), 16);
  EXPECT_THAT(event(), HasSubstr("2 of 2 nodes state no number from 0 in the property 'lood'"));
  execute("UPDATE clusters SET load_property = '' WHERE name = 'alpha'");
  poll();
  EXPECT_THAT(event(), HasSubstr("no property of its resources is named that states the load of their nodes"));
  config.load_property = "load";
  execute("UPDATE clusters SET load_property = NULL WHERE name = 'alpha'");
  poll();
  EXPECT_THAT(event(), IsEmpty()) << "the configuration names it";
  EXPECT_TRUE(alpha_now().load);
}

TEST_F(Load, IsNotAskedFor_WhereItDoesNotCount) {
  a_campaign(10);
  states("6", "1");
  hold(3, 1);
  poll();
  EXPECT_THAT(cluster.requests("select_all"), SizeIs(1));
  execute("UPDATE clusters SET availability = NULL WHERE name = 'alpha'");
  poll();
  EXPECT_THAT(cluster.requests("select_all"), SizeIs(1)) << "dedicated, as configured";
  EXPECT_FALSE(alpha_now().load);
  EXPECT_THAT(event(), IsEmpty());
}

}  // namespace
}  // namespace gleaner::tests
