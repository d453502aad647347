#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <chrono>
#include <fstream>
#include <future>
#include <map>
#include <set>
#include <sstream>
#include <thread>
#include <vector>

#include "lib/process/child.hpp"
#include "sql/queries.hpp"
#include "tests/db/api_fixture.hpp"
#include "tests/db/await.hpp"
#include "tests/db/metric_names.hpp"
#include "tests/source_tree.hpp"

/// GET /metrics: who may read it, what it says, what it costs, and what it says when the database does not answer.
namespace gleaner::tests {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr auto kToken = "scraper-token-0123456789";

class ApiMetrics : public ApiTest {
 protected:
  void SetUp() override {
    ApiTest::SetUp();
    sql("INSERT INTO cycles (term, started_at, ended_at) VALUES (1, now() - interval '2 s', now() - interval '1 s')");
    sql("UPDATE lease SET term = term + 1, holder = 'almighty host:1', expires_at = now() + interval '1 hour'");
  }
  void configure(api::ApiOptions& options) override {
    const auto file = folder() / "metrics-token";
    std::ofstream{file} << kToken << "\n";
    ::chmod(file.c_str(), 0600);
    options.config.api_metrics_token = file;
    options.config.api_metrics_addresses = {"127.0.0.2", "fd00::/8"};
    options.config.database_size_max = size_max;
  }
  static ApiRequest request(const std::string& token = kToken) {
    return {.target = "/metrics", .headers = {{"Authorization", "Bearer " + token}}};
  }
  /// The page, of figures that are read now.
  std::string page() const {
    std::this_thread::sleep_for(std::chrono::milliseconds{1100});
    const auto answer = ask(port(), request());
    EXPECT_EQ(answer.status, 200) << answer.body;
    return answer.body;
  }
  /// The value of a sample; empty: it is not on the page.
  static std::string value_of(const std::string& page, const std::string& sample) {
    std::istringstream lines{page};
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with(sample + " ")) return line.substr(sample.size() + 1);
    }
    return {};
  }
  std::string now(const std::string& sample) const { return value_of(page(), sample); }
  /// A job of a task of this campaign on alpha that ran for a minute, and ends so.
  void a_job_ends(std::int64_t campaign, int task, const std::string& ending) const {
    const auto cluster = sql("SELECT id FROM clusters WHERE name = 'alpha'");
    const auto launch =
        sql(fmt::format("INSERT INTO launches (campaign_id, cluster_id, state, term, jobs, resources, planned_at, tag) "
                        "VALUES ({}, {}, 'accepted', 1, 1, 1, now(), 't{}') RETURNING id",
                        campaign, cluster, task));
    const auto job =
        sql(fmt::format("INSERT INTO jobs (launch_id, campaign_id, cluster_id, task, attempt, state, resources, started_at) "
                        "VALUES ({}, {}, {}, {}, 0, 'running', 2, now() - interval '1 minute') RETURNING id",
                        launch, campaign, cluster, task));
    sql(fmt::format("UPDATE jobs SET state = 'terminated', ending = '{}', ended_at = started_at + interval '1 minute' WHERE id = {}",
                    ending, job));
  }

  std::uint64_t size_max = 0;
};

class ApiMetricsOfAFullDatabase : public ApiMetrics {
 protected:
  ApiMetricsOfAFullDatabase() { size_max = 1024; }
};

