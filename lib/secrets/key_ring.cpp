#include "lib/secrets/key_ring.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>

#include "lib/process/descriptor.hpp"

namespace gleaner::secrets {
namespace {

using Bytes = std::vector<unsigned char>;

constexpr std::size_t kNonce = 12, kTag = 16;
constexpr std::size_t kLongestFile = 64 << 10;

struct FreeCipher {
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};
using Cipher = std::unique_ptr<EVP_CIPHER_CTX, FreeCipher>;

void demand(int result) {
  if (result != 1) throw std::runtime_error{"OpenSSL has no AES-256-GCM"};
}

std::string hexadecimal(std::span<const unsigned char> bytes) { return fmt::format("{:02x}", fmt::join(bytes.begin(), bytes.end(), "")); }

std::optional<Bytes> bytes_of(std::string_view text) {
  constexpr std::string_view kDigits{"0123456789abcdef"};
  if (text.size() % 2 != 0) return std::nullopt;
  Bytes bytes;
  bytes.reserve(text.size() / 2);
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const auto high = kDigits.find(text[i]), low = kDigits.find(text[i + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) return std::nullopt;
    bytes.push_back(static_cast<unsigned char>(high << 4U | low));
  }
  return bytes;
}

std::array<unsigned char, EVP_MAX_MD_SIZE> sha256(std::span<const unsigned char> bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  demand(EVP_Digest(bytes.data(), bytes.size(), digest.data(), nullptr, EVP_sha256(), nullptr));
  return digest;
}

std::span<const unsigned char> bytes_in(std::string_view text) {
  return {reinterpret_cast<const unsigned char*>(text.data()), text.size()};
}

/// The text that is authenticated beside the secret. No user's name has a zero byte.
std::string bound_to(const Owner& owner) { return fmt::format("gleaner token 1{}{}{}{}", '\0', owner.user, '\0', owner.cluster.value()); }

std::string_view trimmed(std::string_view line) {
  constexpr std::string_view kBlank{" \t\r"};
  const auto first = line.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return line.substr(first, line.find_last_not_of(kBlank) + 1 - first);
}

tl::unexpected<std::string> unreadable(const std::filesystem::path& path, std::string_view why) {
  return tl::unexpected{fmt::format("the key file of users' tokens, {}, {}", path.string(), why)};
}

}  // namespace

tl::expected<KeyRing, std::string> KeyRing::read(const std::filesystem::path& path) {
  const process::Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.number() < 0 && errno == ENOENT) return unreadable(path, "is not there: 'gridctl token new-key' makes one");
  if (file.number() < 0)
    return unreadable(path,
                      fmt::format("cannot be read: {}; the user that runs the grid's programs must be able to", std::strerror(errno)));
  struct stat status {};
  if (::fstat(file.number(), &status) != 0 || !S_ISREG(status.st_mode)) return unreadable(path, "is not a file");
  if ((status.st_mode & (S_IWGRP | S_IRWXO)) != 0)
    return unreadable(path, fmt::format("is open to others (mode {:04o}): chmod 640 {}", status.st_mode & 07777U, path.string()));
  if (status.st_uid != 0 && status.st_uid != ::geteuid())
    return unreadable(path, fmt::format("belongs to the user {}, who could change it: it must be root's, or that of the user that runs the "
                                        "grid's programs",
                                        status.st_uid));
  std::string content;
  std::array<char, 4096> block{};
  for (;;) {
    const auto got = ::read(file.number(), block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return unreadable(path, fmt::format("cannot be read: {}", std::strerror(errno)));
    if (got == 0) break;
    content.append(block.data(), static_cast<std::size_t>(got));
    if (content.size() > kLongestFile) return unreadable(path, "is too long for a file of keys");
  }
  auto ring = parse(content);
  if (!ring) return unreadable(path, ring.error());
  return ring;
}

tl::expected<KeyRing, std::string> KeyRing::parse(std::string_view content) {
  KeyRing ring;
  for (int number = 1; !content.empty(); ++number) {
    const auto end = std::min(content.find('\n'), content.size());
    const auto line = trimmed(content.substr(0, end));
    content.remove_prefix(std::min(end + 1, content.size()));
    if (line.empty() || line.front() == '#') continue;
    const auto bytes = bytes_of(line);
    if (!bytes || bytes->size() != kBytes)
      return tl::unexpected{fmt::format("is not a file of keys: line {} is not {} hexadecimal digits (0-9, a-f)", number, 2 * kBytes)};
    Key key;
    std::ranges::copy(*bytes, key.bytes.begin());
    constexpr std::size_t kNameBytes = 4;
    const auto digest = sha256(key.bytes);
    key.name = hexadecimal(std::span{digest}.first(kNameBytes));
    ring.keys_.push_back(std::move(key));
  }
  if (ring.keys_.empty()) return tl::unexpected{std::string{"has no key: 'gridctl token new-key' makes one"}};
  return ring;
}

KeyRing KeyRing::with_new_key() const {
  std::array<unsigned char, kBytes> bytes{};
  demand(RAND_bytes(bytes.data(), static_cast<int>(bytes.size())));
  auto ring = parse(hexadecimal(bytes)).value();
  ring.keys_.insert(ring.keys_.end(), keys_.begin(), keys_.end());
  return ring;
}

KeyRing KeyRing::only(const std::vector<std::string>& names) const {
  KeyRing ring;
  std::ranges::copy_if(keys_, std::back_inserter(ring.keys_),
                       [&](const Key& key) { return std::ranges::find(names, key.name) != names.end(); });
  return ring;
}

Sealed KeyRing::seal(std::string_view secret, const Owner& owner) const {
  const auto& key = keys_.at(0);
  Bytes bytes(kNonce + secret.size() + kTag);
  demand(RAND_bytes(bytes.data(), kNonce));
  const auto bound = bound_to(owner);
  const Cipher cipher{EVP_CIPHER_CTX_new()};
  int length = 0;
  demand(EVP_EncryptInit_ex(cipher.get(), EVP_aes_256_gcm(), nullptr, key.bytes.data(), bytes.data()));
  demand(EVP_EncryptUpdate(cipher.get(), nullptr, &length, bytes_in(bound).data(), static_cast<int>(bound.size())));
  demand(EVP_EncryptUpdate(cipher.get(), bytes.data() + kNonce, &length, bytes_in(secret).data(), static_cast<int>(secret.size())));
  demand(EVP_EncryptFinal_ex(cipher.get(), bytes.data() + kNonce + length, &length));
  demand(EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_GET_TAG, kTag, bytes.data() + kNonce + secret.size()));
  return {.text = hexadecimal(bytes), .key_name = key.name};
}

