#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/grid/id.hpp"
#include "lib/grid/time.hpp"
#include "lib/store/database.hpp"

/// Users' tokens for clusters that want one of each user, sealed (lib/secrets). Whoever seals and opens them has the key.
namespace gleaner::store {

/// A token that its cluster refused is tried again after so long.
inline constexpr grid::Seconds kTokenRetry{3600};
/// A token that its user gave is renewed so long before its end.
inline constexpr int kRenewalDays = 30;

struct TokenOf {
  std::string user;
  grid::ClusterId cluster{0};
};

/// A token as it is stored.
struct StoredToken {
  TokenOf owner;
  std::string login;  ///< as whom the cluster knows who has it
  std::string sealed;
  std::string key_name;
  std::string fingerprint;
  std::optional<grid::Instant> expires_at;
  std::optional<grid::Instant> refused_at{};
  std::string unreadable{};  ///< why it cannot be opened; empty: it can
};
/// @param taken_at  when its cluster took it; empty: it was not asked
void put_token(Transaction& transaction, const StoredToken& token, std::optional<grid::Instant> taken_at, grid::Instant now);
/// Empty: there was none. Otherwise the number of the user's live jobs there.
[[nodiscard]] std::optional<std::int64_t> remove_token(Transaction& transaction, const TokenOf& owner, grid::Instant now);
[[nodiscard]] std::vector<StoredToken> stored_tokens(Transaction& transaction, std::span<const grid::ClusterId> clusters);

/// A token as it is shown.
struct ShownToken {
  std::string user;
  grid::ClusterId cluster{0};
  std::string cluster_name;
  std::string login;
  std::string fingerprint;
  grid::Instant given_at{};
  std::optional<grid::Instant> renewed_at;
  std::optional<grid::Instant> expires_at;
  std::optional<grid::Instant> taken_at;
  std::optional<grid::Instant> refused_at;
  std::string unreadable;
  std::string renewal_error;
};
/// Those of a user; of all, if none is named.
[[nodiscard]] std::vector<ShownToken> shown_tokens(Transaction& transaction, const std::optional<std::string>& user);

/// The cluster took these tokens: what it refused before is in use again, and the events of that are closed.
void note_taken(Transaction& transaction, grid::ClusterId cluster, std::span<const std::string> fingerprints, grid::Instant now);
/// The cluster refused these: an event for the user of each.
void note_refused(Transaction& transaction, grid::ClusterId cluster, std::string_view name, std::span<const std::string> fingerprints,
                  grid::Instant now);
/// Why a token cannot be opened; empty: it can.
void note_unreadable(Transaction& transaction, const StoredToken& token, std::string_view why);

struct TokenToRenew {
  std::string user;
  std::string login;
};
/// At most a few of a cluster.
[[nodiscard]] std::vector<TokenToRenew> tokens_to_renew(Transaction& transaction, grid::ClusterId cluster, grid::Instant now);
/// @param before  the fingerprint of the one that it replaces. False: the user gave another one meanwhile.
bool note_renewed(Transaction& transaction, const StoredToken& token, std::string_view before, grid::Instant now);
void note_not_renewed(Transaction& transaction, const TokenOf& owner, std::string_view before, std::string_view why, grid::Instant now);

/// Opens the events of tokens that end in a week, in a day, or that have ended; each once. Returns their number.
std::int64_t warn_of_token_ends(Transaction& transaction, grid::Instant now);

/// Stores a token as it is sealed now. False: it was replaced meanwhile.
bool reseal_token(Transaction& transaction, const StoredToken& token);
/// The clusters that want a token of each user.
[[nodiscard]] std::vector<grid::ClusterId> clusters_with_tokens(Transaction& transaction);
/// The names of those that have none of this user that works now, so that they take none of the user's tasks.
[[nodiscard]] std::vector<std::string> clusters_without_token(Transaction& transaction, const std::string& user, grid::Instant now);
/// The users who have this login on a cluster.
[[nodiscard]] std::vector<std::string> users_of_login(Transaction& transaction, grid::ClusterId cluster, std::string_view login);
/// The login of a user on a cluster.
[[nodiscard]] std::string login_of(Transaction& transaction, std::string_view user, grid::ClusterId cluster);

}  // namespace gleaner::store
