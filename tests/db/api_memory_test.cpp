#include <gmock/gmock.h>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <pqxx/pqxx>

#include "lib/process/child.hpp"
#include "lib/store/clusters.hpp"
#include "lib/store/database.hpp"
#include "tests/db/api_client.hpp"
#include "tests/db/api_fixture.hpp"
#include "tests/db/postgres.hpp"

/// The memory of the real gridapi, whatever it is sent and asked for.
namespace gleaner::tests {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr std::uint64_t kOverhead = 3;  // of each allocation
#else
constexpr std::uint64_t kOverhead = 1;
#endif
constexpr std::uint64_t kMegabyte = std::uint64_t{1} << 20U;
/// The memory that large requests may take together (server.cpp), and the requests on their way through the others.
constexpr std::uint64_t kAllowance = 256 * kMegabyte;
constexpr int kAtOnce = 6;

class ApiMemory : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "gleaner-memory-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    database_ = PrivatePostgres::instance().fresh_database();
    {
      store::Database database{database_};
      auto transaction = database.begin();
      store::Cluster cluster;
      cluster.name = "alpha";
      cluster.url = "http://127.0.0.1:1/alpha";
      store::add_cluster(transaction, cluster);
      transaction.commit();
    }
    const char* programs = std::getenv("GLEANER_BIN_DIR");
    const auto program = std::filesystem::path{programs != nullptr ? programs : "build/bin"} / "gridapi";
    auto child = process::Child::start({.arguments = {program.string(), "--database", database_, "--api_socket", socket(), "--api_spool",
                                                      folder_.string(), "--least_uid", "0", "--refused_users", ""},
                                        .environment = {{"ASAN_OPTIONS", "quarantine_size_mb=1:malloc_context_size=1"}},
                                        .output = folder_ / "log"});
    ASSERT_TRUE(child) << child.error();
    child_.emplace(std::move(*child));
    while (status_of("GET", "/health") != 200 && !child_->wait(std::chrono::milliseconds{20})) {
    }
    // Each kind of request once: what is there afterwards is what it has at rest.
    EXPECT_EQ(status_of("POST", "/v1/campaigns", jdl(R"("nb_jobs": 1)")), 201);
    for (const auto* path : {"/v1/campaigns", "/v1/campaigns/1/tasks", "/v1/events", "/v1/gridusage", "/v1/scenario", "/v1/clusters"})
      EXPECT_EQ(status_of("GET", path), 200) << path;
    idle_ = memory("VmRSS");
  }

  void TearDown() override {
    if (child_) static_cast<void>(child_->stop(std::chrono::seconds{10}));
    std::filesystem::remove_all(folder_);
  }

  static std::string jdl(const std::string& more) { return R"({"name": "t", "clusters": {"alpha": {"exec_file": "run"}}, )" + more + "}"; }

  [[nodiscard]] std::string socket() const { return (folder_ / "api.socket").string(); }
  [[nodiscard]] ApiAnswer call(const std::string& method, const std::string& target, const std::string& body = {},
                               const std::string& type = "application/json") const {
    return ask(socket(), {.method = method, .target = target, .body = body, .headers = {{"Content-Type", type}}});
  }
  [[nodiscard]] int status_of(const std::string& method, const std::string& target, const std::string& body = {},
                              const std::string& type = "application/json") const {
    try {
      return call(method, target, body, type).status;
    } catch (const std::exception&) {
      return 0;
    }
  }

  void sql(const std::string& statement) const {
    pqxx::connection connection{database_};
    pqxx::work work{connection};
    work.exec(statement);
    work.commit();
  }

  /// Bytes: VmRSS now, VmHWM the most since `forget_peak`.
  [[nodiscard]] std::uint64_t memory(const std::string& which) const {
    std::ifstream status{fmt::format("/proc/{}/status", child_->pid())};
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with(which + ":")) return std::stoull(line.substr(which.size() + 1)) * 1024;
    }
    return 0;
  }
  void forget_peak() const { std::ofstream{fmt::format("/proc/{}/clear_refs", child_->pid())} << "5"; }

  /// Does it several times at once: the statuses of the answers, and the memory that was never exceeded.
  void expect_bounded(const std::string& what, const std::vector<int>& statuses, const std::function<int()>& attack) const {
    forget_peak();
    std::vector<int> answers(kAtOnce);
    std::vector<std::thread> threads;
    for (int i = 0; i < kAtOnce; ++i) threads.emplace_back([&, i] { answers[static_cast<std::size_t>(i)] = attack(); });
    for (auto& thread : threads) thread.join();
    for (const auto answer : answers) EXPECT_THAT(statuses, testing::Contains(answer)) << what;
    EXPECT_EQ(status_of("GET", "/health"), 200) << what;
    const auto peak = memory("VmHWM");
    RecordProperty(what, static_cast<int>(peak / kMegabyte));
    std::cout << fmt::format("{:<60} {:>5} MB, at rest {} MB\n", what, peak / kMegabyte, idle_ / kMegabyte);
    EXPECT_LT(peak, 4 * idle_ + kOverhead * kAllowance) << what;
  }

  std::filesystem::path folder_;
  std::string database_;
  std::optional<process::Child> child_;
  std::uint64_t idle_ = 0;
};

std::string repeated(std::string_view part, std::size_t bytes) {
  std::string text;
  text.reserve(bytes + part.size());
  while (text.size() < bytes) text += part;
  return text;
}

