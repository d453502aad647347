#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lib/fleet/fleet.hpp"
#include "lib/oar/token.hpp"
#include "lib/secrets/key_ring.hpp"
#include "lib/store/tokens.hpp"

/// Users' tokens for the clusters that want one of each user, opened by the key of this machine.
namespace gleaner::fleet {

struct OpenedTokens {
  std::map<std::string, oar::Token, std::less<>> usable;         ///< by login
  std::map<std::string, std::string, std::less<>> unusable;      ///< by login without a usable one: why
  std::map<std::string, std::string, std::less<>> fingerprints;  ///< of the usable ones, by login
  struct Reading {
    store::StoredToken token;
    std::string unreadable;  ///< why it cannot be opened now; empty: it can
  };
  std::vector<Reading> readings;
  std::optional<std::string> key_error;  ///< why no token at all can be opened
};
/// A cluster's tokens. Those that it refused within store::kTokenRetry are not used. If users share a login, the token that ends last
/// counts.
[[nodiscard]] OpenedTokens open_tokens(const store::Cluster& cluster, const process::Config& config, grid::Instant now);

/// Writes which tokens a visit used, and which the cluster refused; the latter as events for their users. If a cluster refuses all that the
/// site's key signs, it is braked.
void note_token_use(Visit& visit, const OpenedTokens& opened, const oar::TokenUse& use);

/// Notes which tokens cannot be opened, with an event for administrators when that changes.
void note_readings(Visit& visit, const OpenedTokens& opened);
/// Renews a few tokens that end soon.
void renew_tokens(Visit& visit, const OpenedTokens& opened);

}  // namespace gleaner::fleet
