#include <fmt/format.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <regex>
#include <set>
#include <sstream>

#include <rapidjson/document.h>

#include "clients/api_client.hpp"
#include "lib/process/child.hpp"
#include "tests/db/api_fixture.hpp"
#include "tests/db/await.hpp"
#include "tests/source_tree.hpp"

/// A real Prometheus (Debian's) that scrapes gridapi, with the alerts of packaging/prometheus.
namespace gleaner::tests {
namespace {

namespace fs = std::filesystem;

constexpr auto kPrometheusToken = "scraper-token-0123456789";

std::string run(const std::vector<std::string>& command, const fs::path& said, const fs::path& where) {
  auto child = process::Child::start({.arguments = command, .output = said, .directory = where});
  if (!child) return child.error();
  const auto end = child->wait(kHangGuard);
  std::ostringstream text;
  text << std::ifstream{said}.rdbuf();
  return end && end->succeeded() ? std::string{} : text.str();
}

/// A port of 127.0.0.1 that nothing listens on.
int free_port() {
  const http::FileDescriptor socket{::socket(AF_INET, SOCK_STREAM, 0)};
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), size) != 0 ||
      ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0)
    return 0;
  return ntohs(address.sin_port);
}

class Prometheus : public ApiTest {
 protected:
  void SetUp() override {
    ApiTest::SetUp();
    conduct();
    sql("UPDATE clusters SET reachable = true");
    sql("INSERT INTO gridstatus SELECT id, now() - interval '10 s', 100, 40, 60, 50, 25, 7, true, 12, 0.5, 3 FROM clusters");
  }
  void TearDown() override {
    child_.reset();
    ApiTest::TearDown();
  }
  void configure(api::ApiOptions& options) override {
    const auto file = folder() / "metrics-token";
    std::ofstream{file} << kPrometheusToken;
    ::chmod(file.c_str(), 0600);
    options.config.api_metrics_token = file;
    options.config.database_size_max = std::uint64_t{1} << 40U;
  }
  /// A cycle has ended now, and another may follow for an hour.
  void conduct() const {
    sql("INSERT INTO cycles (term, started_at, ended_at) VALUES (1, now(), now())");
    sql("UPDATE lease SET term = term + 1, holder = 'almighty host:1', expires_at = now() + interval '1 hour'");
  }

  /// The alerts as they are, but for the time for which a condition must hold: a second instead of minutes.
  void start() {
    const auto rules = std::regex_replace(source_text("packaging/prometheus/gleaner.rules.yml"), std::regex{"for: [0-9]+m"}, "for: 1s");
    std::ofstream{folder() / "rules.yml"} << rules;
    std::ofstream{folder() / "prometheus.yml"} << fmt::format(
        "global: {{scrape_interval: 500ms, scrape_timeout: 400ms, evaluation_interval: 500ms}}\n"
        "rule_files: [rules.yml]\n"
        "scrape_configs:\n"
        "  - job_name: gleaner\n"
        "    authorization: {{credentials_file: {}}}\n"
        "    static_configs: [{{targets: [\"127.0.0.1:{}\"]}}]\n",
        (folder() / "metrics-token").string(), port());
    own_port_ = std::to_string(free_port());
    auto child =
        process::Child::start({.arguments = {"prometheus", "--config.file", (folder() / "prometheus.yml").string(), "--storage.tsdb.path",
                                             (folder() / "data").string(), "--web.listen-address", "127.0.0.1:" + own_port_},
                               .output = folder() / "prometheus.log",
                               .directory = folder()});
    ASSERT_TRUE(child) << child.error();
    child_.emplace(std::move(*child));
    ASSERT_TRUE(await([&] { return answers("/-/ready"); })) << log();
  }
  [[nodiscard]] bool answers(const std::string& path) const {
    try {
      return ask(own_port_, {.target = path}).status == 200;
    } catch (const std::exception&) {
      return false;
    }
  }
  [[nodiscard]] std::string log() const {
    std::ostringstream text;
    text << std::ifstream{folder() / "prometheus.log"}.rdbuf();
    return text.str();
  }
  /// `health lastError` of the one target.
  [[nodiscard]] std::string target() const {
    const auto answer = ask(own_port_, {.target = "/api/v1/targets"});
    const auto& targets = answer.json["data"]["activeTargets"];
    if (targets.Size() != 1) return "no target";
    return fmt::format("{} {}", targets[0]["health"].GetString(), targets[0]["lastError"].GetString());
  }
  /// The number of series that a query gives now; -1: it is none of Prometheus.
  [[nodiscard]] int series_of(const std::string& query) const {
    const auto answer = ask(own_port_, {.target = "/api/v1/query?query=" + clients::url_encoded(query)});
    if (answer.status != 200 || answer.json["status"] != "success") return -1;
    return static_cast<int>(answer.json["data"]["result"].Size());
  }
  /// The alerts that fire.
  [[nodiscard]] std::set<std::string> firing() const {
    std::set<std::string> names;
    const auto answer = ask(own_port_, {.target = "/api/v1/alerts"});
    for (const auto& alert : answer.json["data"]["alerts"].GetArray()) {
      if (alert["state"] == "firing") names.insert(alert["labels"]["alertname"].GetString());
    }
    return names;
  }
  /// Whether exactly these alerts fire, sooner or later.
  [[nodiscard]] bool fires(const std::set<std::string>& names) const {
    return await([&] { return firing() == names; }, std::chrono::seconds{60});
  }