TEST_F(ApiMemory, IsBounded_WhateverIsSent) {
  const auto post = [&](const std::string& body, const std::string& type = "application/json", const std::string& query = "") {
    return [this, body, type, query] { return status_of("POST", "/v1/campaigns" + query, body, type); };
  };
  const std::string ndjson = "application/x-ndjson";
  expect_bounded("a JDL of 200 000 brackets", {400}, post("{\"jdl\":" + std::string(200'000, '['), ndjson));
  expect_bounded("params of 24 MB", {413}, post(jdl("\"params\": [" + repeated("\"\",", 24 * kMegabyte) + "\"\"]")));
  expect_bounded("params of 7 MB, too many values", {400, 503}, post(jdl("\"params\": [" + repeated("\"\",", 7 * kMegabyte) + "\"\"]")));
  expect_bounded("240 000 params", {200, 503},
                 post(jdl("\"params\": [" + repeated("\"1234567890123456\",", 240'000 * 19) + "\"\"]"), "application/json", "?dry_run=1"));
  expect_bounded("220 000 wrong params", {400, 503},
                 post(jdl("\"params\": [" + repeated("{},", 360'000) + repeated("\"a'\",", 500'000) + "\"\"]")));
  expect_bounded("7 MB of one string", {400, 503}, post(jdl("\"exec_file\": \"" + std::string(7 * kMegabyte, 'x') + "\"")));
  expect_bounded("keys without end", {400, 503}, post("{" + repeated("\"abcdefgh\": 1, ", 7 * kMegabyte) + "\"a\": 1}"));
  expect_bounded("a key of 7 MB", {400, 503}, post("{\"" + std::string(7 * kMegabyte, 'k') + "\": 1}"));
  expect_bounded("sections without end", {400, 503}, post(repeated("abc{}\n", 7 * kMegabyte)));
  expect_bounded("a section of 7 MB", {400, 503}, post(std::string(3 * kMegabyte, 'a') + "{" + repeated("x=1;\n", 4 * kMegabyte) + "}"));
  expect_bounded("a first line of 24 MB", {413, 503}, post("{\"jdl\": \"" + std::string(24 * kMegabyte, 'x') + "\"}", ndjson));
  expect_bounded("a hundred million tasks", {403}, post(jdl("\"nb_jobs\": 100000000")));
  expect_bounded("16 MB of streamed parameters", {200},
                 post(head_of(jdl("\"project\": \"p\""), R"("dry_run": true)") + "\n" +
                          repeated("\"" + std::string(1000, 'p') + "\"\n", 16 * kMegabyte),
                      ndjson));
}

TEST_F(ApiMemory, IsBounded_WhateverIsAskedFor) {
  const auto get = [&](const std::string& target) { return [this, target] { return status_of("GET", target); }; };
  sql("INSERT INTO tasks (campaign_id, number, parameter) SELECT 1, n, repeat('x', 60000) FROM generate_series(1, 1000) n");
  sql("UPDATE campaigns SET total = 1001, waiting = 1001 WHERE id = 1");
  sql("INSERT INTO campaigns (user_name, name, type, jdl, submitted_at) SELECT 'u' || n % 50, repeat('n', 200), 'default', '{}', now() FROM generate_series(1, 10000) n");
  sql("INSERT INTO campaign_clusters (campaign_id, cluster_id, priority, exec_file, exec_directory, resources, resources_per_job, walltime_s, properties, project, job_types, best_effort)"
      " SELECT c.id, k.id, 1, 'run', '$HOME', '/core=1', 1, 3600, '', '', '', true FROM campaigns c, clusters k WHERE c.id > 1");
  sql("INSERT INTO events (code, campaign_id, message, opened_at, last_at) SELECT 'TEST' || n, 1, repeat('m', 4000), now(), now() FROM generate_series(1, 5000) n");
  sql("INSERT INTO gridstatus (cluster_id, time, max_resources, free, used, used_besteffort, our_running, our_waiting, reachable, api_latency_ms)"
      " SELECT k.id, now() - n * interval '1 minute', 16, 8, 8, 0, 0, 0, true, 1 FROM clusters k, generate_series(0, 49999) n");
  const std::vector<int> fine{200, 503};
  expect_bounded("/v1/campaigns/1/tasks?limit=10000, 60 kB each", fine, get("/v1/campaigns/1/tasks?limit=10000"));
  expect_bounded("/v1/campaigns?limit=10000", fine, get("/v1/campaigns?all=1&limit=10000"));
  expect_bounded("/v1/campaigns?limit=10000, indented", fine, get("/v1/campaigns?all=1&limit=10000&pretty=1"));
  expect_bounded("/v1/campaigns/1/events?limit=10000, 4 kB each", fine, get("/v1/campaigns/1/events?limit=10000"));
  expect_bounded("/v1/gridusage?from=1970-01-01T00:00:00Z", fine, get("/v1/gridusage?from=1970-01-01T00:00:00Z&limit=10000"));
  expect_bounded("/v1/scenario of 10 000 campaigns", fine, get("/v1/scenario"));
  for (const auto* target : {"/campaigns/1/jobs?limit=10000", "/campaigns/1/jdl", "/campaigns?limit=10000",
                             "/campaigns/1/events?limit=10000", "/gridusage?from=0"})
    expect_bounded(fmt::format("/cigri{}", target), fine, get(fmt::format("/cigri{}", target)));
}

}  // namespace
}  // namespace gleaner::tests
