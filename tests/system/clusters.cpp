#include "tests/system/clusters.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <rapidjson/document.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>
#include <stdexcept>

#include "tests/system/http_call.hpp"

namespace gleaner::tests {
namespace {

namespace fs = std::filesystem;

std::string content(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream{file}.rdbuf();
  return text.str();
}

/// The last URL that was announced after the given size of the log.
std::string announced_url(const fs::path& log, std::size_t from) {
  const auto text = content(log);
  std::istringstream lines{from < text.size() ? text.substr(from) : std::string{}};
  for (std::string line; std::getline(lines, line);) {
    rapidjson::Document json;
    json.Parse(line.c_str());
    if (!json.HasParseError() && json.IsObject() && json.HasMember("url")) return json["url"].GetString();
  }
  return {};
}

/// The page of a web server before OAR, whose process of the API ended between two requests: seen a few times in an hour on a busy machine.
bool is_of_apache(const HttpAnswer& answer) {
  return answer.status == 500 && answer.body.find("<title>500 Internal Server Error</title>") != std::string::npos;
}

std::optional<std::int64_t> job_of_name(const TestCluster& cluster, const std::string& user, const std::string& name) {
  const auto answer = call({.url = fmt::format("{}/jobs.json?user={}", cluster.url, user),
                            .login = cluster.login,
                            .password = cluster.password,
                            .headers = {cluster.identity_header + ": " + user}});
  rapidjson::Document json;
  json.Parse(answer.body.c_str());
  if (answer.status != 200 || json.HasParseError()) throw std::runtime_error{fmt::format("the jobs of {}: {}", cluster.name, answer.body)};
  for (const auto& job : json["items"].GetArray())
    if (job["name"].IsString() && job["name"].GetString() == name) return job["id"].GetInt64();
  return std::nullopt;
}

fs::path homes_of(const fs::path& grid, const MinioarWish& wish) {
  return grid / (wish.home_of.empty() ? wish.name : wish.home_of) / "homes";
}

}  // namespace

process::Command Minioar::command_of(const fs::path& folder, const MinioarWish& wish) {
  const auto homes = homes_of(folder.parent_path(), wish);
  process::Command command{.arguments = {program("minioar"), "--name", wish.name, "--state", (folder / "state").string(), "--homes",
                                         homes.string(), "--nodes", std::to_string(wish.nodes), "--cores", std::to_string(wish.cores),
                                         "--any-user", "--allow-faults", "--kill-jobs-on-exit"}};
  command.arguments.insert(command.arguments.end(), wish.options.begin(), wish.options.end());
  if (wish.api != "oar2") command.arguments.insert(command.arguments.end(), {"--api", wish.api});
  command.output = folder / "minioar.log";
  return command;
}

Minioar::Minioar(const fs::path& folder, MinioarWish wish)
    : folder_{folder / wish.name},
      homes_{homes_of(folder, wish)},
      wish_{std::move(wish)},
      service_{"minioar " + wish_.name, command_of(folder_, wish_)} {
  fs::create_directories(folder_);
  fs::create_directories(homes_);
}

void Minioar::start() {
  const auto from = content(service_.log()).size();
  auto command = command_of(folder_, wish_);
  if (!base_.empty()) {
    command.arguments.insert(command.arguments.end(), {"--listen", base_.substr(base_.find("//") + 2)});
    service_ = Service{service_.name(), command};
  }
  service_.start();
  std::string url;
  const bool listens = await([&] {
    url = announced_url(service_.log(), from);
    return !url.empty() || !service_.is_running();
  });
  if (!listens || url.empty()) throw std::runtime_error{"minioar does not start:\n" + tail_of(service_.log(), 20)};
  url_ = url;
  base_ = url.substr(0, url.find('/', url.find("//") + 2));
}

TestCluster Minioar::description() const {
  TestCluster cluster{.name = wish_.name, .url = url_, .login = {}, .password = {}, .user = "alice", .api = wish_.api};
  if (wish_.api == "oar3") {
    cluster.homes = (homes_ / "%u").string();
    cluster.token_key = "any: minioar takes each signature";
  }
  if (wish_.api == "g5k") {
    cluster.login = "alice";
    cluster.password = "any";
  }
  return cluster;
}

std::string Minioar::admin(const std::string& method, const std::string& path, const std::string& json) {
  const auto answer = call({.method = method, .url = base_ + path, .body = json, .headers = {"Content-Type: application/json"}});
  if (answer.status != 200) throw std::runtime_error{fmt::format("{} {} {}: {} {}", method, path, json, answer.status, answer.body)};
  return answer.body;
}

void Minioar::kill_server(const std::string& ends, std::chrono::milliseconds report_again) {
  admin("POST", "/_server", fmt::format(R"({{"alive":false,"ends":"{}","report_again_ms":{}}})", ends, report_again.count()));
}

void Minioar::restore_without(int newest) { admin("POST", "/_forget", fmt::format(R"({{"newest":{},"processes":"left"}})", newest)); }

void Minioar::lose_exit_codes(int count) { admin("POST", "/_exit_codes", fmt::format(R"({{"lost":{}}})", count)); }

void Minioar::set_latency(std::chrono::milliseconds latency) { admin("POST", "/_latency", fmt::format(R"({{"ms":{}}})", latency.count())); }

void Minioar::spoil_launches(const std::string& become, int count) {
  admin("POST", "/_launches", fmt::format(R"({{"become":"{}","count":{}}})", become, count));
}

void Minioar::start_after(const std::string& match, int count) {
  admin("POST", "/_start_after", fmt::format(R"({{"name":"","match":"{}","count":{}}})", match, count));
}

std::int64_t submit_local(const TestCluster& cluster, const LocalJob& job) {
  static std::atomic<int> count{0};
  const auto name = fmt::format("local_{}_{}", ::getpid(), ++count);
  std::string reservation;
  if (job.begins_in)
    reservation = fmt::format(R"("reservation":"{:%Y-%m-%d %H:%M:%S}",)", fmt::localtime(std::time(nullptr) + job.begins_in->count()));
  const auto body =
      fmt::format(R"({{"resource":"/core={},walltime={}","name":"{}",{}"command":"{}","stdout":"/dev/null","stderr":"/dev/null"}})",
                  job.cores, job.walltime, name, reservation, job.command);
  const auto submit = [&] {
    return call({.method = "POST",
                 .url = cluster.url + "/jobs.json",
                 .body = body,
                 .login = cluster.login,
                 .password = cluster.password,
                 .headers = {"Content-Type: application/json", cluster.identity_header + ": " + job.user},
                 .limit = job.limit});
  };
  auto answer = submit();
  for (int tries = 1; tries < 3 && is_of_apache(answer); ++tries) {
    if (const auto made = job_of_name(cluster, job.user, name)) return *made;
    answer = submit();
  }
  rapidjson::Document json;
  json.Parse(answer.body.c_str());
  if (answer.status != 201 || json.HasParseError() || !json["id"].IsInt64()) {
    throw std::runtime_error{fmt::format("a local job on {}: {} {}", cluster.name, answer.status, answer.body)};
  }
  return json["id"].GetInt64();
}

void delete_local(const TestCluster& cluster, const std::string& user, std::int64_t id) {
  const auto answer = call({.method = "DELETE",
                            .url = fmt::format("{}/jobs/{}.json", cluster.url, id),
                            .login = cluster.login,
                            .password = cluster.password,
                            .headers = {cluster.identity_header + ": " + user}});
  if (answer.status != 202)
    throw std::runtime_error{fmt::format("DELETE of {} on {}: {} {}", id, cluster.name, answer.status, answer.body)};
}

void Minioar::set_nodes(const std::string& state) {
  for (int node = 1; node <= wish_.nodes; ++node) set_node(node, state);
}

void Minioar::set_node(int node, const std::string& state) {
  admin("POST", "/_node", fmt::format(R"({{"name":"{}-{}","state":"{}"}})", wish_.name, node, state));
}

void Minioar::set_stress(const std::string& value) { admin("POST", "/_stress", fmt::format(R"({{"value":"{}"}})", value)); }

void Minioar::rename_jobs(const std::string& name) { admin("POST", "/_rename", fmt::format(R"({{"name":"{}"}})", name)); }

int Minioar::preempt(int count) {
  constexpr int kPart = 200;  // a call has a time limit, and a minioar with sanitizers takes its time
  int killed = 0;
  for (int part = kPart; part > 0 && killed < count; killed += part) {
    rapidjson::Document json;
    json.Parse(admin("POST", "/_preempt", fmt::format(R"({{"count":{}}})", std::min(kPart, count - killed))).c_str());
    part = static_cast<int>(json["killed"].Size());
  }
  return killed;
}

int Minioar::jobs_in(const std::string& state) const {
  const auto answer = call({.url = fmt::format("{}/jobs.json?state={}&limit=1", url_, state)});
  rapidjson::Document json;
  json.Parse(answer.body.c_str());
  if (json.HasParseError() || !json.HasMember("total")) throw std::runtime_error{"jobs of minioar: " + answer.body};
  return json["total"].GetInt();
}

std::string Minioar::state_of(std::int64_t job) const {
  const auto answer = call({.url = fmt::format("{}/jobs.json?ids={}", url_, job)});
  rapidjson::Document json;
  json.Parse(answer.body.c_str());
  if (json.HasParseError() || !json.HasMember("items")) throw std::runtime_error{"jobs of minioar: " + answer.body};
  return json["items"].Empty() ? std::string{} : json["items"][0]["state"].GetString();
}

int Minioar::submissions() const {
  std::ifstream log{folder_ / "state" / "executions.log"};
  int found = 0;
  for (std::string line; std::getline(log, line);) found += line.find(R"("what":"post")") != std::string::npos ? 1 : 0;
  return found;
}

std::vector<TestCluster> real_clusters(const char* variable) {
  const char* file = std::getenv(variable);
  if (file == nullptr || *file == '\0') return {};
  rapidjson::Document json;
  json.Parse(content(file).c_str());
  if (json.HasParseError() || !json.IsObject() || !json.HasMember("clusters"))
    throw std::runtime_error{fmt::format("{}: {} is no clusters.json", variable, file)};
  std::vector<TestCluster> clusters;
  for (const auto& each : json["clusters"].GetArray()) {
    clusters.push_back({.name = each["name"].GetString(),
                        .url = each["api_url"].GetString(),
                        .login = each["grid_login"].GetString(),
                        .password = each["grid_password"].GetString(),
                        .identity_header = each["identity_header"].GetString(),
                        .user = each["users"][0].GetString()});
  }
  return clusters;
}

std::vector<TestCluster> clusters_of_two_debians() {
  auto clusters = real_clusters();
  const auto others = real_clusters("GLEANER_TEST_OAR26");
  if (clusters.empty() || others.size() < 2) return {};
  return {clusters.front(), others.at(1)};  // alpha of one testbed, beta of the other
}

}  // namespace gleaner::tests
