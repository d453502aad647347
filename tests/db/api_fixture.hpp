#pragma once
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include <pqxx/pqxx>

#include "api/server.hpp"
#include "lib/process/options.hpp"
#include "tests/db/api_client.hpp"
#include "tests/unit/utc_text.hpp"

namespace gleaner::tests {

/// An API over a database of its own, with the clusters alpha, beta and (disabled) gamma. Its users
/// are alice, bob and the administrator boss. apache may act for others on CiGri's routes.
class ApiTest : public testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;
  [[nodiscard]] virtual process::Config configuration() const { return process::default_config(); }
  /// Called before the API starts. Users of the system may submit, unless it forbids that.
  virtual void configure(api::ApiOptions& options) { static_cast<void>(options); }

  /// Ends the API and starts it again, on another port.
  void restart_api();

  /// The header of a user's token.
  [[nodiscard]] static std::pair<std::string, std::string> token_header(const std::string& user);
  /// Asks over TCP, with the user's token.
  [[nodiscard]] ApiAnswer as(const std::string& user, const ApiRequest& request) const;
  [[nodiscard]] ApiAnswer get(const std::string& target) const { return as("alice", {.target = target}); }
  [[nodiscard]] ApiAnswer post(const std::string& target, const std::string& body = {}) const;
  [[nodiscard]] ApiAnswer remove(const std::string& target) const { return as("alice", {.method = "DELETE", .target = target}); }

  /// Submits as alice: the lines are the parameters, as JSON.
  [[nodiscard]] ApiAnswer submit_lines(const std::string& head, const std::string& lines) const;
  /// A campaign of alice's with so many tasks, on alpha; its id.
  [[nodiscard]] std::int64_t a_campaign_of(int tasks) const;

  /// The result of one statement: the first field of the first row.
  std::string sql(const std::string& statement) const;

  [[nodiscard]] const std::string& database() const { return database_; }
  [[nodiscard]] const std::string& port() const { return port_; }
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  [[nodiscard]] std::string socket() const { return (folder_ / "api.socket").string(); }

 private:
  std::filesystem::path folder_;
  std::string database_;
  api::ApiOptions options_;
  std::unique_ptr<api::Api> api_;
  std::string port_;
};

/// The head of an NDJSON submission of this campaign file; `more` are further members.
[[nodiscard]] std::string head_of(const std::string& jdl, const std::string& more = {});

inline constexpr auto kOnAlpha = R"({"name": "t", "clusters": {"alpha": {"exec_file": "$HOME/run.sh"}}})";
inline constexpr auto kOnBoth = R"({"name": "t", "clusters": {"alpha": {"exec_file": "run"}, "beta": {"exec_file": "run"}}})";

}  // namespace gleaner::tests
