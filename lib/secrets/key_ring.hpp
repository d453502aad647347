#pragma once
#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "lib/grid/id.hpp"

/// Users' tokens in the database are sealed: encrypted, and bound to whose they are.
namespace gleaner::secrets {

/// The user and the cluster that a token is for. A sealed token that is copied to another user or cluster cannot be opened.
struct Owner {
  std::string_view user;
  grid::ClusterId cluster{0};
};

struct Sealed {
  std::string text;      ///< hexadecimal: nonce, ciphertext and tag of AES-256-GCM
  std::string key_name;  ///< of the key that opens it
};

/// The keys of a file, one a line in 64 hexadecimal digits. The first seals, and each opens what it sealed, so that a key can be replaced
/// while tokens are sealed by the one before.
class KeyRing {
 public:
  /// The error says what to do: the file is not there, others may read or change it, or it has no keys.
  [[nodiscard]] static tl::expected<KeyRing, std::string> read(const std::filesystem::path& path);
  /// The same of a file's content.
  [[nodiscard]] static tl::expected<KeyRing, std::string> parse(std::string_view content);
  /// These keys, and before them a new one, which seals from now on.
  [[nodiscard]] KeyRing with_new_key() const;
  /// Those of these names.
  [[nodiscard]] KeyRing only(const std::vector<std::string>& names) const;

  KeyRing() = default;

  [[nodiscard]] Sealed seal(std::string_view secret, const Owner& owner) const;
  /// The error never has a part of the secret.
  [[nodiscard]] tl::expected<std::string, std::string> open(const Sealed& sealed, const Owner& owner) const;

  [[nodiscard]] std::vector<std::string> key_names() const;
  /// The content of a file of these keys.
  [[nodiscard]] std::string text() const;

 private:
  static constexpr std::size_t kBytes = 32;
  struct Key {
    std::string name;  ///< the first digits of its SHA-256
    std::array<unsigned char, kBytes> bytes{};
  };
  std::vector<Key> keys_;
};

/// By which its user recognizes a token: the first digits of its SHA-256.
[[nodiscard]] std::string fingerprint(std::string_view secret);

}  // namespace gleaner::secrets
