#include <fmt/format.h>
#include <gmock/gmock.h>

#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <set>

#include "lib/fleet/fleet.hpp"
#include "lib/process/exit_code.hpp"
#include "lib/process/options.hpp"
#include "lib/store/detail.hpp"
#include "lib/store/events.hpp"
#include "lib/store/lease.hpp"
#include "lib/store/locks.hpp"
#include "tests/db/grid_fixture.hpp"

/// The cost of one cluster's fault to the others: nothing.
namespace gleaner::tests {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Work = store::Database::Work;

class Visits : public GridFixture {
 protected:
  void visit(const std::function<void(fleet::Visit&)>& what) {
    fleet::SharedDatabase shared{database, term};
    std::vector<store::Cluster> clusters;
    shared.transact([&](store::Transaction& transaction) { clusters = store::clusters(transaction); });
    fleet::visit_clusters(config, shared, Work::update, clusters, what);
  }
  /// Alpha's visits fail so; beta's are counted.
  template <class Error>
  void visit_with_alpha_throwing(const Error& error) {
    visit([&](fleet::Visit& here) {
      if (here.cluster.name == "alpha") throw error;
      ++beta_visits;
    });
  }
  std::string events() {
    return value(
        "SELECT coalesce(string_agg(e.code || ' ' || k.name || ' ' || e.state || ' ' || e.occurrences, ', ' ORDER BY e.id), '') FROM events e JOIN clusters k ON k.id = e.cluster_id");
  }
  bool is_locked(grid::ClusterId cluster) {
    store::Database other{conninfo};
    return !other.try_lock(Work::update, cluster.value());
  }

