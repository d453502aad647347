#include "tests/contract/oar3_backend.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <rapidjson/document.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "lib/oar/client.hpp"
#include "tests/contract/minioar_process.hpp"
#include "tests/contract/raw_http.hpp"

namespace gleaner::contract {
namespace {

std::string variable(const char* name, const std::string& otherwise) {
  const char* const value = std::getenv(name);
  return value == nullptr ? otherwise : value;
}

std::string base64url(std::string_view bytes) {
  constexpr std::string_view kAlphabet{"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"};
  std::string text;
  unsigned rest = 0, bits = 0;
  for (const char letter : bytes) {
    rest = rest << 8U | static_cast<unsigned char>(letter);
    for (bits += 8; bits >= 6; bits -= 6) text += kAlphabet[rest >> (bits - 6) & 63U];
  }
  if (bits > 0) text += kAlphabet[rest << (6 - bits) & 63U];
  return text;
}

std::string content_of(const std::string& file) {
  std::ifstream stream{file};
  if (!stream) throw std::runtime_error("cannot read " + file);
  std::ostringstream all;
  all << stream.rdbuf();
  return all.str();
}

/// The last line counts.
std::string key_in(const std::string& configuration) {
  constexpr std::string_view kMark{"\nAPI_SECRET_KEY=\""};
  const auto at = configuration.rfind(kMark);
  if (at == std::string::npos) throw std::runtime_error("oar.conf has no API_SECRET_KEY");
  const auto begin = at + kMark.size();
  return configuration.substr(begin, configuration.find('"', begin) - begin);
}

void add_tokens(oar::Access& access, const std::vector<std::string>& users, const std::string& key) {
  for (const auto& user : users) {
    auto token = oar::read_token(signed_token(user, key));
    if (!token) throw std::runtime_error(token.error());
    access.tokens.insert_or_assign(user, std::move(*token));
  }
}

class RealOar3 final : public Oar3Backend {
 public:
  explicit RealOar3(const std::string& described) {
    const auto text = described.starts_with('{') ? described : content_of(described);
    rapidjson::Document json;
    json.Parse(text.c_str());
    const bool is_whole = !json.HasParseError() && json.IsObject() && json.HasMember("url") && json["url"].IsString() &&
                          json.HasMember("state") && json["state"].IsString();
    if (!is_whole) throw std::runtime_error("GLEANER_TEST_OAR3 is no JSON with 'url' and 'state', nor a file of it");
    access_.name = "oar3";
    access_.url = json["url"].GetString();
    state_ = json["state"].GetString();
    access_.api = oar::Api::oar3;
    access_.authentication = oar::Authentication::token;
    add_tokens(access_, {user_, other_}, key_in(content_of(state_ + "/files/etc-oar/oar.conf")));
  }
  void restart_api() override {
    const auto command = fmt::format(
        "nsenter --target $(cut -d' ' -f1 {}/init.pid) --mount --pid --root --wd -- sh -c 'kill -9 $(cat /run/oarapi.pid)'", state_);
    if (std::system(command.c_str()) != 0) throw std::runtime_error("the API cannot be restarted: " + command);
    oar::Client client{access_};
    for (int tries = 0; tries < 100; ++tries) {
      std::this_thread::sleep_for(std::chrono::milliseconds{200});
      if (client.version() && client.brief_resources()) return;
    }
    throw std::runtime_error("the API did not come back");
  }
  [[nodiscard]] bool is_real() const override { return true; }

 private:
  std::string state_;
};

class MiniOar3 final : public Oar3Backend {
 public:
  MiniOar3() : process_{variable("GLEANER_BIN_DIR", "build/bin") + "/minioar", "2.6", {user_, other_}, {"--api", "oar3", "--gpus", "2"}} {
    access_.name = "minioar";
    access_.url = process_.url();
    access_.api = oar::Api::oar3;
    access_.authentication = oar::Authentication::token;
    access_.homes = process_.homes();
    add_tokens(access_, {user_, other_}, "any");
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

std::string signed_token(const std::string& user, const std::string& key) {
  constexpr std::chrono::hours kLife{1};
  const auto ends = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now() + kLife);
  const auto text = base64url(R"({"alg":"HS256","typ":"JWT"})") + "." +
                    base64url(fmt::format(R"({{"user":"{}","exp":{}}})", user, static_cast<long long>(ends)));
  std::array<unsigned char, EVP_MAX_MD_SIZE> signature{};
  unsigned length = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), reinterpret_cast<const unsigned char*>(text.data()), text.size(),
       signature.data(), &length);
  return text + "." + base64url({reinterpret_cast<const char*>(signature.data()), length});
}

std::vector<std::string> asked_oar3_backends() {
  std::vector<std::string> names{"minioar-oar3"};
  if (!variable("GLEANER_TEST_OAR3", "").empty()) names.emplace_back("oar3");
  return names;
}

std::unique_ptr<Oar3Backend> make_oar3_backend(const std::string& name) {
  if (name == "oar3") return std::make_unique<RealOar3>(variable("GLEANER_TEST_OAR3", ""));
  return std::make_unique<MiniOar3>();
}

}  // namespace gleaner::contract