tl::expected<std::string, std::string> KeyRing::open(const Sealed& sealed, const Owner& owner) const {
  const auto key = std::ranges::find(keys_, sealed.key_name, &Key::name);
  if (key == keys_.end())
    return tl::unexpected{fmt::format("it is sealed by the key {}, which the key file does not have (it has {})", sealed.key_name,
                                      fmt::join(key_names(), ", "))};
  auto bytes = bytes_of(sealed.text);
  if (!bytes || bytes->size() < kNonce + kTag) return tl::unexpected{std::string{"what is stored is not a sealed token"}};
  const auto size = bytes->size() - kNonce - kTag;
  const auto bound = bound_to(owner);
  const Cipher cipher{EVP_CIPHER_CTX_new()};
  std::string secret(size, '\0');
  int length = 0;
  demand(EVP_DecryptInit_ex(cipher.get(), EVP_aes_256_gcm(), nullptr, key->bytes.data(), bytes->data()));
  demand(EVP_DecryptUpdate(cipher.get(), nullptr, &length, bytes_in(bound).data(), static_cast<int>(bound.size())));
  demand(EVP_DecryptUpdate(cipher.get(), reinterpret_cast<unsigned char*>(secret.data()), &length, bytes->data() + kNonce,
                           static_cast<int>(size)));
  demand(EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_SET_TAG, kTag, bytes->data() + kNonce + size));
  std::array<unsigned char, kTag> rest{};
  if (EVP_DecryptFinal_ex(cipher.get(), rest.data(), &length) != 1)
    return tl::unexpected{std::string{"it was changed since it was stored, or is another user's or another cluster's"}};
  return secret;
}

std::vector<std::string> KeyRing::key_names() const {
  std::vector<std::string> names;
  for (const auto& key : keys_) names.push_back(key.name);
  return names;
}

std::string KeyRing::text() const {
  std::string text{"# The keys of users' tokens in the database of the grid. Without them, each user has to give their tokens again.\n"};
  for (const auto& key : keys_) text += hexadecimal(key.bytes) + "\n";
  return text;
}

std::string fingerprint(std::string_view secret) {
  constexpr std::size_t kShown = 6;
  const auto digest = sha256(bytes_in(secret));
  return hexadecimal(std::span{digest}.first(kShown));
}

}  // namespace gleaner::secrets
