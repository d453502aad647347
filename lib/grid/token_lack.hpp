#pragma once
#include <array>
#include <optional>
#include <string_view>

#include "lib/grid/time.hpp"

namespace gleaner::grid {

/// Why a user's token for a cluster that wants one of each user is no use.
enum class TokenFault {
  missing,    ///< the user has given none, or one of another user of the cluster
  ended,      ///< it has expired
  refused,    ///< the cluster does not take it any more
  unreadable  ///< the grid cannot decrypt it
};
inline constexpr std::array kTokenFaults{TokenFault::missing, TokenFault::ended, TokenFault::refused, TokenFault::unreadable};

[[nodiscard]] constexpr std::string_view name_of(TokenFault fault) {
  switch (fault) {
    case TokenFault::missing: return "missing";
    case TokenFault::ended: return "ended";
    case TokenFault::refused: return "refused";
    case TokenFault::unreadable: break;
  }
  return "unreadable";
}

struct TokenLack {
  TokenFault fault = TokenFault::missing;
  std::optional<Instant> since = {};
};

}  // namespace gleaner::grid
