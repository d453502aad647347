#include "sim/gridlocal/clusters.hpp"

#include <fmt/format.h>
#include <pwd.h>
#include <rapidjson/document.h>
#include <rapidjson/error/en.h>
#include <sys/random.h>

#include <array>
#include <fstream>
#include <sstream>

#include <unistd.h>

#include "lib/process/exit_code.hpp"
#include "lib/process/whole_file.hpp"

namespace gleaner::gridlocal {
namespace {

namespace fs = std::filesystem;
using process::Error;
using process::ExitCode;

constexpr std::array<const char*, kMostClusters> kNames{"alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota"};
constexpr const char* kLogin = "grid";
constexpr const char* kRootIsCalled = "griduser1";

void write_secret(const fs::path& file, const std::string& secret) {
  fs::create_directories(file.parent_path());
  process::write_whole_file(file, secret + "\n", 0600, process::our_files());
}

std::string random_secret() {
  std::array<unsigned char, 24> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw Error{ExitCode::failure, "the kernel gives no random bytes"};
  std::string text;
  for (const auto byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

/// The URL that the newest minioar of this log printed when it listened; empty before.
std::string announced_url(const fs::path& log, std::streamoff from) {
  std::ifstream file{log};
  file.seekg(from);
  std::string url;
  for (std::string line; std::getline(file, line);) {
    rapidjson::Document document;
    document.Parse<rapidjson::kParseIterativeFlag>(line.c_str());
    if (!document.HasParseError() && document.IsObject() && document.HasMember("url") && document["url"].IsString())
      url = document["url"].GetString();
  }
  return url;
}

/// The one user of a minioar, whose jobs run as who started it: its own name, but OAR takes no job
/// from root.
std::string user_there() { return ::geteuid() == 0 ? kRootIsCalled : our_name(); }

std::streamoff size_of(const fs::path& file) {
  std::error_code missing;
  const auto size = fs::file_size(file, missing);
  return missing ? 0 : static_cast<std::streamoff>(size);
}

LocalCluster start_one(const Place& place, Services& services, const std::string& name, int cores) {
  const auto folder = place.cluster(name);
  const auto service = "minioar-" + name;
  LocalCluster cluster{name, "", kLogin, folder / "password"};
  cluster.user = user_there();
  if (!fs::exists(cluster.password_file)) write_secret(cluster.password_file, random_secret());
  fs::create_directories(folder / "homes");
  const auto log = place.log_of(service);
  const auto from = services.is_running(service) ? std::streamoff{0} : size_of(log);
  if (!services.is_running(service)) {
    services.start(service,
                   {.arguments = {program("minioar"), "--name", name, "--state", (folder / "state").string(), "--homes",
                                  (folder / "homes").string(), "--nodes", "1", "--cores", std::to_string(cores), "--login", kLogin,
                                  "--password-file", cluster.password_file.string(), "--user", cluster.user, "--kill-jobs-on-exit"},
                    .environment = {},
                    .output = {},
                    .as_user = {},
                    .directory = "/"},
                   [&] { return !announced_url(log, from).empty(); });
  }
  cluster.url = announced_url(log, from);
  return cluster;
}

std::string text_of(const rapidjson::Value& object, const char* key, const fs::path& file) {
  if (!object.IsObject() || !object.HasMember(key) || !object[key].IsString()) {
    throw Error{ExitCode::usage, fmt::format("{}: a cluster has no text '{}'", file.string(), key)};
  }
  return object[key].GetString();
}

rapidjson::Document read_json(const fs::path& file) {
  std::ifstream input{file};
  if (!input) throw Error{ExitCode::usage, fmt::format("{}: cannot be read", file.string())};
  std::stringstream content;
  content << input.rdbuf();
  rapidjson::Document document;
  document.Parse<rapidjson::kParseIterativeFlag>(content.str().c_str());
  if (document.HasParseError()) {
    throw Error{ExitCode::usage, fmt::format("{}: is not JSON: {} at byte {}", file.string(),
                                             rapidjson::GetParseError_En(document.GetParseError()), document.GetErrorOffset())};
  }
  return document;
}

}  // namespace

std::string our_name() {
  const auto* user = ::getpwuid(::geteuid());
  if (user == nullptr) throw Error{ExitCode::failure, fmt::format("the user {} has no name on this machine", ::geteuid())};
  return user->pw_name;
}

std::vector<LocalCluster> start_minioar(const Place& place, Services& services, const MinioarOptions& options) {
  std::vector<LocalCluster> clusters;
  for (int number = 0; number < options.clusters; ++number) {
    clusters.push_back(start_one(place, services, kNames.at(static_cast<std::size_t>(number)), options.cores));
  }
  return clusters;
}

std::vector<LocalCluster> read_clusters(const Place& place, const fs::path& file) {
  const auto document = read_json(file);
  if (!document.IsObject() || !document.HasMember("clusters") || !document["clusters"].IsArray() || document["clusters"].Empty()) {
    throw Error{ExitCode::usage, fmt::format("{}: has no list 'clusters'", file.string())};
  }
  std::vector<LocalCluster> clusters;
  for (const auto& entry : document["clusters"].GetArray()) {
    LocalCluster cluster{text_of(entry, "name", file), text_of(entry, "api_url", file), text_of(entry, "grid_login", file), {}};
    cluster.identity_header = text_of(entry, "identity_header", file);
    cluster.password_file = place.cluster(cluster.name) / "password";
    if (entry.HasMember("users") && entry["users"].IsArray() && !entry["users"].Empty() && entry["users"][0].IsString())
      cluster.user = entry["users"][0].GetString();
    write_secret(cluster.password_file, text_of(entry, "grid_password", file));
    clusters.push_back(std::move(cluster));
  }
  return clusters;
}

}  // namespace gleaner::gridlocal