TEST_F(ApiMetrics, AreForAdministrators_ForTheTokenOfTheirOwn_AndForAllowedAddresses) {
  EXPECT_EQ(as("boss", {.target = "/metrics"}).status, 200);
  EXPECT_EQ(ask(port(), request()).status, 200);
  EXPECT_EQ(ask(socket(), {.target = "/metrics"}).status, 200) << "the socket's caller is this program's own user";
  EXPECT_EQ(get("/metrics").code(), "administrators_only");
  EXPECT_EQ(ask(port(), {.target = "/metrics"}).code(), "unknown_caller");
  EXPECT_EQ(ask(port(), request("scraper-token-0123456780")).code(), "unknown_caller");
  EXPECT_EQ(ask(port(), request("")).code(), "unknown_caller");
  EXPECT_EQ(ask(port(), {.target = "/v1/campaigns", .headers = request().headers}).code(), "unknown_caller")
      << "its token is for nothing else";
  const auto from = connect_to(port(), "127.0.0.2");
  const std::string bytes = "GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
  ASSERT_EQ(::write(from.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  std::string answer(12, ' ');
  ASSERT_EQ(::read(from.get(), answer.data(), answer.size()), static_cast<ssize_t>(answer.size()));
  EXPECT_EQ(answer, "HTTP/1.1 200");
}

TEST_F(ApiMetrics, ANewToken_CountsAtOnce_AndOneThatOthersMayRead_NotAtAll) {
  const auto file = folder() / "metrics-token";
  std::ofstream{file} << "another-token-0123456789\n";
  EXPECT_EQ(ask(port(), request()).status, 401);
  EXPECT_EQ(ask(port(), request("another-token-0123456789")).status, 200);
  ::chmod(file.c_str(), 0644);
  EXPECT_EQ(ask(port(), request("another-token-0123456789")).status, 401);
}

TEST_F(ApiMetrics, AreInTheFormatThatTheScraperTakes) {
  auto asked = request();
  const auto plain = ask(port(), asked);
  EXPECT_EQ(plain.headers.at("content-type"), "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_THAT(plain.body,
              AllOf(HasSubstr("\n# TYPE gleaner_api_requests_total counter\n"), Not(HasSubstr("# EOF")), Not(HasSubstr("# UNIT"))));
  asked.headers["Accept"] = "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;q=0.5";
  const auto open = ask(port(), asked);
  EXPECT_EQ(open.headers.at("content-type"), "application/openmetrics-text; version=1.0.0; charset=utf-8");
  EXPECT_THAT(open.body,
              AllOf(HasSubstr("\n# TYPE gleaner_api_requests counter\n"), HasSubstr("\n# UNIT gleaner_database_size_bytes bytes\n")));
  EXPECT_TRUE(open.body.ends_with("\n# EOF\n"));
}

TEST_F(ApiMetrics, PassPromtool) {
  const auto file = folder() / "page";
  std::ofstream{file} << page();
  auto child = process::Child::start({.arguments = {"promtool", "check", "metrics"}, .input = file, .output = folder() / "said"});
  ASSERT_TRUE(child) << child.error();
  const auto end = child->wait(std::chrono::seconds{60});
  std::ostringstream said;
  said << std::ifstream{folder() / "said"}.rdbuf();
  ASSERT_TRUE(end);
  EXPECT_EQ(end->exit_status, 0) << said.str();
  EXPECT_EQ(said.str(), "");
}

TEST_F(ApiMetrics, CountTasksOfCampaignsThatAreNotOver_JobsAndResourcesOfEachCluster) {
  const auto id = a_campaign_of(5);
  const auto held = a_campaign_of(2);
  sql(fmt::format("UPDATE campaigns SET state = 'paused' WHERE id = {}", held));
  sql("INSERT INTO gridstatus SELECT id, now() - interval '10 s', 100, 40, 60, 50, 25, 7, true, 12, 0.5, 3 FROM clusters WHERE name = 'alpha'");
  sql("UPDATE clusters SET dead_resources = 3, absent_resources = 2, reachable = true WHERE name = 'alpha'");
  sql(fmt::format("UPDATE campaign_clusters SET active = true, running = 4, unknown = 1 WHERE campaign_id = {}", id));
  const auto text = page();
  EXPECT_EQ(value_of(text, R"(gleaner_campaigns{state="in_treatment"})"), "1");
  EXPECT_EQ(value_of(text, R"(gleaner_campaigns{state="paused"})"), "1");
  EXPECT_EQ(value_of(text, "gleaner_campaigns_submitted_total"), "2");
  EXPECT_EQ(value_of(text, R"(gleaner_tasks{state="waiting"})"), "7");
  EXPECT_EQ(value_of(text, R"(gleaner_jobs{cluster="alpha",state="running"})"), "4");
  EXPECT_EQ(value_of(text, R"(gleaner_jobs{cluster="alpha",state="unknown"})"), "1");
  EXPECT_EQ(value_of(text, R"(gleaner_resources{cluster="alpha",state="ours"})"), "25");
  EXPECT_EQ(value_of(text, R"(gleaner_resources{cluster="alpha",state="local"})"), "35");
  EXPECT_EQ(value_of(text, R"(gleaner_resources{cluster="alpha",state="free"})"), "40");
  EXPECT_EQ(value_of(text, R"(gleaner_resources{cluster="alpha",state="down"})"), "5");
  EXPECT_EQ(value_of(text, R"(gleaner_resources{cluster="beta",state="free"})"), "") << "it was never polled";
  EXPECT_EQ(value_of(text, R"(gleaner_cluster_stress{cluster="alpha"})"), "0.5");
  EXPECT_EQ(value_of(text, R"(gleaner_lease_info{holder="almighty host:1"})"), "1");
  EXPECT_EQ(value_of(text, "gleaner_schema_version"), sql("SELECT max(number) FROM schema_migrations"));
  EXPECT_EQ(value_of(text, "gleaner_database_up"), "1");
  EXPECT_EQ(value_of(text, R"(gleaner_health{status="ok"})"), "1");
  const auto age = std::stod(value_of(text, "gleaner_last_cycle_age_seconds"));
  EXPECT_TRUE(age >= 2 && age < 600) << age;
}

TEST_F(ApiMetrics, CountWhatEnded_AndNothingIsTakenBackWhenItIsPruned) {
  const auto id = a_campaign_of(4);
  a_job_ends(id, 0, "done");
  a_job_ends(id, 1, "walltime");
  a_job_ends(id, 2, "killed_elsewhere");
  sql("INSERT INTO kill_requests (job_id, reason, requested_at) SELECT id, 'excess', now() FROM jobs WHERE ending = 'killed_elsewhere'");
  // Two polls in one statement: the second counts for the time since the first.
  sql("INSERT INTO gridstatus SELECT id, date_trunc('hour', now()) - p.before * interval '1 s', 10, p.free, 10 - p.free, 0, p.ours, 0, true, 12, NULL, NULL "
      "FROM clusters, (VALUES (30, 10, 0), (20, 4, 1)) AS p(before, free, ours) WHERE name = 'alpha'");
  sql(fmt::format("UPDATE campaigns SET state = 'cancelled', ended_at = now() WHERE id = {}", id));
  const std::map<std::string, std::string> expected{{R"(gleaner_jobs_ended_total{cluster="alpha",ending="done",kind="task"})", "1"},
                                                    {R"(gleaner_jobs_ended_total{cluster="alpha",ending="walltime",kind="task"})", "1"},
                                                    {R"(gleaner_kills_total{cluster="alpha",reason="excess"})", "1"},
                                                    {R"(gleaner_job_resource_seconds_total{cluster="alpha",use="useful"})", "120"},
                                                    {R"(gleaner_job_resource_seconds_total{cluster="alpha",use="failed"})", "120"},
                                                    {R"(gleaner_job_resource_seconds_total{cluster="alpha",use="lost"})", "120"},
                                                    {R"(gleaner_resource_seconds_total{cluster="alpha",state="free"})", "40"},
                                                    {R"(gleaner_resource_seconds_total{cluster="alpha",state="local"})", "50"},
                                                    {R"(gleaner_resource_seconds_total{cluster="alpha",state="ours"})", "10"},
                                                    {R"(gleaner_campaigns_ended_total{state="cancelled"})", "1"},
                                                    {"gleaner_campaigns_submitted_total", "1"}};
  const auto before = page();
  sql("DELETE FROM kill_requests; DELETE FROM jobs; DELETE FROM launches; DELETE FROM tasks; DELETE FROM usage; DELETE FROM gridstatus; "
      "DELETE FROM campaigns");
  const auto after = page();
  for (const auto& [sample, value] : expected) {
    EXPECT_EQ(value_of(before, sample), value);
    EXPECT_EQ(value_of(after, sample), value) << "after what was pruned";
  }
}

TEST_F(ApiMetrics, SayHowGoodThePlansWere_ByClusterAndAlgorithm) {
  const auto id = a_campaign_of(4);
  a_job_ends(id, 0, "done");
  sql("INSERT INTO forecasts (campaign_id, cluster_id, job_ratio, algorithm) SELECT campaign_id, cluster_id, 1, 'control' FROM campaign_clusters");
  a_job_ends(id, 1, "preempted");
  const auto text = page();
  EXPECT_EQ(value_of(text, R"(gleaner_planned_jobs_ended_total{cluster="alpha",algorithm="first",fate="done"})"), "1");
  EXPECT_EQ(value_of(text, R"(gleaner_planned_jobs_ended_total{cluster="alpha",algorithm="control",fate="preempted"})"), "1");
  EXPECT_EQ(value_of(text, R"(gleaner_planned_jobs_started_total{cluster="alpha",algorithm="control",start="prompt"})"), "1");
}

TEST_F(ApiMetrics, SayWhenTheHeraldWasLastAtWork_AndHealthThatItIsNot) {
  EXPECT_EQ(value_of(page(), "gleaner_herald_last_turn_age_seconds"), "");
  EXPECT_STREQ(get("/health").json["status"].GetString(), "ok") << "nobody subscribed";
  sql("INSERT INTO subscriptions (user_name, audience, channel, address, severity, created_at) "
      "VALUES ('alice', 'user', 'mail', 'alice@example.org', 1, now() - interval '14 minutes')");
  EXPECT_STREQ(get("/health").json["status"].GetString(), "ok") << "a new one";
  sql("UPDATE subscriptions SET created_at = now() - interval '16 minutes'");
  auto health = get("/health");
  EXPECT_STREQ(health.json["status"].GetString(), "degraded");
  EXPECT_STREQ(health.json["troubles"][0]["kind"].GetString(), "herald");
  EXPECT_THAT(health.body, HasSubstr("it has never run; subscriptions that wait for it: 1"));
  EXPECT_EQ(get("/ready").status, 200) << "campaigns are worked on";
  sql("INSERT INTO totals (kind, times, last_at) VALUES ('herald', 1, now() - interval '30 s')");
  EXPECT_STREQ(get("/health").json["status"].GetString(), "ok");
  EXPECT_GE(std::stod(now("gleaner_herald_last_turn_age_seconds")), 30);
  sql("UPDATE totals SET last_at = now() - interval '16 minutes' WHERE kind = 'herald'");
  EXPECT_THAT(get("/health").body, HasSubstr("it does not run"));
  sql("UPDATE totals SET last_at = now() WHERE kind = 'herald'");
  sql("INSERT INTO messages (subscription_id, about, state, severity, created_at, due_at, fixed_at, error) "
      "SELECT id, 0, 'ready', 3, now(), now(), now() - interval '59 minutes', 'no route' FROM subscriptions");
  EXPECT_STREQ(get("/health").json["status"].GetString(), "ok") << "a server may be away for a while";
  sql("UPDATE messages SET fixed_at = now() - interval '61 minutes'");
  health = get("/health");
  EXPECT_STREQ(health.json["status"].GetString(), "degraded");
  EXPECT_STREQ(health.json["troubles"][0]["kind"].GetString(), "outbox");
  EXPECT_THAT(health.body, HasSubstr("messages wait to be sent: 1; the last error: no route"));
  EXPECT_EQ(value_of(page(), R"(gleaner_troubles{kind="outbox"})"), "1");
}

TEST_F(ApiMetrics, OfAPollAfterALongTime_CountNoResources) {
  sql("INSERT INTO gridstatus SELECT id, now() - interval '2 hours', 10, 10, 0, 0, 0, 0, true, 12, NULL, NULL FROM clusters WHERE name = 'alpha'");
  sql("INSERT INTO gridstatus SELECT id, now(), 10, 10, 0, 0, 0, 0, true, 12, NULL, NULL FROM clusters WHERE name = 'alpha'");
  EXPECT_EQ(now(R"(gleaner_resource_seconds_total{cluster="alpha",state="free"})"), "");
}

TEST_F(ApiMetrics, NameNoUserAndNoCampaignAndNoPath_AndUnknownPathsMakeNoNames) {
  const auto body = R"({"name": "secretname", "nb_jobs": 1, "clusters": {"alpha": {"exec_file": "$HOME/secretpath"}}})";
  EXPECT_EQ(post("/v1/campaigns", body).status, 201);
  const auto series = [](const std::string& text) {
    std::set<std::string> names;
    std::istringstream lines{text};
    for (std::string line; std::getline(lines, line);) names.insert(line.substr(0, line.rfind(' ')));
    return names;
  };
  static_cast<void>(get("/nosuchpath"));
  static_cast<void>(as("alice", {.method = "M", .target = "/v1/campaigns"}));
  for (const auto* campaign : {"1", "2"}) static_cast<void>(get(std::string{"/v1/campaigns/"} + campaign));
  static_cast<void>(page());
  const auto before = page();
  for (int i = 0; i < 200; ++i) {
    static_cast<void>(get(fmt::format("/nosuchpath{}", i)));
    static_cast<void>(as("alice", {.method = fmt::format("M{}", i), .target = "/v1/campaigns"}));
    static_cast<void>(get(fmt::format("/v1/campaigns/{}", i)));
  }
  const auto after = page();
  EXPECT_EQ(series(after), series(before));
  EXPECT_THAT(after,
              AllOf(Not(HasSubstr("alice")), Not(HasSubstr("secretname")), Not(HasSubstr("secretpath")), Not(HasSubstr("nosuchpath"))));
  EXPECT_THAT(after, HasSubstr(R"(gleaner_api_requests_total{method="GET",route="/v1/campaigns/:id",status="404"})"));
  EXPECT_THAT(after, HasSubstr(R"(gleaner_api_requests_total{method="none",route="none",status="404"} 201)"));
}

TEST_F(ApiMetrics, EscapeTheValuesOfTheirLabels) {
  sql(R"(UPDATE clusters SET name = E'a"b\\c\nd' WHERE name = 'beta')");
  EXPECT_EQ(now(R"(gleaner_cluster_enabled{cluster="a\"b\\c\nd"})"), "1");
}

TEST_F(ApiMetrics, AreAnsweredInTheTimeOfTheScraper_WhenTheDatabaseHangs_AndWhole_WhenItAnswersAgain) {
  pqxx::connection other{database()};
  auto asked = request();
  asked.headers["X-Prometheus-Scrape-Timeout-Seconds"] = "1.5";
  {
    pqxx::work lock{other};
    lock.exec("LOCK TABLE campaigns IN ACCESS EXCLUSIVE MODE");
    const auto began = std::chrono::steady_clock::now();
    const auto answer = ask(port(), asked);
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::milliseconds{1500});
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(value_of(answer.body, "gleaner_database_up"), "0");
    EXPECT_EQ(value_of(answer.body, R"(gleaner_health{status="unavailable"})"), "1");
    EXPECT_THAT(answer.body, AllOf(HasSubstr("gleaner_api_requests_total"), Not(HasSubstr("gleaner_campaigns"))));
  }
  EXPECT_EQ(now("gleaner_database_up"), "1");
}

TEST_F(ApiMetrics, OfAnotherSchema_SayThat_AndNothingElseOfTheDatabase) {
  sql("INSERT INTO schema_migrations (number, name) VALUES (9999, 'future')");
  const auto text = page();
  EXPECT_EQ(value_of(text, "gleaner_database_up"), "1");
  EXPECT_EQ(value_of(text, "gleaner_schema_ok"), "0");
  EXPECT_EQ(value_of(text, R"(gleaner_health{status="unavailable"})"), "1");
  EXPECT_THAT(text, Not(HasSubstr("gleaner_campaigns")));
}

TEST_F(ApiMetrics, OfManyScrapersAtOnce_CostTheDatabaseOneTransactionASecond) {
  static_cast<void>(page());
  const auto transactions = [&] {
    return std::stoll(sql("SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database()"));
  };
  sql("SELECT pg_stat_force_next_flush()");
  std::this_thread::sleep_for(std::chrono::milliseconds{1100});
  const auto before = transactions();
  const auto began = std::chrono::steady_clock::now();
  std::vector<std::future<int>> scrapes;
  for (int i = 0; i < 20; ++i)
    scrapes.push_back(std::async(std::launch::async, [&] {
      int good = 0;
      for (int j = 0; j < 5; ++j) good += ask(port(), request()).status == 200 ? 1 : 0;
      return good;
    }));
  int good = 0;
  for (auto& scrape : scrapes) good += scrape.get();
  EXPECT_EQ(good, 100);
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - began).count();
  static_cast<void>(page());  // which has the reader's own session send its statistics
  EXPECT_LT(transactions() - before, 12 + 2 * seconds);
}

TEST_F(ApiMetrics, ReadNoRowsOfTasksAndJobs_AndNoCampaignsThatAreOver) {
  const auto id = a_campaign_of(1);
  sql(fmt::format("INSERT INTO tasks (campaign_id, number, parameter) SELECT {}, n, 'x' FROM generate_series(1, 100000) n", id));
  sql("INSERT INTO campaigns (user_name, name, type, state, submitted_at, jdl) "
      "SELECT 'alice', 'x', 'default', 'terminated', now(), '{}' FROM generate_series(1, 20000)");
  sql("INSERT INTO events (code, campaign_id, state, opened_at, last_at, message) "
      "SELECT 'X', id, 'closed', now(), now(), 'x' FROM campaigns");
  sql("ANALYZE");
  pqxx::connection connection{database()};
  for (const auto text : {sql::metrics_grid::kText, sql::metrics_clusters::kText, sql::metrics_events::kText, sql::metrics_brakes::kText,
                          sql::metrics_totals::kText}) {
    pqxx::work work{connection};
    std::string plan;
    for (const auto& row : work.exec("EXPLAIN " + std::string{text})) plan += std::string{row[0].c_str()} + "\n";
    EXPECT_THAT(plan, AllOf(Not(HasSubstr(" on tasks")), Not(HasSubstr(" on jobs")), Not(HasSubstr("Seq Scan on campaigns")),
                            Not(HasSubstr("Seq Scan on events"))));
    if (text == sql::metrics_grid::kText) {
      EXPECT_THAT(plan, HasSubstr("campaigns_live"));
    }
  }
  const auto reads = [&] {
    return sql("SELECT sum(seq_scan + coalesce(idx_scan, 0)) FROM pg_stat_user_tables WHERE relname IN ('tasks', 'jobs')");
  };
  sql("SELECT pg_stat_force_next_flush()");
  std::this_thread::sleep_for(std::chrono::milliseconds{1100});
  const auto before = reads();
  for (int i = 0; i < 3; ++i) static_cast<void>(page());
  EXPECT_EQ(reads(), before);
}

TEST_F(ApiMetricsOfAFullDatabase, HaveEveryMetricThatTheAlertsAndTheDashboardName) {
  const auto id = a_campaign_of(4);
  a_job_ends(id, 0, "done");
  sql("INSERT INTO kill_requests (job_id, reason, requested_at) SELECT id, 'excess', now() FROM jobs");
  sql("INSERT INTO gridstatus SELECT id, date_trunc('hour', now()) - interval '30 s', 10, 10, 0, 0, 0, 0, true, 12, 0.1, NULL FROM clusters WHERE name = 'alpha'");
  sql("INSERT INTO gridstatus SELECT id, date_trunc('hour', now()) - interval '20 s', 10, 4, 6, 0, 1, 0, true, 12, 0.1, NULL FROM clusters WHERE name = 'alpha'");
  sql("UPDATE clusters SET reachable = true");
  sql("INSERT INTO events (code, opened_at, last_at, message) VALUES ('MODULE_FAILED_runner', now(), now(), 'x')");
  sql("INSERT INTO brakes (cluster_id, reason, created_at, expires_at) SELECT id, 'x', now(), now() + interval '1 hour' FROM clusters");
  sql("INSERT INTO totals (kind, cluster_id, name, result, times, amount, buckets, last_at) SELECT 'request', id, 'GET', '2xx', 3, 0.5, "
      "'{1,0,2,0,0,0,0,0,0,0,0,0}', now() FROM clusters WHERE name = 'alpha'");
  sql("INSERT INTO totals (kind, name, result, times, amount, buckets, last_at) VALUES ('turn', 'runner', 'succeeded', 1, 0.1, "
      "'{0,1,0,0,0,0,0,0,0,0,0,0}', now()), ('cycle', '', '', 1, 0.1, '{0,1,0,0,0,0,0,0,0,0,0,0}', now()), "
      "('ratio', 'measured', 'too_big', 1, 0, NULL, NULL), ('forecast', 'average', 'within', 1, 0, NULL, NULL), "
      "('forecast', 'average', 'error', 1, 60, NULL, NULL), ('herald', '', '', 1, 0, NULL, now())");
  const auto exported = names_in(page());
  for (const auto* const file :
       {"packaging/prometheus/gleaner.rules.yml", "packaging/prometheus/gleaner.dashboard.json", "docs/administration.md"}) {
    const auto named = names_in(source_text(file));
    EXPECT_GE(named.size(), 8U) << file;
    for (const auto& name : named) EXPECT_TRUE(exported.contains(name)) << file << " names " << name;
  }
}

TEST_F(ApiMetrics, OfRequestsToClusters_AreCounters_AndAHistogramWhoseBucketsAddUp) {
  sql("INSERT INTO totals (kind, cluster_id, name, result, times, amount, buckets, last_at) SELECT 'request', id, 'GET', '2xx', 3, 0.5, "
      "'{1,0,2,0,0,0,0,0,0,0,0,0}', now() FROM clusters WHERE name = 'alpha'");
  const auto text = page();
  const std::string labels = R"(cluster="alpha",method="GET",status="2xx")";
  EXPECT_EQ(value_of(text, "gleaner_cluster_requests_total{" + labels + "}"), "3");
  const std::string bucket = "gleaner_cluster_request_duration_seconds_bucket{" + labels;
  EXPECT_EQ(value_of(text, bucket + R"(,le="0.01"})"), "1");
  EXPECT_EQ(value_of(text, bucket + R"(,le="0.05"})"), "3");
  EXPECT_EQ(value_of(text, bucket + R"(,le="10.0"})"), "3");
  EXPECT_EQ(value_of(text, bucket + R"(,le="+Inf"})"), "3");
  EXPECT_EQ(value_of(text, "gleaner_cluster_request_duration_seconds_count{" + labels + "}"), "3");
  EXPECT_EQ(value_of(text, "gleaner_cluster_request_duration_seconds_sum{" + labels + "}"), "0.5");
}

class ApiReady : public ApiMetrics {};

TEST_F(ApiReady, MeansThatSomebodyConducts_AndThatNoModuleFailsAgainAndAgain) {
  EXPECT_EQ(get("/ready").status, 200);
  EXPECT_TRUE(get("/ready").json["ready"].GetBool());
  sql("UPDATE clusters SET reachable = false, unreachable_since = now() WHERE name = 'alpha'");
  sql("INSERT INTO events (code, opened_at, last_at, message) VALUES ('MODULE_FAILED_runner', now(), now(), 'x')");
  EXPECT_EQ(get("/ready").status, 200) << "one failure may be an accident, and one lost cluster is not the grid";
  sql("UPDATE events SET occurrences = 3");
  const auto failing = ask(port(), {.target = "/ready"});
  EXPECT_EQ(failing.status, 503);
  EXPECT_FALSE(failing.json["ready"].GetBool());
  EXPECT_STREQ(failing.json["troubles"][0]["subject"].GetString(), "runner");
  EXPECT_EQ(failing.json["troubles"].Size(), 1U);
  sql("UPDATE events SET state = 'closed', closed_at = now()");
  EXPECT_EQ(get("/ready").status, 200);
  sql("UPDATE lease SET expires_at = now() - interval '1 hour'; ");
  sql("UPDATE cycles SET ended_at = now() - interval '1 hour'");
  EXPECT_EQ(get("/ready").status, 503);
  sql("INSERT INTO schema_migrations (number, name) VALUES (9999, 'future')");
  EXPECT_THAT(get("/ready").json["message"].GetString(), HasSubstr("use a newer Gleaner"));
}

TEST_F(ApiReady, TheSizeOfADatabase_IsNoTrouble_WhereItsLimitIsNotKnown) {
  EXPECT_STREQ(get("/health").json["status"].GetString(), "ok");
  EXPECT_EQ(now(R"(gleaner_troubles{kind="size"})"), "0");
}

TEST_F(ApiMetricsOfAFullDatabase, SayThatItIsNearlyFull_AsHealthDoes) {
  const auto health = get("/health");
  EXPECT_STREQ(health.json["status"].GetString(), "degraded");
  EXPECT_STREQ(health.json["troubles"][0]["kind"].GetString(), "size");
  EXPECT_THAT(health.json["troubles"][0]["remedy"].GetString(), HasSubstr("gridctl prune"));
  EXPECT_EQ(now(R"(gleaner_troubles{kind="size"})"), "1");
  EXPECT_EQ(get("/ready").status, 200);
}

}  // namespace
}  // namespace gleaner::tests
