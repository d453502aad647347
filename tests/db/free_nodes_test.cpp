#include <gmock/gmock.h>

#include "lib/process/options.hpp"
#include "lib/store/launches.hpp"
#include "tests/db/fake_cluster.hpp"
#include "tests/db/grid_fixture.hpp"
#include "updator/write.hpp"

/// The resources that jobs leave on alpha's nodes, and which of its resources are cores for the grid's jobs; their way to the planner.
namespace gleaner::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class NodesLeftByJobs : public GridFixture {
 protected:
  /// Lists two nodes of two cores, the second for no best-effort job, and a licence.
  void has_nodes() {
    cluster.answers("/resources/details", R"({"total":5,"items":[
      {"id":1,"network_address":"n1","state":"Alive","type":"default","besteffort":"YES","mem":16},
      {"id":2,"network_address":"n1","state":"Alive","type":"default","besteffort":"YES","mem":16},
      {"id":3,"network_address":"n2","state":"Alive","type":"default","besteffort":"NO","mem":16},
      {"id":4,"network_address":"n2","state":"Alive","type":"default","besteffort":"NO","mem":16},
      {"id":5,"network_address":"","state":"Alive","type":"licence","besteffort":"YES"}]})");
  }
  void holds(const std::string& items) { cluster.answers("/select_all", items); }
  void poll() {
    store::Cluster known;
    transact([&](store::Transaction& t) {
      const auto clusters = store::clusters_to_poll(t);
      known = *std::ranges::find(clusters, "alpha", &store::Cluster::name);
    });
    fleet::SharedDatabase shared{database, term};
    oar::Client client{cluster.access(), fleet::limits_of(config)};
    fleet::Visit visit{known, config, shared, client};
    now += grid::Seconds{61};
    const auto seen = updator::poll_cluster(visit, {}, {}, "grid", now, {}).value();
    transact([&](store::Transaction& t) {
      static_cast<void>(updator::write(t, visit, seen, updator::judge({}, seen, updator::Patience::of(config)), now));
    });
  }
  grid::ClusterFacts facts() {
    std::vector<grid::ClusterFacts> clusters;
    transact([&](store::Transaction& t) { clusters = store::planning_clusters(t, {0.5, 500}); });
    return *std::ranges::find(clusters, alpha, &grid::ClusterFacts::id);
  }
  void name_nodes() { execute("UPDATE campaign_clusters SET resources = '/nodes=1', resources_per_job = NULL, nodes_per_job = 1"); }

  FakeCluster cluster;
  process::Config config = process::default_config();
};

TEST_F(NodesLeftByJobs, OfBestEffortJobsAndOfOthers_ReachThePlannerApart_AndALicenceIsNoCore) {
  a_campaign(10);
  has_nodes();
  holds(R"({"total":3,"items":[{"node":"n1","besteffort":"YES","usable":2,"held":1},)"
        R"({"node":"n2","besteffort":"NO","usable":2,"held":0},{"node":"","besteffort":"YES","usable":0,"held":0}]})");
  poll();
  poll();
  EXPECT_EQ(facts().max_resources, 2);
  EXPECT_EQ(facts().reserved_resources, 2);
  EXPECT_EQ(facts().reserved_free, 2);
  EXPECT_EQ(facts().free_resources, 1);
  EXPECT_EQ(facts().free_nodes, "1x1");
  EXPECT_EQ(facts().reserved_free_nodes, "2x1");
  EXPECT_EQ(facts().max_node_resources, 2);
}

TEST_F(NodesLeftByJobs, Document000_AreKnownByName_WhereNodesMaySleep_AndALaunchNamesThoseThatItLeaves) {
  const auto campaign = a_campaign(10);
  execute("UPDATE clusters SET wake_minutes = 30 WHERE name = 'alpha'");
  has_nodes();
  holds(
      R"({"total":5,"items":[{"node":"n1","besteffort":"YES","usable":2,"asleep":0,"held":1},)"
      R"({"node":"n2","besteffort":"NO","usable":2,"asleep":0,"held":0},{"node":"n3","besteffort":"YES","usable":2,"asleep":2,"held":0},)"
      R"({"node":"n4","besteffort":"YES","usable":2,"asleep":0,"held":0},{"node":"","besteffort":"YES","usable":0,"asleep":0,"held":0}]})");
  poll();
  EXPECT_EQ(facts().open_nodes, "2x1");
  EXPECT_EQ(facts().empty_nodes, "2x1");
  EXPECT_EQ(facts().asleep_nodes, "2x1");
  EXPECT_EQ(facts().longest_node_name, 2);
  EXPECT_EQ(facts().wake_minutes, 30);
  std::vector<store::LaunchToMake> launches;
  grid::NamedNodes nodes;
  transact([&](store::Transaction& t) {
    ASSERT_EQ(store::plan_launch(t, {.campaign = campaign, .cluster = alpha, .jobs = 1, .resources = 1, .leaves = "2x1"}, term, now), 1);
    launches = store::planned_launches(t, alpha);
    nodes = store::named_nodes(t, alpha);
  });
  ASSERT_THAT(launches, SizeIs(1));
  EXPECT_EQ(nodes.condition_leaving(*grid::NodeSizes::parse(launches[0].leaves), 1000), "network_address NOT IN ('n3')");
}

