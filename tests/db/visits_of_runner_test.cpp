#include <gmock/gmock.h>

#include "lib/process/options.hpp"
#include "runner/runner.hpp"
#include "tests/db/fake_cluster.hpp"
#include "tests/db/grid_fixture.hpp"

/// What the runner still asks of a cluster that is silent, or when its time is over.
namespace gleaner::tests {
namespace {

using namespace std::chrono_literals;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class RunnersVisits : public GridFixture {
 protected:
  /// Launches without an answer, of two logins, and one that is to be made.
  RunnersVisits() {
    config.request_timeout = config.submit_timeout = 2s;
    transact([&](store::Transaction& t) {
      auto known = store::find_cluster(t, "alpha").value();
      known.url = cluster.access().url;
      store::edit_cluster(t, known);
      store::record_reached(t, alpha, now);
    });
    const auto campaign = a_campaign(10, {"alpha"});
    for (const std::string login : {"alice", "bob"}) {
      const auto launch = begun(campaign, alpha, 1);
      transact([&](store::Transaction& t) { store::mark_unknown(t, std::array{launch}, "lost", now); });
      execute(fmt::format("UPDATE launches SET login = '{}' WHERE id = {}", login, launch.value()));
    }
    transact([&](store::Transaction& t) {
      store::plan_launch(t, {.campaign = campaign, .cluster = alpha, .jobs = 1, .resources = 1}, term, now);
    });
  }
  void turn() { static_cast<void>(runner::run_once(config, database, term)); }
  std::string planned() { return value("SELECT count(*) FROM launches WHERE state = 'planned'"); }

  FakeCluster cluster;
  process::Config config = process::default_config();
};

TEST_F(RunnersVisits, OfAClusterThatAnswers_LookForAllLaunches_AndMakeThePlannedOne) {
  turn();
  EXPECT_THAT(cluster.requests("GET alice"), SizeIs(2)) << "two lists for each login";
  EXPECT_THAT(cluster.requests("GET bob"), SizeIs(2));
  EXPECT_THAT(cluster.requests("POST"), SizeIs(1));
}

TEST_F(RunnersVisits, OfAClusterThatIsSilent_EndAtTheFirstQuestion_AndSendNothingThere) {
  cluster.set_all(Mood::hangs);
  turn();
  EXPECT_THAT(cluster.requests(""), SizeIs(1));
  EXPECT_EQ(planned(), "1");
  EXPECT_EQ(value("SELECT reachable FROM clusters WHERE name = 'alpha'"), "f");
}

TEST_F(RunnersVisits, AskLastForALoginWhoseListNeverComes) {
  execute("UPDATE launches SET last_look_at = now() WHERE login = 'bob'");
  cluster.set("alice", Mood::hangs);
  turn();
  EXPECT_THAT(cluster.requests("GET bob"), SizeIs(2));
  EXPECT_EQ(value("SELECT looks FROM launches WHERE login = 'bob'"), "1");
}

TEST_F(RunnersVisits, WhoseTimeIsOver_AskForNothingMore_AndSendNothing) {
  config.module_time_limit = {};
  turn();
  EXPECT_THAT(cluster.requests(""), IsEmpty());
  EXPECT_EQ(planned(), "1");
}

}  // namespace
}  // namespace gleaner::tests
