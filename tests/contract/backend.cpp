#include "tests/contract/backend.hpp"

#include <fmt/format.h>
#include <rapidjson/document.h>
#include <rapidjson/istreamwrapper.h>

#include <cstdlib>
#include <fstream>
#include <stdexcept>

#include "tests/contract/minioar_process.hpp"

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
  explicit RealOar(const std::string& file) {
    std::ifstream stream{file};
    rapidjson::IStreamWrapper wrapper{stream};
    rapidjson::Document document;
    document.ParseStream(wrapper);
    if (document.HasParseError() || !document.IsObject() || !document.HasMember("clusters") || !document["clusters"].IsArray() ||
        document["clusters"].Empty()) {
      throw std::runtime_error(
          fmt::format("the real OAR is asked for, and '{}' does not describe its clusters: bring it up with tests/oar-testbed/up, and set "
                      "GLEANER_CONTRACT_OAR to its clusters.json",
                      file));
    }
    const auto& cluster = document["clusters"][0];
    access_.name = text_of(cluster, "name");
    access_.url = text_of(cluster, "api_url");
    access_.authentication = oar::Authentication::basic;
    access_.login = text_of(cluster, "grid_login");
    access_.secret = text_of(cluster, "grid_password");
    access_.identity_header = text_of(cluster, "identity_header");
    access_.reader = user_;
  }
  [[nodiscard]] const oar::Access& access() const override { return access_; }
  [[nodiscard]] const std::string& user() const override { return user_; }
  [[nodiscard]] const std::string& other_user() const override { return other_; }

 private:
  oar::Access access_;
  std::string user_ = "griduser1";
  std::string other_ = "griduser2";
};

class MiniOar final : public Backend {
 public:
  explicit MiniOar(const std::string& program) : process_{program, {user_, other_}} {
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

 private:
  std::string user_ = "griduser1";
  std::string other_ = "griduser2";
  MiniOarProcess process_;
  oar::Access access_;
};

}  // namespace

std::vector<std::string> asked_backends() {
  const auto asked = variable("GLEANER_CONTRACT_BACKENDS", "minioar") + ",";
  std::vector<std::string> backends;
  for (std::size_t start = 0, end = 0; (end = asked.find(',', start)) != std::string::npos; start = end + 1) {
    if (end > start) {
      backends.push_back(asked.substr(start, end - start));
    }
  }
  return backends;
}

std::unique_ptr<Backend> make_backend(const std::string& name) {
  if (name == "oar") {
    return std::make_unique<RealOar>(variable("GLEANER_CONTRACT_OAR", "/var/tmp/oar-testbed/clusters.json"));
  }
  if (name == "minioar") {
    return std::make_unique<MiniOar>(variable("GLEANER_BIN_DIR", "build/bin") + "/minioar");
  }
  throw std::runtime_error(fmt::format("GLEANER_CONTRACT_BACKENDS names '{}'; there are minioar and oar", name));
}

}  // namespace gleaner::contract
