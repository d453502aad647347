#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <pqxx/pqxx>

#include "lib/process/options.hpp"
#include "tests/db/api_fixture.hpp"

/// A database that keeps requests waiting, or takes no writes: they are answered in time, and the server goes on.
namespace gleaner::tests {
namespace {

class ApiOutages : public ApiTest {
 protected:
  [[nodiscard]] process::Config configuration() const override {
    auto config = process::default_config();
    config.api_patience = std::chrono::seconds{5};  // of a busy machine, whose queries may take long
    return config;
  }
  [[nodiscard]] static std::string path(std::int64_t id) { return "/v1/campaigns/" + std::to_string(id); }
};

TEST_F(ApiOutages, ARowThatSomebodyLocks_IsWaitedForNoLongerThanApiPatience) {
  const auto id = a_campaign_of(1);
  {
    pqxx::connection connection{database()};
    pqxx::work other{connection};
    other.exec("SELECT FROM campaigns WHERE id = " + std::to_string(id) + " FOR UPDATE");
    const auto answer = remove(path(id));
    EXPECT_EQ(answer.status, 503) << answer.body;
    EXPECT_EQ(get(path(id)).status, 200) << "who only reads waits for nobody";
  }
  EXPECT_LT(remove(path(id)).status, 300);
}

TEST_F(ApiOutages, ADatabaseThatHangs_IsReportedToMonitors_WhichGetTheirAnswerAnyway) {
  ASSERT_EQ(get("/health").json["database"]["schema"].GetString(), std::string{"ok"});
  std::vector<pid_t> backends;
  std::istringstream numbers{sql(
      "SELECT coalesce(string_agg(pid::text, ' '), '') FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")};
  for (pid_t one = 0; numbers >> one;) backends.push_back(one);
  ASSERT_FALSE(backends.empty());
  const auto signal_all = [&](int signal) {
    for (const auto one : backends) ::kill(one, signal);
  };
  signal_all(SIGSTOP);
  std::mutex mutex;
  std::condition_variable over;
  bool is_over = false;
  std::jthread guard{[&] {
    std::unique_lock lock{mutex};
    over.wait_for(lock, std::chrono::seconds{60}, [&] { return is_over; });
    signal_all(SIGCONT);
  }};
  for (const auto* target : {"/health", "/ready", "/health"}) {
    const auto answer = ask(port(), {.target = target});
    EXPECT_EQ(answer.status, 503) << target;
    EXPECT_NE(answer.body.find("does not answer"), std::string::npos) << answer.body;
  }
  {
    const std::lock_guard lock{mutex};
    is_over = true;
  }
  over.notify_all();
  guard.join();
  EXPECT_EQ(get("/health").json["database"]["schema"].GetString(), std::string{"ok"});
}

TEST_F(ApiOutages, ADatabaseThatTakesNoWrites_IsAReasonToTryAgain_AndIsRead) {
  const auto id = a_campaign_of(1);
  const auto name = sql("SELECT current_database()");
  const auto set = [&](const std::string& value) {
    pqxx::connection connection{database() + " options='-c default_transaction_read_only=off'"};
    pqxx::nontransaction{connection}.exec("ALTER DATABASE " + name + " SET default_transaction_read_only = " + value);
    // The API's idle connections would not notice; they are gone when this returns.
    pqxx::nontransaction{connection}.exec(
        "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()");
  };
  set("on");
  const auto answer = remove(path(id));
  EXPECT_EQ(answer.status, 503) << answer.body;
  EXPECT_EQ(get(path(id)).status, 200);
  const auto health = get("/health");
  ASSERT_EQ(health.status, 503) << health.body;
  EXPECT_STREQ(health.json["status"].GetString(), "unavailable");
  EXPECT_STREQ(health.json["troubles"][0]["kind"].GetString(), "database");
  set("off");
  EXPECT_LT(remove(path(id)).status, 300);
}

}  // namespace
}  // namespace gleaner::tests
