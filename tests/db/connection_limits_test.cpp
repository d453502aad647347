#include "lib/store/connection_limits.hpp"

#include <gmock/gmock.h>

#include <cstdlib>

#include "lib/fleet/kept_database.hpp"
#include "lib/process/options.hpp"
#include "lib/store/batch.hpp"
#include "lib/store/detail.hpp"
#include "tests/db/postgres.hpp"

namespace gleaner::store {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

auto& postgres() { return tests::PrivatePostgres::instance(); }

TEST(ConnectionLimits, AreAddedToAConninfo_AndToAUri) {
  const auto all = AllOf(HasSubstr("dbname='gleaner'"), HasSubstr("keepalives_idle='10'"), HasSubstr("keepalives_interval='5'"),
                         HasSubstr("tcp_user_timeout='30000'"), HasSubstr("connect_timeout='30'"), HasSubstr("-c tcp_keepalives_idle=10"),
                         HasSubstr("-c tcp_user_timeout=30000"), HasSubstr("-c statement_timeout=60000"),
                         HasSubstr("-c lock_timeout=30000"), HasSubstr("-c idle_in_transaction_session_timeout=60000"));
  EXPECT_THAT(with_settings("dbname=gleaner", {}), all);
  EXPECT_THAT(with_settings("postgresql:///gleaner", {}), all);
}

TEST(ConnectionLimits, ThatAreGiven_Stay) {
  const auto text = with_settings("dbname=gleaner keepalives_idle=77 options='-c statement_timeout=5s' password='it\\'s'", {});
  EXPECT_THAT(text, AllOf(HasSubstr("keepalives_idle='77'"), HasSubstr("-c statement_timeout=5s"),
                          Not(HasSubstr("statement_timeout=60000")), HasSubstr("-c lock_timeout=30000")));
}

TEST(ConnectionLimits, OfTheEnvironment_Stay) {
  ::setenv("PGCONNECT_TIMEOUT", "3", 1);
  ::setenv("PGOPTIONS", "-c lock_timeout=9s", 1);
  const auto text = with_settings("dbname=gleaner", {});
  ::unsetenv("PGCONNECT_TIMEOUT");
  ::unsetenv("PGOPTIONS");
  EXPECT_THAT(text, AllOf(Not(HasSubstr("connect_timeout")), HasSubstr("-c lock_timeout=9s"), Not(HasSubstr("lock_timeout=30000"))));
}

TEST(ConnectionLimits, OfZero_AreNone) { EXPECT_EQ(with_settings("dbname=gleaner", {{}, {}, {}, {}}), "dbname='gleaner'"); }

TEST(ConnectionLimits, OfAConninfoThatMakesNoSense_ChangeNothing) { EXPECT_EQ(with_settings("no such thing", {}), "no such thing"); }

TEST(ConnectionLimits, ThatAreConfigured_HoldOnEachConnectionOfAModule) {
  auto config = process::default_config();
  config.database = postgres().fresh_database();
  config.database_statement_timeout = seconds{17};
  config.database_lock_timeout = seconds{18};
  config.database_idle_timeout = seconds{19};
  fleet::KeptDatabase kept;
  auto transaction = kept.open(config).begin();
  const auto row = detail::exec_text(transaction,
                                     "SELECT current_setting('statement_timeout') || ' ' || current_setting('lock_timeout') || ' ' ||"
                                     " current_setting('idle_in_transaction_session_timeout')")[0];
  EXPECT_EQ(row[0].as<std::string>(), "17s 18s 19s");
}

TEST(Sessions, CompileNoQueries) {
  Database database{postgres().fresh_database()};
  auto transaction = database.begin();
  EXPECT_EQ(detail::exec_text(transaction, "SHOW jit")[0][0].as<std::string>(), "off");
}

TEST(ConnectionLimits, AStatementThatTakesTooLong_IsNobodysFault) {
  Database database{postgres().fresh_database(), {.statement = milliseconds{50}}};
  auto transaction = database.begin();
  EXPECT_THROW(detail::exec_text(transaction, "SELECT pg_sleep(60)"), TimedOut);
}

TEST(ConnectionLimits, AStatementThatWaitsTooLongForALock_IsNobodysFault) {
  const auto conninfo = postgres().fresh_database();
  Database holder{conninfo};
  auto holding = holder.begin();
  detail::exec_text(holding, "UPDATE lease SET holder = 'somebody'");
  Database database{conninfo, {.lock = milliseconds{50}}};
  auto transaction = database.begin();
  EXPECT_THROW(detail::exec_text(transaction, "UPDATE lease SET holder = 'me'"), TimedOut);
}

TEST(ConnectionLimits, ATransactionInWhichNothingHappens_IsEnded_AndItsLocksAreFree) {
  const auto conninfo = postgres().fresh_database();
  Database idle{conninfo, {.idle_in_transaction = milliseconds{50}}};
  auto holding = idle.begin();
  detail::exec_text(holding, "UPDATE lease SET holder = 'somebody'");
  Database database{conninfo};
  auto transaction = database.begin();
  EXPECT_NO_THROW(detail::exec_text(transaction, "UPDATE lease SET holder = 'me'"));
  EXPECT_ANY_THROW(detail::exec_text(holding, "SELECT 1"));
}

TEST(ConnectionLimits, CanBeOthersForOneTransaction) {
  Database database{postgres().fresh_database(), {.statement = seconds{17}}};
  {
    auto transaction = database.begin();
    set_limits(transaction, {.statement = seconds{400}, .lock = {}, .idle_in_transaction = {}});
    EXPECT_EQ(detail::exec_text(transaction, "SHOW statement_timeout")[0][0].as<std::string>(), "400s");
    transaction.commit();
  }
  auto transaction = database.begin();
  EXPECT_EQ(detail::exec_text(transaction, "SHOW statement_timeout")[0][0].as<std::string>(), "17s");
}

}  // namespace
}  // namespace gleaner::store
