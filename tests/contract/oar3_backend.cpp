#include "tests/contract/oar3_backend.hpp"

#include <chrono>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <thread>
#include <utility>

#include "lib/oar/client.hpp"
#include "tests/contract/minioar_process.hpp"
#include "tests/contract/raw_http.hpp"
#include "tests/real_oar3.hpp"

namespace gleaner::contract {
namespace {

std::string variable(const char* name, const std::string& otherwise) {
  const char* const value = std::getenv(name);
  return value == nullptr ? otherwise : value;
}

void add_tokens(oar::Access& access, const std::vector<std::string>& users,
                const std::function<std::string(const std::string&)>& token_of) {
  for (const auto& user : users) {
    auto token = oar::read_token(token_of(user));
    if (!token) throw std::runtime_error(token.error());
    access.tokens.insert_or_assign(user, std::move(*token));
  }
}

class RealBackend final : public Oar3Backend {
 public:
  explicit RealBackend(tests::RealOar3 cluster) : cluster_{std::move(cluster)} {
    access_.name = "oar3";
    access_.url = cluster_.url();
    access_.api = oar::Api::oar3;
    access_.authentication = oar::Authentication::token;
    add_tokens(access_, {user_, other_}, [&](const std::string& user) { return cluster_.token(user); });
  }
  void restart_api() override {
    cluster_.kill_api();
    oar::Client client{access_};
    for (int tries = 0; tries < 100; ++tries) {
      std::this_thread::sleep_for(std::chrono::milliseconds{200});
      if (client.version() && client.brief_resources()) return;
    }
    throw std::runtime_error("the API did not come back");
  }
  [[nodiscard]] bool is_real() const override { return true; }

 private:
  tests::RealOar3 cluster_;
};

class MiniOar3 final : public Oar3Backend {
 public:
  MiniOar3() : process_{variable("GLEANER_BIN_DIR", "build/bin") + "/minioar", "2.6", {user_, other_}, {"--api", "oar3", "--gpus", "2"}} {
    access_.name = "minioar";
    access_.url = process_.url();
    access_.api = oar::Api::oar3;
    access_.authentication = oar::Authentication::token;
    access_.homes = process_.homes();
    add_tokens(access_, {user_, other_}, [](const std::string& user) { return tests::signed_token(user, "any"); });
  }
  void restart_api() override {
    auto base = access_;
    base.url = base.url.substr(0, base.url.find('/', base.url.find("//") + 2));
    const auto answer = raw(base, "POST", "/_session", {"Content-Type: application/json"}, R"({"broken":false})");
    if (answer.status != 200) throw std::runtime_error("minioar: /_session: " + answer.body);
  }
  [[nodiscard]] bool is_real() const override { return false; }

 private:
  MiniOarProcess process_;
};

}  // namespace

std::vector<std::string> asked_oar3_backends() {
  std::vector<std::string> names{"minioar-oar3"};
  if (tests::RealOar3::named()) names.emplace_back("oar3");
  return names;
}

std::unique_ptr<Oar3Backend> make_oar3_backend(const std::string& name) {
  if (name == "oar3") return std::make_unique<RealBackend>(tests::RealOar3::named().value());
  return std::make_unique<MiniOar3>();
}

}  // namespace gleaner::contract