 private:
  std::optional<process::Child> child_;
  std::string own_port_;
};

TEST(Alerts, AreRulesOfPrometheus_AndFireWhenTheyShouldAndOnlyThen) {
  const auto folder = fs::temp_directory_path() / fmt::format("gleaner-rules-{}", ::getpid());
  fs::create_directory(folder);
  fs::copy(source_tree() / "packaging/prometheus/gleaner.rules.yml", folder);
  fs::copy(source_tree() / "tests/db/gleaner.rules.test.yml", folder);
  EXPECT_EQ(run({"promtool", "check", "rules", "gleaner.rules.yml"}, folder / "checked", folder), "");
  EXPECT_EQ(run({"promtool", "test", "rules", "gleaner.rules.test.yml"}, folder / "tested", folder), "");
  fs::remove_all(folder);
}

TEST(Alerts, AreEachTested) {
  const auto names = [](const std::string& text, const std::regex& pattern) {
    std::set<std::string> found;
    for (auto one = std::sregex_iterator{text.begin(), text.end(), pattern}; one != std::sregex_iterator{}; ++one) found.insert((*one)[1]);
    return found;
  };
  const auto alerts = names(source_text("packaging/prometheus/gleaner.rules.yml"), std::regex{"alert: (\\w+)"});
  EXPECT_EQ(alerts.size(), 13U);
  EXPECT_EQ(alerts, names(source_text("tests/db/gleaner.rules.test.yml"), std::regex{"alertname: (\\w+)"}));
}

TEST_F(Prometheus, TheExampleOfAConfiguration_IsOne) {
  auto text = source_text("packaging/prometheus/prometheus.example.yml");
  fs::copy(source_tree() / "packaging/prometheus/gleaner.rules.yml", folder());
  text = std::regex_replace(text, std::regex{"/etc/prometheus"}, folder().string());
  std::ofstream{folder() / "gleaner-ca.pem"} << "";
  std::ofstream{folder() / "gleaner.token"} << kPrometheusToken;
  std::ofstream{folder() / "example.yml"} << text;
  EXPECT_EQ(run({"promtool", "check", "config", "--syntax-only", "example.yml"}, folder() / "said", folder()), "");
}

