#pragma once
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <pqxx/pqxx>

#include "lib/process/child.hpp"
#include "tests/db/postgres.hpp"

/// `gridctl import cigri`, the real program, on a database like CiGri's.
namespace gleaner::tests {

/// A JDL as CiGri stores it: expanded, with all its parameters.
inline constexpr std::string_view kJdl =
    R"json({"name":"mesh","jobs_type":"normal","clusters":{"zeta":{"type":"best-effort","walltime":"01:00:00","exec_file":"$HOME/run.sh","exec_directory":"$HOME","resources":"/core=1","properties":"","project":"","test_mode":"false","temporal_grouping":"false","dimensional_grouping":"false","checkpointing_type":"None"},"alpha":{"exec_file":"$HOME/run.sh","walltime":"2:00:00"}},"params":["p0 0","p1 1"]})json";

inline std::string content_of(const std::filesystem::path& path) {
  std::ifstream file{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{file}, {}};
}

class ImportCigri : public ::testing::Test {
 protected:
  ImportCigri() {
    std::string pattern = "/tmp/gleaner-import-XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error{pattern};
    folder_ = pattern;
  }
  ~ImportCigri() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] static std::string program() {
    const char* programs = std::getenv("GLEANER_BIN_DIR");
    return fmt::format("{}/gridctl", programs != nullptr ? programs : "build/bin");
  }
  [[nodiscard]] process::Command command(const std::vector<std::string>& more) const {
    std::vector<std::string> words{program(), "import", "cigri", "--from", cigri_, "--directory", (folder_ / "secrets").string()};
    words.insert(words.end(), more.begin(), more.end());
    return {.arguments = std::move(words),
            .environment = {{"GLEANER_DATABASE", here_}, {"COLUMNS", "200"}, {"ASAN_OPTIONS", "quarantine_size_mb=1"}}};
  }
  [[nodiscard]] process::Captured import(const std::vector<std::string>& more = {"--yes"}, const process::Exchange& exchange = {}) const {
    auto captured = process::capture(command(more), std::chrono::minutes{5}, exchange);
    if (!captured) throw std::runtime_error{captured.error()};
    return *captured;
  }

  void cigri(const std::string& statements) const { PrivatePostgres::instance().run_alone(cigri_, statements); }
  /// The first column, by lines.
  std::string here(const std::string& query) const {
    pqxx::connection connection{here_};
    pqxx::work work{connection};
    std::string lines;
    for (const auto& row : work.exec(query)) lines += fmt::format("{}{}", lines.empty() ? "" : "\n", row[0].c_str());
    work.commit();
    return lines;
  }

  void two_clusters() const {
    cigri(
        "INSERT INTO clusters (name, api_url, api_auth_type, api_auth_header, batch, power) VALUES"
        " ('zeta', 'http://localhost:1/oarapi', 'none', 'X_REMOTE_IDENT', 'oar2_5', 10),"
        " ('alpha', 'http://localhost:2/oarapi', 'none', NULL, 'oar2_5', 1)");
  }
  /// A campaign in treatment whose tasks p0, p1, … all wait.
  void campaign(std::int64_t id, std::int64_t tasks, std::string_view jdl = kJdl, const std::string& user = "ada") const {
    cigri(
        fmt::format("INSERT INTO campaigns (id, grid_user, state, name, submission_time, jdl) VALUES"
                    " ({0}, $user${1}$user$, 'in_treatment', 'mesh', '2026-11-20 10:00+00', $jdl${2}$jdl$);"
                    "INSERT INTO parameters (campaign_id, name, param)"
                    " SELECT {0}, 'p' || n, 'p' || n || ' ' || n FROM generate_series(0, {3} - 1) n ORDER BY n;"
                    "INSERT INTO bag_of_tasks (campaign_id, param_id) SELECT campaign_id, id FROM parameters WHERE campaign_id = {0}",
                    id, user, jdl, tasks));
  }
  /// A job of the task, with events such as `EXIT_ERROR open`. Its task leaves the bag.
  void job(std::int64_t of_campaign, const std::string& task, const std::string& state, const std::vector<std::string>& events = {}) const {
    std::string statements = fmt::format(
        "DELETE FROM bag_of_tasks b USING parameters p WHERE b.param_id = p.id AND p.campaign_id = {0} AND p.name = '{1}';"
        "INSERT INTO jobs (campaign_id, param_id, cluster_id, state) SELECT campaign_id, id, 1, '{2}' FROM parameters"
        " WHERE campaign_id = {0} AND name = '{1}';",
        of_campaign, task, state);
    for (const auto& event : events) {
      const auto blank = event.find(' ');
      statements +=
          fmt::format("INSERT INTO events (class, code, state, job_id, campaign_id) SELECT 'job', '{}', '{}', max(id), {} FROM jobs;",
                      event.substr(0, blank), event.substr(blank + 1), of_campaign);
    }
    cigri(statements);
  }
  void put_back(std::int64_t of_campaign, const std::string& task, int priority = 10) const {
    cigri(
        fmt::format("INSERT INTO bag_of_tasks (campaign_id, param_id, priority) SELECT campaign_id, id, {} FROM parameters"
                    " WHERE campaign_id = {} AND name = '{}'",
                    priority, of_campaign, task));
  }

  std::filesystem::path folder_;
  std::string here_ = PrivatePostgres::instance().fresh_database();
  std::string cigri_ = PrivatePostgres::instance().cigri_database();
};

}  // namespace gleaner::tests
