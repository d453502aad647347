#pragma once
#include <array>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

namespace gleaner::api {

enum class Role {
  user,
  administrator,
  proxy,  ///< a user who may act for others, on the routes of CiGri only (api/cigri/)
};

struct Caller {
  std::string user;
  Role role = Role::user;
  std::string proxy{};       ///< who named this user to CiGri's routes; empty: the user, by an identity of its own
  std::string session{};     ///< the SHA-256 of the browser's session that names the user; empty: no session
  std::string web_server{};  ///< who named this user by the header of single sign-on (api/sign_on.hpp); empty: nobody

  /// Whether a browser's word for its user is all that there is: it is sent along with requests that the user does not know of.
  [[nodiscard]] bool is_of_browser() const { return !session.empty() || !web_server.empty(); }
};

/// The tokens of users over TCP. Lines of the file: `token user`, `token user admin` or `token user proxy`; blank lines and lines that
/// begin with `#` are ignored. The file must not be readable by its group or by others. It is read again after a change; while it is
/// unusable, no token is accepted.
class Tokens {
 public:
  explicit Tokens(std::filesystem::path file) : file_{std::move(file)} {}

  /// The owner of a token. Takes the same time for any token. Thread-safe.
  [[nodiscard]] std::optional<Caller> find(std::string_view token);
  /// Why the file is unusable. Empty: it is usable.
  [[nodiscard]] std::optional<std::string> problem();

 private:
  using Digest = std::array<unsigned char, 32>;
  struct Entry {
    Digest digest;
    Caller caller;
  };
  struct Version {
    std::int64_t inode = 0;
    std::int64_t size = -1;
    std::int64_t modified = 0;
    std::int64_t changed = 0;
    bool operator==(const Version&) const = default;
  };
  void refresh();
  [[nodiscard]] static Digest digest_of(std::string_view token);
  [[nodiscard]] static tl::expected<std::vector<Entry>, std::string> read(const std::filesystem::path& file);

  std::filesystem::path file_;
  std::mutex mutex_;
  Version version_;
  std::vector<Entry> entries_;
  std::optional<std::string> problem_;
};

}  // namespace gleaner::api
