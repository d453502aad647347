#include "tests/db/api_fixture.hpp"

#include <sys/stat.h>

#include <cstdlib>
#include <fstream>

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include "lib/store/clusters.hpp"
#include "tests/db/postgres.hpp"

namespace gleaner::tests {
namespace {

std::string token_of(const std::string& user) { return user + "-token-0123456789"; }

void add_clusters(const std::string& conninfo) {
  store::Database database{conninfo};
  auto transaction = database.begin();
  for (const std::string name : {"alpha", "beta", "gamma"}) {
    store::Cluster cluster;
    cluster.name = name;
    cluster.url = "http://127.0.0.1:1/" + name;
    cluster.enabled = name != "gamma";
    store::add_cluster(transaction, cluster);
  }
  transaction.commit();
}

}  // namespace

void ApiTest::SetUp() {
  std::string pattern = (std::filesystem::temp_directory_path() / "gleaner-api-XXXXXX").string();
  ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
  folder_ = pattern;
  database_ = PrivatePostgres::instance().fresh_database();
  add_clusters(database_);
  const auto tokens = folder_ / "tokens";
  std::ofstream{tokens} << token_of("alice") << " alice\n"
                        << token_of("bob") << " bob\n"
                        << token_of("oar") << " oar\n"
                        << token_of("games") << " games\n"
                        << token_of("boss") << " boss admin\n"
                        << token_of("apache") << " apache proxy\n";
  ::chmod(tokens.c_str(), 0600);
  auto& options = options_;
  options.database = database_;
  options.socket = socket();
  options.listen = {http::TcpEndpoint{}};
  options.tokens_file = tokens;
  options.config = configuration();
  // Over the socket, tests submit as whoever runs them.
  options.config.least_uid = 0;
  options.config.refused_users.clear();
  const char* programs = std::getenv("GLEANER_BIN_DIR");
  options.rules_program = std::filesystem::path{programs != nullptr ? programs : "build/bin"} / "admission";
  options.what_if_program = options.rules_program.parent_path() / "what-if";
  options.what_if_time = std::chrono::minutes{1};  // however busy the machine is
  configure(options);
  restart_api();
}

void ApiTest::restart_api() {
  api_.reset();
  auto api = api::Api::start(options_);
  ASSERT_TRUE(api) << api.error();
  api_ = std::move(*api);
  const auto url = api_->urls().at(0);
  port_ = url.substr(url.rfind(':') + 1);
}

void ApiTest::TearDown() {
  api_.reset();
  std::filesystem::remove_all(folder_);
}

std::pair<std::string, std::string> ApiTest::token_header(const std::string& user) { return {"Authorization", "Bearer " + token_of(user)}; }

ApiAnswer ApiTest::as(const std::string& user, const ApiRequest& request) const {
  auto with_token = request;
  with_token.headers.insert(token_header(user));
  return ask(port_, with_token);
}

ApiAnswer ApiTest::post(const std::string& target, const std::string& body) const {
  return as("alice", {.method = "POST", .target = target, .body = body, .headers = {{"Content-Type", "application/json"}}});
}

ApiAnswer ApiTest::submit_lines(const std::string& head, const std::string& lines) const {
  return as(
      "alice",
      {.method = "POST", .target = "/v1/campaigns", .body = head + "\n" + lines, .headers = {{"Content-Type", "application/x-ndjson"}}});
}

std::int64_t ApiTest::a_campaign_of(int tasks) const {
  const auto answer = submit_lines(head_of(kOnAlpha, R"("nb_jobs": )" + std::to_string(tasks)), "");
  EXPECT_EQ(answer.status, 201) << answer.body;
  return answer.json["id"].GetInt64();
}

std::string ApiTest::sql(const std::string& statement) const {
  pqxx::connection connection{database_};
  pqxx::work work{connection};
  const auto rows = work.exec(statement);
  work.commit();
  return rows.empty() || rows[0][0].is_null() ? std::string{} : std::string{rows[0][0].c_str()};
}

std::string head_of(const std::string& jdl, const std::string& more) {
  rapidjson::StringBuffer buffer;
  rapidjson::Writer{buffer}.String(jdl.data(), static_cast<rapidjson::SizeType>(jdl.size()));
  return std::string{R"({"jdl": )"} + buffer.GetString() + (more.empty() ? "" : ", " + more) + "}";
}

}  // namespace gleaner::tests
