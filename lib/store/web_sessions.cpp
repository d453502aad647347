#include "lib/store/web_sessions.hpp"

#include "lib/store/detail.hpp"

namespace gleaner::store {

using detail::exec;

void add_session_code(Transaction& transaction, std::string_view code_digest, const SessionOwner& owner, grid::Instant now) {
  exec(transaction, sql::web_sessions_lock{.user = owner.user});
  exec(transaction,
       sql::web_sessions_add{
           .digest = code_digest, .user = owner.user, .administrator = owner.is_administrator, .now = now, .expires = now + kCodeLasts});
  exec(transaction, sql::web_sessions_keep_newest{.now = now, .user = owner.user, .most = kMostSessionsOfUser});
}

std::optional<SessionOwner> begin_session(Transaction& transaction, std::string_view code_digest, std::string_view session_digest,
                                          grid::Instant now) {
  const auto rows = exec(
      transaction, sql::web_sessions_redeem{.digest = session_digest, .now = now, .expires = now + kSessionLasts, .code = code_digest});
  if (rows.empty()) return std::nullopt;
  return SessionOwner{.user = *rows[0].user_name, .is_administrator = *rows[0].is_administrator};
}

std::optional<SessionOwner> session_owner(Transaction& transaction, std::string_view session_digest, grid::Instant now) {
  const auto rows = exec(transaction, sql::web_sessions_find{.digest = session_digest, .now = now});
  if (rows.empty()) return std::nullopt;
  return SessionOwner{.user = *rows[0].user_name, .is_administrator = *rows[0].is_administrator};
}

std::int64_t end_session(Transaction& transaction, std::string_view session_digest) {
  return exec(transaction, sql::web_sessions_end{.digest = session_digest}).affected_rows();
}

std::int64_t end_sessions_of(Transaction& transaction, std::string_view user) {
  return exec(transaction, sql::web_sessions_end_all{.user = user}).affected_rows();
}

}  // namespace gleaner::store