TEST_F(NodesLeftByJobs, ThatSleep_AreKnownByName_WhereOarDoesNotSayWhatJobsHold_AndAWrongNameMakesAllUnknown) {
  a_campaign(10);
  execute("UPDATE clusters SET wake_minutes = 30 WHERE name = 'alpha'");
  const auto list = [&](const std::string& name) {
    cluster.answers("/resources/details",
                    fmt::format(R"({{"total":2,"items":[{{"id":1,"network_address":"n1","state":"Alive","type":"default"}},)"
                                R"({{"id":2,"network_address":"{}","state":"Absent","available_upto":2147483647,"type":"default"}}]}})",
                                name));
  };
  holds("{");
  list("n2");
  poll();
  EXPECT_EQ(facts().open_nodes, "1x1");
  EXPECT_EQ(facts().asleep_nodes, "1x1");
  list("n2') OR ('1'='1");
  poll();
  EXPECT_EQ(facts().open_nodes, "");
  EXPECT_EQ(facts().asleep_nodes, "");
}

TEST_F(NodesLeftByJobs, AreAskedForOnlyWhereThatCounts) {
  a_campaign(10);
  cluster.answers("/resources/details", R"({"total":1,"items":[{"id":1,"network_address":"n1","state":"Alive","type":"default"}]})");
  holds(R"({"total":2,"items":[{"node":"n1","besteffort":"YES","usable":1,"held":1},{"node":"","usable":0,"held":0}]})");
  poll();
  EXPECT_THAT(cluster.requests("select_all"), IsEmpty());
  EXPECT_EQ(facts().free_nodes, "");
  name_nodes();
  poll();
  EXPECT_THAT(cluster.requests("select_all"), SizeIs(1));
  EXPECT_EQ(facts().free_nodes, grid::kNoFreeNode);
}

TEST_F(NodesLeftByJobs, AreAskedForWhereResourcesAreNoCores_AsAJobThatHoldsLicencesStatesThemAmongItsResources) {
  a_campaign(10);
  cluster.answers("/resources/details", R"({"total":3,"items":[{"id":1,"network_address":"n1","state":"Alive","type":"default"},
    {"id":2,"network_address":"n1","state":"Alive","type":"default"},{"id":3,"network_address":"","state":"Alive","type":"licence"}]})");
  cluster.answers("/jobs/table", R"--({"total":1,"items":[
    {"job_id":7,"state":"Running","job_name":"x","job_user":"ben","message":"R=2,W=0:5:0,J=B (Karma=0.000,quota_ok)"}]})--");
  holds(R"({"total":2,"items":[{"node":"n1","besteffort":"YES","usable":2,"held":1},{"node":"","usable":0,"held":0}]})");
  poll();
  EXPECT_EQ(facts().free_resources, 0);
  poll();
  EXPECT_EQ(facts().free_resources, 1);
}

TEST_F(NodesLeftByJobs, OfAClusterWhoseAnswerIsAbsurd_AreNotKnownOrBounded_AndTheClusterIsUsed) {
  a_campaign(10);
  has_nodes();
  name_nodes();
  poll();
  for (const auto* absurd : {R"({"total":1,"items":[{"node":"n1","usable":1099511627776,"held":0}]})",
                             R"({"total":1,"items":[{"node":"n1"}]})", R"({"total":9,"items":[]})", "{"}) {
    holds(absurd);
    poll();
    EXPECT_EQ(facts().free_nodes, "") << absurd;
    EXPECT_EQ(facts().free_resources, 2) << absurd;
  }
  holds(R"({"total":4,"items":[{"node":"n1","usable":2147483647,"held":0},{"node":"n1","usable":2147483647,"held":2147483647},)"
        R"({"node":"","usable":5,"held":2147483647},{"node":"n2","besteffort":"NO","usable":2147483647,"held":0}]})");
  poll();
  EXPECT_EQ(facts().free_nodes, "1000000x1");
  EXPECT_EQ(facts().free_resources, 0) << "jobs hold more than it has";
  EXPECT_EQ(facts().reserved_free, 2) << "no more than are reserved";
}

TEST_F(NodesLeftByJobs, OfAClusterWithoutTheLongList_AreThoseOfTheShortOne) {
  a_campaign(10);
  cluster.answers("/resources.json", R"({"total":2,"items":[{"id":1,"network_address":"n1","state":"Alive"},)"
                                     R"({"id":2,"network_address":"n2","state":"Alive"}]})");
  for (const auto* none : {"{", R"({"total":1,"items":[{"state":"Alive"}]})"}) {
    cluster.answers("/resources/details", none);
    poll();
    EXPECT_EQ(facts().max_resources, 2) << none;
    execute("UPDATE clusters SET resources_at = NULL");
  }
}

TEST_F(NodesLeftByJobs, StateTheirMemory_WhereAPropertyOfThemDoes) {
  execute("UPDATE clusters SET memory_property = 'mem'");
  has_nodes();
  poll();
  EXPECT_EQ(value("SELECT node_memory FROM clusters WHERE name = 'alpha'"), "2:16");
}

}  // namespace
}  // namespace gleaner::tests
