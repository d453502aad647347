#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "lib/grid/time.hpp"
#include "lib/store/database.hpp"

/// Sessions of browsers. Codes and cookies are known by their SHA-256 alone.
namespace gleaner::store {

inline constexpr grid::Seconds kCodeLasts{60};
inline constexpr grid::Seconds kSessionLasts{12 * 3600};
/// Codes and sessions of one user; a new one ends the oldest.
inline constexpr std::int64_t kMostSessionsOfUser = 16;

struct SessionOwner {
  std::string user;
  bool is_administrator = false;
};

/// Stores a code with which its owner may begin one session.
void add_session_code(Transaction& transaction, std::string_view code_digest, const SessionOwner& owner, grid::Instant now);
/// Begins a session. Empty: there is no such code, it was used already, or it is too old.
[[nodiscard]] std::optional<SessionOwner> begin_session(Transaction& transaction, std::string_view code_digest,
                                                        std::string_view session_digest, grid::Instant now);
/// Empty: there is no such session, or it is over.
[[nodiscard]] std::optional<SessionOwner> session_owner(Transaction& transaction, std::string_view session_digest, grid::Instant now);
/// Returns the number of sessions that ended: 0 or 1.
std::int64_t end_session(Transaction& transaction, std::string_view session_digest);
/// Ends all sessions of a user, and voids the codes. Returns their number.
std::int64_t end_sessions_of(Transaction& transaction, std::string_view user);

}  // namespace gleaner::store