/// The pages that a grid has after some work, as its triggers and modules keep them.
TEST_F(Prometheus, EachQueryOfTheDashboard_GivesSeriesOfAGridThatWorks) {
  sql("INSERT INTO totals (kind, cluster_id, name, result, times, amount, buckets, last_at) "
      "SELECT v.kind, CASE WHEN v.of_cluster THEN k.id ELSE 0 END, v.name, v.result, 3, 0.5, v.buckets, now() FROM clusters k, (VALUES "
      "('request', true, 'GET', '2xx', '{1,0,2,0,0,0,0,0,0,0,0,0}'::bigint[]), ('turn', false, 'runner', 'succeeded', '{0,3,0,0,0,0,0,0,0,0,0,0}'), "
      "('cycle', false, '', '', '{0,3,0,0,0,0,0,0,0,0,0,0}'), ('ending', true, 'task', 'done', NULL), ('use', true, '', 'useful', NULL), "
      "('resource', true, '', 'free', NULL), ('kill', true, 'excess', '', NULL), ('plan', true, 'measured', 'done', NULL), "
      "('start', true, 'measured', 'prompt', NULL), ('ratio', true, 'measured', 'too_big', NULL), ('ratio', true, 'measured', 'right', NULL), "
      "('forecast', false, 'average', 'within', NULL), ('forecast', false, 'average', 'outside', NULL), ('forecast', false, 'average', 'error', NULL), ('herald', false, '', '', NULL)) "
      "AS v(kind, of_cluster, name, result, buckets) WHERE k.name = 'alpha' ON CONFLICT DO NOTHING");
  sql("INSERT INTO events (code, opened_at, last_at, message) VALUES ('LAW_BROKEN_counters', now(), now(), 'x')");
  static_cast<void>(a_campaign_of(3));
  static_cast<void>(get("/v1/campaigns"));
  rapidjson::Document dashboard;
  const auto text = source_text("packaging/prometheus/gleaner.dashboard.json");
  dashboard.Parse(text.c_str());
  ASSERT_FALSE(dashboard.HasParseError());
  start();
  ASSERT_TRUE(await([&] { return target().starts_with("up"); }, std::chrono::seconds{60})) << target() << log();
  int queries = 0;
  for (const auto& panel : dashboard["panels"].GetArray()) {
    for (const auto& one : panel["targets"].GetArray()) {
      const std::string written = one["expr"].GetString();
      const auto query = std::regex_replace(written, std::regex{"\\$(instance|cluster)"}, ".*");
      ++queries;
      EXPECT_TRUE(await([&] { return series_of(query) != 0; }, std::chrono::seconds{30})) << panel["title"].GetString() << ": " << query;
      EXPECT_GT(series_of(query), 0) << panel["title"].GetString() << ": " << query;
    }
  }
  EXPECT_GE(queries, 25);
}

TEST_F(Prometheus, ScrapesGridapi_AndItsAlertsFireInAnIncident_AndClear) {
  start();
  ASSERT_TRUE(await([&] { return target().starts_with("up"); }, std::chrono::seconds{60})) << target() << log();
  EXPECT_EQ(target(), "up ");
  EXPECT_TRUE(fires({}));
  // The cluster alpha does not answer any more, almighty dies, and a law is broken.
  sql("UPDATE clusters SET reachable = false, unreachable_since = now() - interval '11 minutes' WHERE name = 'alpha'");
  EXPECT_TRUE(fires({"GleanerClusterLost"}));
  sql("UPDATE lease SET expires_at = now() - interval '5 minutes'");
  sql("UPDATE cycles SET ended_at = now() - interval '5 minutes', started_at = now() - interval '6 minutes'");
  EXPECT_TRUE(fires({"GleanerClusterLost", "GleanerNobodyConducts", "GleanerNoCycle"}));
  sql("INSERT INTO events (code, opened_at, last_at, message) VALUES ('LAW_BROKEN_counters', now(), now(), 'x')");
  EXPECT_TRUE(fires({"GleanerClusterLost", "GleanerNobodyConducts", "GleanerNoCycle", "GleanerLawBroken"}));
  conduct();
  sql("UPDATE clusters SET reachable = true, unreachable_since = NULL");
  sql("UPDATE events SET state = 'closed', closed_at = now()");
  EXPECT_TRUE(fires({}));
  sql("INSERT INTO schema_migrations (number, name) VALUES (9999, 'future')");
  EXPECT_TRUE(fires({"GleanerWrongSchema"}));
  sql("DELETE FROM schema_migrations WHERE number = 9999");
  EXPECT_TRUE(fires({}));
  EXPECT_EQ(target(), "up ");
}

}  // namespace
}  // namespace gleaner::tests
