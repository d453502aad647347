#include <gmock/gmock.h>

#include "lib/process/options.hpp"
#include "lib/store/planning.hpp"
#include "runner/command/command.hpp"
#include "runner/runner.hpp"
#include "tests/db/fake_cluster.hpp"
#include "tests/db/grid_fixture.hpp"

/// The runner's remaining requests to a cluster that is silent, or when its time is over.
namespace gleaner::tests {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::HasSubstr;
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
  EXPECT_THAT(cluster.requests("GET alice /jobs"), SizeIs(2)) << "two lists for each login";
  EXPECT_THAT(cluster.requests("GET bob"), SizeIs(2));
  EXPECT_THAT(cluster.requests("/jobs"), Contains(HasSubstr("POST")).Times(1));
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

/// The programs of jobs, which the runner puts into homes.
class Programs : public RunnersVisits {
 protected:
  Programs() { execute("DELETE FROM launches"); }
  /// Plans a launch for this login, and makes a turn of the runner.
  void launch(const std::string& login) {
    execute("DELETE FROM launches WHERE state = 'unknown'");
    const auto campaign = a_campaign(10, {"alpha"});
    transact([&](store::Transaction& t) {
      store::map_user(t, login, alpha, login);
      store::plan_launch(t, {.campaign = campaign, .cluster = alpha, .jobs = 1, .resources = 1}, term, now);
    });
    execute(fmt::format("UPDATE campaigns SET user_name = '{}' WHERE id = {}", login, campaign.value()));
  }
  /// OAR lists what it was sent last, of this size.
  void lists(std::int64_t size_of_difference = 0) {
    cluster.answers("/media/ls/", fmt::format(R"({{"total":1,"items":[{{"name":"{}","size":"{}","type":"f"}}]}})", plain().sha256,
                                              std::ssize(plain().content) + size_of_difference));
  }
  [[nodiscard]] static runner::ProgramFile plain() {
    runner::LaunchFacts facts{"grid", grid::CampaignId{1}, "true", "alpha", "alice", "$HOME", "/core=1", "1:0:0"};
    facts.measured = true;
    return runner::JobCommand::create(facts).value().program().value();
  }
  std::string known(const std::string& login) {
    return value(
        fmt::format("SELECT coalesce(string_agg(concat_ws(' ', put_at IS NOT NULL, inline_until IS NOT NULL), ','), 'none') "
                    "FROM job_programs WHERE login = '{}'",
                    login));
  }
};

TEST_F(Programs, AreWrittenOnce_AndAreThereWhenOARListsThemWhole) {
  config.evidence_delay = 0s;
  launch("carol");
  turn();
  EXPECT_EQ(known("carol"), "f t") << "OAR answered success, and lists nothing";
  EXPECT_THAT(value("SELECT why FROM job_programs"), HasSubstr("only a part of"));
  execute("UPDATE job_programs SET inline_until = now()");
  lists(-1);
  launch("carol");
  turn();
  EXPECT_EQ(known("carol"), "f t") << "one byte is missing";
  execute("UPDATE job_programs SET inline_until = now()");
  lists();
  launch("carol");
  turn();
  EXPECT_EQ(known("carol"), "t f");
  EXPECT_THAT(cluster.requests("POST carol /media/force/"), SizeIs(3));
  launch("carol");
  turn();
  EXPECT_THAT(cluster.requests("POST carol /media/force/"), SizeIs(3));
}

TEST_F(Programs, ThatAreThereAlready_AreNotWrittenAgain) {
  lists();
  launch("carol");
  turn();
  EXPECT_EQ(known("carol"), "t f");
  EXPECT_THAT(cluster.requests("/media/force"), IsEmpty());
  execute("UPDATE job_programs SET tried_at = now() - interval '11 minutes'");
  cluster.answers("/media/ls/", R"({"total":0,"items":[]})");
  launch("carol");
  turn();
  EXPECT_THAT(cluster.requests("POST carol /media/force/"), SizeIs(1)) << "it was looked for again, and was gone";
}

TEST_F(Programs, OfAHomeThatHangs_DelayNoLaunch_AndThoseOfOthersByOneAnswerOnce) {
  lists();
  cluster.delay("GET dave /media", 10min);
  for (const auto* login : {"dave", "erin"}) launch(login);
  turn();
  EXPECT_EQ(value("SELECT count(*) FROM launches WHERE state = 'planned'"), "0");
  EXPECT_EQ(known("dave"), "f t") << "it is tried later";
  EXPECT_EQ(known("erin"), "none") << "OAR's API may be what is silent";
  execute("DELETE FROM launches");
  for (const auto* login : {"dave", "erin"}) launch(login);
  turn();
  EXPECT_EQ(known("erin"), "t f");
  EXPECT_THAT(cluster.requests("GET dave /media"), SizeIs(1));
}

/// The same array would come again and again, behind a brake that doubles.
TEST_F(RunnersVisits, OfAWebServerThatRefusesLargeRequests_HalveTheArrays_AndBrakeWhenOneJobIsTooLarge) {
  const auto campaign = a_campaign(100, {"alpha"});
  const auto launch = [&](int jobs) {
    execute("DELETE FROM launches WHERE state = 'planned'; DELETE FROM brakes");
    transact([&](store::Transaction& t) {
      store::plan_launch(t, {.campaign = campaign, .cluster = alpha, .jobs = jobs, .resources = 1.0 * jobs}, term, now);
    });
    turn();
  };
  const auto most = [&] { return value(fmt::format("SELECT array_most FROM campaign_clusters WHERE campaign_id = {}", campaign.value())); };
  const auto brakes = [&] { return value(fmt::format("SELECT count(*) FROM brakes WHERE campaign_id = {}", campaign.value())); };
  cluster.refuse_larger(10);
  launch(12);
  EXPECT_EQ(most(), "6");
  EXPECT_EQ(brakes(), "0");
  EXPECT_THAT(stored.event("ARRAY_TOO_LARGE").message, ::testing::HasSubstr("client_max_body_size of nginx"));
  transact([&](store::Transaction& t) {
    const auto facts = store::planning_facts(t, {.flood = 0, .array_size = 100}, now);
    EXPECT_TRUE(std::ranges::any_of(facts.pairs, [&](const auto& pair) { return pair.campaign == campaign && pair.array_most == 6; }));
  });
  launch(3);
  EXPECT_EQ(most(), "1");
  EXPECT_EQ(brakes(), "0");
  launch(1);
  EXPECT_EQ(most(), "1");
  EXPECT_EQ(brakes(), "1");
  EXPECT_THAT(stored.event("LAUNCH_REFUSED").message, ::testing::HasSubstr("One job alone is too large there"));
}

TEST_F(RunnersVisits, WhoseTimeIsOver_AskForNothingMore_AndSendNothing) {
  config.module_time_limit = {};
  turn();
  EXPECT_THAT(cluster.requests(""), IsEmpty());
  EXPECT_EQ(planned(), "1");
}

}  // namespace
}  // namespace gleaner::tests
