#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "api/tokens.hpp"
#include "lib/http/message.hpp"

namespace gleaner::api {

/// Who calls: on the unix socket, who the kernel says; elsewhere, whom the bearer token stands
/// for. No other header counts.
class Identities {
 public:
  /// Administrators are root, this program's own user, the members of the group, and the users
  /// whose token says so.
  Identities(std::string admin_group, std::optional<std::filesystem::path> tokens_file);

  [[nodiscard]] std::optional<Caller> of(const http::Request& request);

 private:
  [[nodiscard]] Role role_of(const http::Peer::Process& process) const;

  std::string admin_group_;
  std::optional<Tokens> tokens_;
};

}  // namespace gleaner::api