  process::Config config = process::default_config();
  std::atomic<int> beta_visits{0};
};

TEST_F(Visits, APassword_IsNotSentInClearToAnotherMachine_AndTheClustersStateNamesTheCommand) {
  const auto secret = std::filesystem::temp_directory_path() / fmt::format("gleaner-secret-{}", ::getpid());
  std::ofstream{secret} << "hunter2\n";
  ::chmod(secret.c_str(), 0600);
  const auto visited = [&](const std::string& url, bool insecure) {
    execute(fmt::format(
        "UPDATE clusters SET url = '{}', insecure = {}, authentication = 'basic', login = 'grid', secret_file = '{}', last_error = '' "
        "WHERE name = 'alpha'",
        url, insecure, secret.string()));
    bool alpha_too = false;
    visit([&](fleet::Visit& here) { alpha_too = alpha_too || here.cluster.name == "alpha"; });
    return alpha_too;
  };
  for (const auto* url : {"http://oar.example.org/api", "http://10.0.0.1:80/api", "http://127.example.org/api",
                          "http://localhost@10.0.0.1/api", "http://[::2]/api", "http://[::1].example.org/api"}) {
    EXPECT_FALSE(visited(url, false)) << url;
    EXPECT_THAT(value("SELECT last_error FROM clusters WHERE name = 'alpha'"),
                AllOf(HasSubstr("is not sent"), HasSubstr("gridctl cluster edit alpha --insecure")))
        << url;
    EXPECT_TRUE(visited(url, true)) << url;
  }
  for (const auto* url : {"https://oar.example.org/api", "http://localhost:6669/api", "http://127.0.1.1/api", "http://[::1]:80/api"})
    EXPECT_TRUE(visited(url, false)) << url;
  std::filesystem::remove(secret);
}

TEST_F(Visits, AClusterWhoseTurnFails_HasAnEventOfTheModule_AndTheOthersFinish) {
  visit_with_alpha_throwing(std::runtime_error{"the 7th job has no state \x1b[31m\351"});
  visit_with_alpha_throwing(std::out_of_range{"map::at"});
  EXPECT_EQ(beta_visits, 2);
  EXPECT_EQ(events(), "CLUSTER_TURN_FAILED_updator alpha open 2");
  EXPECT_THAT(stored.event().message,
              HasSubstr("the updator's turn on this cluster failed, and is taken again in the next cycle: map::at"));
}

TEST_F(Visits, ATurnThatGoesWellAgain_ClosesTheEvent) {
  visit_with_alpha_throwing(std::runtime_error{"once"});
  visit([](fleet::Visit&) {});
  EXPECT_EQ(events(), "CLUSTER_TURN_FAILED_updator alpha closed 1");
}

TEST_F(Visits, AStatementThatTookTooLong_IsTheClustersOwnFault) {
  visit_with_alpha_throwing(store::TimedOut{"'jobs.observe' took too long"});
  EXPECT_EQ(events(), "CLUSTER_TURN_FAILED_updator alpha open 1");
}

TEST_F(Visits, WhoseFaultCannotEvenBeWritten_HurtNobodyElse) {
  execute("CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no event is taken'; END $$");
  execute("CREATE TRIGGER refuse BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION refuse()");
  EXPECT_NO_THROW(visit_with_alpha_throwing(7));
  EXPECT_EQ(beta_visits, 1);
}

TEST_F(Visits, ALostLease_EndsTheTurn_AfterTheOthers) {
  EXPECT_THROW(visit_with_alpha_throwing(store::LeaseLost{"gone"}), store::LeaseLost);
  EXPECT_EQ(beta_visits, 1);
  EXPECT_EQ(events(), "");
}

TEST_F(Visits, ALostDatabase_EndsTheTurn_AndNobodyWritesWithoutTheLocksThatWentWithIt) {
  fleet::SharedDatabase shared{database, term};
  const auto lose = [&](store::Transaction&) { throw store::Unavailable{"the database went away"}; };
  EXPECT_THROW(shared.transact(lose), store::Unavailable);
  EXPECT_THROW(shared.transact([](store::Transaction&) { ADD_FAILURE() << "this one was begun"; }), store::Unavailable);
  EXPECT_THROW(visit_with_alpha_throwing(store::Unavailable{"gone"}), store::Unavailable);
}

TEST_F(Visits, ALock_IsGivenBack_WhateverTheVisitThrew) {
  visit([&](fleet::Visit& here) {
    EXPECT_TRUE(is_locked(here.cluster.id));
    throw std::runtime_error{"a bug"};
  });
  EXPECT_FALSE(is_locked(alpha));
  EXPECT_FALSE(is_locked(beta));
}

TEST_F(Visits, AClusterThatAnotherRunHolds_IsLeftToIt_WithoutAnEvent_WhileThatOneIsAtWork) {
  store::Database other{conninfo};
  ASSERT_TRUE(other.try_lock(Work::update, alpha.value()));
  std::mutex mutex;
  std::set<std::string> visited;
  visit([&](fleet::Visit& here) {
    const std::lock_guard lock{mutex};
    visited.insert(here.cluster.name);
  });
  EXPECT_EQ(visited, std::set<std::string>{"beta"});
  EXPECT_EQ(events(), "");
}

TEST_F(Visits, ALockOfAConnectionThatDoesNothingForTooLong_IsAnEvent_ThatNamesIt) {
  store::Database other{conninfo};
  ASSERT_TRUE(other.try_lock(Work::update, alpha.value()));
  config.module_time_limit = {};  // any silence is too long
  visit([](fleet::Visit&) {});
  EXPECT_EQ(events(), "CLUSTER_TURN_FAILED_updator alpha open 1");
  const auto pid = value("SELECT pid FROM pg_locks WHERE locktype = 'advisory'");
  EXPECT_THAT(stored.event().message, HasSubstr("SELECT pg_terminate_backend(" + pid + ")"));
  other.unlock(Work::update, alpha.value());
  visit([](fleet::Visit&) {});
  EXPECT_EQ(events(), "CLUSTER_TURN_FAILED_updator alpha closed 1");
}

TEST_F(Visits, KnowHowMuchOfTheTurnIsLeft) {
  config.module_time_limit = std::chrono::hours{2};
  visit([](fleet::Visit& here) {
    EXPECT_LE(here.time_left(), std::chrono::hours{1});
    EXPECT_GT(here.time_left(), std::chrono::minutes{55});
  });
  config.module_time_limit = {};
  visit([](fleet::Visit& here) { EXPECT_EQ(here.time_left(), process::Duration{0}); });
}

TEST_F(Visits, AWorkOfTheWholeGrid_IsDoneByOneTransactionAtATime) {
  store::Database other{conninfo};
  {
    auto first = other.begin();
    ASSERT_TRUE(store::try_lock_until_commit(first, Work::plan));
    transact([&](store::Transaction& second) {
      EXPECT_FALSE(fleet::is_sole_turn(config, second, Work::plan));
      EXPECT_TRUE(fleet::is_sole_turn(config, second, Work::predict)) << "another work";
    });
    config.module_time_limit = {};
    try {
      transact([&](store::Transaction& second) { static_cast<void>(fleet::is_sole_turn(config, second, Work::plan)); });
      ADD_FAILURE() << "the other has done nothing for long, and nobody is told";
    } catch (const process::Error& error) {
      EXPECT_EQ(error.code(), process::ExitCode::try_again);
      EXPECT_THAT(error.what(), HasSubstr("another turn of the metascheduler has done nothing for"));
    }
  }
  transact([&](store::Transaction& second) { EXPECT_TRUE(fleet::is_sole_turn(config, second, Work::plan)); });
}

TEST_F(Visits, CountTheirRequests_ByClusterAndMethodAndOutcome_AlsoThoseOfClientsThatAVisitMakesItself) {
  const auto counted = [&] {
    return value(
        "SELECT string_agg(k.name || ' ' || t.name || ' ' || t.result || ' ' || t.times, ', ' ORDER BY k.name) "
        "FROM totals t JOIN clusters k ON k.id = t.cluster_id WHERE t.kind = 'request' AND t.times = (SELECT sum(n) FROM unnest(t.buckets) n)");
  };
  const auto ask = [](fleet::Visit& here) {
    static_cast<void>(here.client.version());
    oar::Client files{here.client.access(), fleet::file_limits_of(here.config)};
    if (here.cluster.name == "alpha") static_cast<void>(files.version());
    if (here.cluster.name == "alpha") throw std::runtime_error{"a fault after the requests"};
  };
  visit(ask);
  EXPECT_EQ(counted(), "alpha GET not_sent 2, beta GET not_sent 1");
  visit(ask);
  EXPECT_EQ(counted(), "alpha GET not_sent 4, beta GET not_sent 2") << "the second turn adds to the first";
}

TEST_F(Visits, WhoseRequestsCannotBeCounted_HaveDoneTheirWork) {
  store::Database locking{conninfo};
  auto lock = locking.begin();
  lock.implementation().work.exec("LOCK TABLE totals IN ACCESS EXCLUSIVE MODE");
  store::Database limited{conninfo, {.lock = std::chrono::milliseconds{100}}};
  fleet::SharedDatabase shared{limited, term};
  std::vector<store::Cluster> clusters;
  shared.transact([&](store::Transaction& transaction) { clusters = store::clusters(transaction); });
  EXPECT_NO_THROW(fleet::visit_clusters(config, shared, Work::update, clusters, [&](fleet::Visit& here) {
    static_cast<void>(here.client.version());
    if (here.cluster.name == "beta") ++beta_visits;
  }));
  EXPECT_EQ(beta_visits, 1);
}

TEST_F(Visits, UnderALease_HoldUpNoRenewalOfIt_AndEveryTakeOver) {
  store::Database module{conninfo};
  store::Database conductor{conninfo, {.lock = std::chrono::milliseconds{100}}};
  const auto take_over = [&] {
    auto transaction = conductor.begin();
    transaction.implementation().work.exec("UPDATE lease SET term = term + 1");
    transaction.commit();
  };
  auto written = module.begin(term);
  EXPECT_TRUE(store::renew_lease(conductor, term, std::chrono::hours{1}));
  EXPECT_ANY_THROW(take_over()) << "what is written under a term is written before the next one";
  written.commit();
  take_over();
  EXPECT_THROW(static_cast<void>(module.begin(term)), store::LeaseLost);
}

}  // namespace
}  // namespace gleaner::tests
