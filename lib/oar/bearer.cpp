#include "lib/oar/bearer.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>
#include <chrono>
#include <stdexcept>

#include "lib/grid/clock.hpp"
#include "lib/oar/access.hpp"
#include "lib/oar/request_text.hpp"

namespace gleaner::oar {
namespace {

constexpr int kUnauthorized = 401;
/// A request may take some time, and the clocks of two machines differ.
constexpr grid::Seconds kLifetime{900};

/// base64url without padding (RFC 7515).
std::string encoded(std::string_view bytes) {
  constexpr std::string_view kAlphabet{"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"};
  constexpr unsigned kBitsOfLetter = 6, kBitsOfByte = 8, kMask = 63;
  std::string text;
  std::uint32_t rest = 0;
  unsigned bits = 0;
  for (const char byte : bytes) {
    rest = (rest << kBitsOfByte | static_cast<unsigned char>(byte)) & 0xFFFFU;
    bits += kBitsOfByte;
    while (bits >= kBitsOfLetter) {
      bits -= kBitsOfLetter;
      text += kAlphabet[rest >> bits & kMask];
    }
  }
  if (bits > 0) text += kAlphabet[rest << (kBitsOfLetter - bits) & kMask];
  return text;
}

}  // namespace

void TokenUse::note(std::string_view login, Verdict verdict) {
  const std::lock_guard lock{mutex_};
  auto& known = verdicts_.try_emplace(std::string{login}, verdict).first->second;
  if (verdict == Verdict::refused) known = verdict;
}

bool TokenUse::is_refused(std::string_view login) const {
  const std::lock_guard lock{mutex_};
  const auto known = verdicts_.find(login);
  return known != verdicts_.end() && known->second == Verdict::refused;
}

std::map<std::string, TokenUse::Verdict, std::less<>> TokenUse::all() const {
  const std::lock_guard lock{mutex_};
  return verdicts_;
}

bool is_of_identity(const Failure& failure) {
  const auto* const refused = std::get_if<Refused>(&failure);
  return refused != nullptr && refused->status == kUnauthorized;
}

Failure no_identity(std::string why) { return Refused{kUnauthorized, std::move(why)}; }

tl::expected<std::string, std::string> bearer_of(const Access& access, std::string_view user) {
  if (user.empty()) return tl::unexpected{std::string{"no user is named"}};
  if (auto wrong = wrong_user(user)) return tl::unexpected{std::move(*wrong)};
  const bool is_refused = access.token_use != nullptr && access.token_use->is_refused(user);
  if (access.authentication == Authentication::signed_token) {
    // These two may do anything on a cluster, and no user of a grid is one of them.
    if (user == "root" || user == "oar") return tl::unexpected{fmt::format("nothing is signed for {}, who administers OAR", user)};
    if (is_refused) return tl::unexpected{fmt::format("{} does not take what the site's key signs", access.name)};
    return signed_token(user, access.secret, grid::now(), kLifetime);
  }
  if (const auto why = access.unusable_tokens.find(user); why != access.unusable_tokens.end()) return tl::unexpected{why->second};
  const auto token = access.tokens.find(user);
  if (token == access.tokens.end())
    return tl::unexpected{fmt::format(
        "there is no token of {0} for {1}, without which OAR 3 does nothing in this user's name: they get one by 'oarsub -T' there, and "
        "give it by 'gridtoken add {1}'",
        user, access.name)};
  if (token->second.ends_at && *token->second.ends_at <= grid::now())
    return tl::unexpected{
        fmt::format("the token of {0} for {1} has ended: they get another one by 'oarsub -T' there, and give it by 'gridtoken add {1}'",
                    user, access.name)};
  if (is_refused)
    return tl::unexpected{
        fmt::format("{1} does not take the token of {0}: another one is needed, by 'gridtoken add {1}'", user, access.name)};
  return token->second.text;
}

std::string signed_token(std::string_view user, std::string_view key, grid::Instant now, grid::Seconds lifetime) {
  const auto second = std::chrono::floor<std::chrono::seconds>(now);
  const auto signed_part = fmt::format(
      "{}.{}", encoded(R"({"alg":"HS256","typ":"JWT"})"),
      encoded(fmt::format(R"({{"user":"{}","date":"{:%Y-%m-%d %H:%M:%S}","exp":{}}})", user, second, grid::to_unix(now + lifetime))));
  return signed_part + "." + token_signature(signed_part, key);
}

std::string token_signature(std::string_view signed_part, std::string_view key) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned length = 0;
  const auto* const bytes = reinterpret_cast<const unsigned char*>(signed_part.data());
  if (HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), bytes, signed_part.size(), digest.data(), &length) == nullptr)
    throw std::runtime_error{"OpenSSL has no HMAC with SHA-256"};
  return encoded({reinterpret_cast<const char*>(digest.data()), length});
}

}  // namespace gleaner::oar
