#include "tests/real_oar3.hpp"

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
#include <string_view>

namespace gleaner::tests {
namespace {

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

std::optional<RealOar3> RealOar3::named() {
  const char* const described = std::getenv("GLEANER_TEST_OAR3");
  if (described == nullptr || *described == '\0') return std::nullopt;
  const auto text = *described == '{' ? std::string{described} : content_of(described);
  rapidjson::Document json;
  json.Parse(text.c_str());
  const bool is_whole = !json.HasParseError() && json.IsObject() && json.HasMember("url") && json["url"].IsString() &&
                        json.HasMember("state") && json["state"].IsString();
  if (!is_whole) throw std::runtime_error("GLEANER_TEST_OAR3 is no JSON with 'url' and 'state', nor a file of it");
  RealOar3 real;
  real.url_ = json["url"].GetString();
  real.state_ = json["state"].GetString();
  real.key_ = key_in(content_of(real.state_ + "/files/etc-oar/oar.conf"));
  return real;
}

std::string RealOar3::token(const std::string& user) const { return signed_token(user, key_); }

void RealOar3::kill_api() const {
  const auto command = fmt::format(
      "nsenter --target $(cut -d' ' -f1 {}/init.pid) --mount --pid --root --wd -- sh -c 'kill -9 $(cat /run/oarapi.pid)'", state_);
  if (std::system(command.c_str()) != 0) throw std::runtime_error("the API cannot be killed: " + command);
}

}  // namespace gleaner::tests
