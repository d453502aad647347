#include "tests/contract/backend.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <rapidjson/document.h>
#include <rapidjson/istreamwrapper.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "tests/contract/minioar_process.hpp"
#include "tests/contract/raw_http.hpp"

namespace gleaner::contract {
namespace {

std::string variable(const char* name, const std::string& otherwise) {
  const char* const value = std::getenv(name);
  return value == nullptr ? otherwise : value;
}

std::string text_of(const rapidjson::Value& object, const char* name) {
  const auto member = object.FindMember(name);
  if (member == object.MemberEnd() || !member->value.IsString()) {
    throw std::runtime_error(fmt::format("clusters.json has no '{}'", name));
  }
  return member->value.GetString();
}

/// The first cluster of the OAR testbed.
class RealOar final : public Backend {
 public:
  RealOar(const std::string& file, const std::string& variable) {
    std::ifstream stream{file};
    rapidjson::IStreamWrapper wrapper{stream};
    rapidjson::Document document;
    document.ParseStream(wrapper);
    if (document.HasParseError() || !document.IsObject() || !document.HasMember("clusters") || !document["clusters"].IsArray() ||
        document["clusters"].Empty()) {
      throw std::runtime_error(
          fmt::format("a real OAR is asked for, and '{}' does not describe its clusters: bring it up with tests/oar-testbed/up, and set {} "
                      "to its clusters.json",
                      file, variable));
    }
    const auto& cluster = document["clusters"][0];
    access_.name = text_of(cluster, "name");
    access_.url = text_of(cluster, "api_url");
    access_.authentication = oar::Authentication::basic;
    access_.login = text_of(cluster, "grid_login");
    access_.secret = text_of(cluster, "grid_password");
    access_.identity_header = text_of(cluster, "identity_header");
    access_.reader = user_;
    state_ = std::filesystem::path{file}.parent_path().string();
  }
  [[nodiscard]] const oar::Access& access() const override { return access_; }
  [[nodiscard]] const std::string& user() const override { return user_; }
  [[nodiscard]] const std::string& other_user() const override { return other_; }

  void kill_server(Reports reports) override {
    testbed(fmt::format("fault {} server-kill", access_.name));
    // A job tries to report its end at once, 30 s and 90 s later.
    if (reports == Reports::missed) dead_until_ = std::chrono::steady_clock::now() + std::chrono::seconds{50};
  }
  void start_server() override {
    std::this_thread::sleep_until(dead_until_);
    testbed(fmt::format("fault {} server-start", access_.name));
  }
  [[nodiscard]] bool arrange(Moment /*moment*/) override { return false; }
  void break_hook() override { testbed(fmt::format("fault {} hook-fail", access_.name)); }
  void mend() override { testbed(fmt::format("fault {} mend", access_.name)); }
  [[nodiscard]] bool is_real() const override { return true; }

 private:
  void testbed(const std::string& words) const {
    const auto command =
        fmt::format("OAR_TESTBED_STATE='{}' {}/tests/oar-testbed/{} >/dev/null", state_, variable("GLEANER_SOURCE_DIR", "."), words);
    if (std::system(command.c_str()) != 0) throw std::runtime_error("the testbed cannot: " + words);
  }

  std::string state_;
  std::chrono::steady_clock::time_point dead_until_{};
  oar::Access access_;
  std::string user_ = "griduser1";
  std::string other_ = "griduser2";
};

class MiniOar final : public Backend {
 public:
  MiniOar(const std::string& program, const std::string& version) : process_{program, version, {user_, other_}, {"--gpus", "2"}} {
    access_.name = "minioar";
    access_.url = process_.url();
    access_.authentication = oar::Authentication::basic;
    access_.login = process_.login();
    access_.secret = process_.secret();
    access_.reader = user_;
  }
  [[nodiscard]] const oar::Access& access() const override { return access_; }
  [[nodiscard]] const std::string& user() const override { return user_; }
  [[nodiscard]] const std::string& other_user() const override { return other_; }

  void kill_server(Reports reports) override {
    admin("/_server",
          fmt::format(R"({{"alive":false,"ends":"{}","report_again_ms":{}}})", ends_, reports == Reports::heard ? 3000 : 3'600'000));
  }
  void start_server() override { admin("/_server", R"({"alive":true})"); }
  [[nodiscard]] bool arrange(Moment moment) override {
    if (moment == Moment::launching) admin("/_launches", R"({"become":"launching","count":1})");
    ends_ = moment == Moment::finishing ? "finishing" : "late";
    return true;
  }
  void break_hook() override { admin("/_launches", R"({"become":"hook_failed","count":100})"); }
  void mend() override {  // a job that is Finishing for ever ends with its cluster
    admin("/_server", R"({"alive":true})");
    admin("/_launches", R"({"become":"hook_failed","count":0})");
    for (const std::string node : {"minioar-1", "minioar-2"}) admin("/_node", fmt::format(R"({{"name":"{}","state":"Alive"}})", node));
  }
  [[nodiscard]] bool is_real() const override { return false; }

 private:
  void admin(const std::string& path, const std::string& json) const {
    auto base = access_;
    base.url = base.url.substr(0, base.url.find('/', base.url.find("//") + 2));
    const auto answer = raw(base, "POST", path, {"Content-Type: application/json"}, json);
    if (answer.status != 200) throw std::runtime_error(fmt::format("minioar: {} {}: {}", path, json, answer.body));
  }

  std::string ends_ = "late";
  std::string user_ = "griduser1";
  std::string other_ = "griduser2";
  MiniOarProcess process_;
  oar::Access access_;
};

}  // namespace

std::vector<std::string> asked_backends() {
  const auto asked = variable("GLEANER_CONTRACT_BACKENDS", "minioar,minioar-2.6") + ",";
  std::vector<std::string> backends;
  for (std::size_t start = 0, end = 0; (end = asked.find(',', start)) != std::string::npos; start = end + 1) {
    if (end > start) {
      backends.push_back(asked.substr(start, end - start));
    }
  }
  return backends;
}

std::unique_ptr<Backend> make_backend(const std::string& name) {
  const auto real = [](const std::string& which, const std::string& otherwise) {
    return std::make_unique<RealOar>(variable(which.c_str(), otherwise), which);
  };
  const auto minioar = variable("GLEANER_BIN_DIR", "build/bin") + "/minioar";
  if (name == "oar") return real("GLEANER_CONTRACT_OAR", "/var/tmp/oar-testbed/clusters.json");
  if (name == "oar-2.6") return real("GLEANER_CONTRACT_OAR26", "");
  if (name == "minioar") return std::make_unique<MiniOar>(minioar, "2.5");
  if (name == "minioar-2.6") return std::make_unique<MiniOar>(minioar, "2.6");
  throw std::runtime_error(fmt::format("GLEANER_CONTRACT_BACKENDS names '{}'; there are {}", name, fmt::join(kBackends, ", ")));
}

}  // namespace gleaner::contract
