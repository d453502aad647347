#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "api/tokens.hpp"
#include "lib/http/message.hpp"

namespace gleaner::api {

/// The token of the header `Authorization: Bearer TOKEN`; empty: there is none.
[[nodiscard]] std::optional<std::string_view> bearer_token(const http::Request& request);

/// The caller's identity: on the unix socket as the kernel reports it, elsewhere the owner of the bearer token. Other headers are
/// ignored.
class Identities {
 public:
  /// Administrators are root, this program's own user, the members of the group, and the users with an `admin` token.
  Identities(std::string admin_group, std::optional<std::filesystem::path> tokens_file);

  [[nodiscard]] std::optional<Caller> of(const http::Request& request);

  /// The role that this user of the machine has on the unix socket; of an unknown name: a user's.
  [[nodiscard]] Role role_of_user(const std::string& name) const;

 private:
  [[nodiscard]] Role role_of(const http::Peer::Process& process) const;

  std::string admin_group_;
  std::optional<Tokens> tokens_;
};

}  // namespace gleaner::api
