#include "lib/store/tokens.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>

#include "lib/store/detail.hpp"
#include "lib/store/events.hpp"
#include "lib/text/clean.hpp"

namespace gleaner::store {
namespace {

using detail::exec;
using detail::exec_prepared;

std::string utc(grid::Instant at) { return fmt::format("{:%Y-%m-%d %H:%M} UTC", std::chrono::floor<std::chrono::seconds>(at)); }

void open_token_event(Transaction& transaction, std::string_view code, const TokenOf& owner, std::string message, grid::Instant now) {
  open_event(
      transaction,
      {.code = code, .target = {.campaign = {}, .cluster = owner.cluster}, .job = {}, .message = std::move(message), .user = owner.user},
      now);
}

void close_events(Transaction& transaction, const TokenOf& owner, grid::Instant now) {
  exec(transaction, sql::events_close_of_user{.now = now, .user = owner.user, .cluster = owner.cluster});
}

}  // namespace

void put_token(Transaction& transaction, const StoredToken& token, std::optional<grid::Instant> taken_at, grid::Instant now) {
  exec(transaction, sql::tokens_put{
                        .user = token.owner.user,
                        .cluster = token.owner.cluster,
                        .login = token.login,
                        .sealed = token.sealed,
                        .key_name = token.key_name,
                        .fingerprint = token.fingerprint,
                        .now = now,
                        .expires = token.expires_at,
                        .taken = taken_at,
                    });
  close_events(transaction, token.owner, now);
}

std::optional<std::int64_t> remove_token(Transaction& transaction, const TokenOf& owner, grid::Instant now) {
  const auto rows = exec(transaction, sql::tokens_remove{.user = owner.user, .cluster = owner.cluster});
  if (rows.empty()) return std::nullopt;
  close_events(transaction, owner, now);
  return rows[0].live_jobs.as<std::int64_t>();
}

std::vector<StoredToken> stored_tokens(Transaction& transaction, std::span<const grid::ClusterId> clusters) {
  std::vector<StoredToken> tokens;
  if (clusters.empty()) return tokens;
  for (const auto& row : exec(transaction, sql::tokens_sealed{.clusters = detail::ids_of(clusters)})) {
    StoredToken token;
    token.owner = TokenOf{.user = row.user_name.as<std::string>(), .cluster = row.cluster_id.as<grid::ClusterId>()};
    token.login = *row.login;
    token.sealed = *row.sealed;
    token.key_name = *row.key_name;
    token.fingerprint = *row.fingerprint;
    token.expires_at = row.expires_at;
    token.refused_at = row.refused_at;
    token.unreadable = *row.unreadable;
    tokens.push_back(std::move(token));
  }
  return tokens;
}

std::vector<ShownToken> shown_tokens(Transaction& transaction, const std::optional<std::string>& user) {
  std::vector<ShownToken> tokens;
  for (const auto& row : exec(transaction, sql::tokens_list{.user = user})) {
    ShownToken token;
    token.user = *row.user_name;
    token.cluster = *row.cluster_id;
    token.cluster_name = *row.cluster;
    token.login = *row.login;
    token.fingerprint = *row.fingerprint;
    token.given_at = *row.given_at;
    token.renewed_at = row.renewed_at;
    token.expires_at = row.expires_at;
    token.taken_at = row.taken_at;
    token.refused_at = row.refused_at;
    token.unreadable = *row.unreadable;
    token.renewal_error = *row.renewal_error;
    tokens.push_back(std::move(token));
  }
  return tokens;
}

void note_taken(Transaction& transaction, grid::ClusterId cluster, std::span<const std::string> fingerprints, grid::Instant now) {
  constexpr double kEvery = 600;
  if (fingerprints.empty()) return;
  for (const auto& row :
       exec(transaction,
            sql::tokens_taken{.now = now, .cluster = cluster, .fingerprints = detail::text_array(fingerprints), .every_s = kEvery})) {
    if (row.refused.as<bool>()) close_events(transaction, {.user = row.user_name.as<std::string>(), .cluster = cluster}, now);
  }
}

void note_refused(Transaction& transaction, grid::ClusterId cluster, std::string_view name, std::span<const std::string> fingerprints,
                  grid::Instant now) {
  if (fingerprints.empty()) return;
  for (const auto& row :
       exec(transaction, sql::tokens_refused{.now = now, .cluster = cluster, .fingerprints = detail::text_array(fingerprints)}))
    open_token_event(transaction, "TOKEN_REFUSED", {.user = row.user_name.as<std::string>(), .cluster = cluster},
                     fmt::format("{0} does not take your token any more: it was revoked there, or the cluster's key was changed. Your jobs "
                                 "wait for another one: 'gridtoken add {0}'. This one is tried again every {1} min",
                                 name, kTokenRetry / std::chrono::minutes{1}),
                     now);
}

void note_unreadable(Transaction& transaction, const StoredToken& token, std::string_view why) {
  exec(transaction,
       sql::tokens_unreadable{.why = why, .cluster = token.owner.cluster, .user = token.owner.user, .fingerprint = token.fingerprint});
}

std::vector<TokenToRenew> tokens_to_renew(Transaction& transaction, grid::ClusterId cluster, grid::Instant now) {
  constexpr double kAgain = 3600;
  constexpr std::int64_t kMost = 5;
  std::vector<TokenToRenew> tokens;
  for (const auto& row :
       exec(transaction, sql::tokens_to_renew{
                             .cluster = cluster, .now = now, .days = static_cast<double>(kRenewalDays), .again_s = kAgain, .most = kMost}))
    tokens.push_back({.user = row.user_name.as<std::string>(), .login = row.login.as<std::string>()});
  return tokens;
}

bool note_renewed(Transaction& transaction, const StoredToken& token, std::string_view before, grid::Instant now) {
  const auto rows = exec(transaction, sql::tokens_renewed{
                                          .sealed = token.sealed,
                                          .key_name = token.key_name,
                                          .fingerprint = token.fingerprint,
                                          .expires = token.expires_at,
                                          .now = now,
                                          .user = token.owner.user,
                                          .cluster = token.owner.cluster,
                                          .before = before,
                                      });
  if (rows.empty()) return false;
  close_events(transaction, token.owner, now);
  return true;
}

void note_not_renewed(Transaction& transaction, const TokenOf& owner, std::string_view before, std::string_view why, grid::Instant now) {
  exec(transaction,
       sql::tokens_not_renewed{.now = now, .why = text::clean_text(why), .user = owner.user, .cluster = owner.cluster, .before = before});
}

std::int64_t warn_of_token_ends(Transaction& transaction, grid::Instant now) {
  constexpr int kInAWeek = 1, kInADay = 2;
  std::int64_t warned = 0;
  for (const auto& row : exec_prepared(transaction, sql::tokens_warn{.now = now, .days = static_cast<double>(kRenewalDays)})) {
    const auto cluster = row.cluster.as<std::string>();
    const auto error = row.renewal_error.as<std::string>();
    const auto stage = row.warned.as<int>();
    const auto end = utc(row.expires_at.as<grid::Instant>());
    const auto why = error.empty() ? std::string{} : fmt::format(", and could not be renewed ({})", error);
    const auto ends = stage > kInADay ? fmt::format("your token for {} ended on {}: your jobs wait there for another one", cluster, end)
                                      : fmt::format("your token for {} ends on {}{}: your jobs wait there from then on", cluster, end, why);
    open_token_event(transaction,
                     stage == kInAWeek  ? "TOKEN_ENDS_IN_A_WEEK"
                     : stage == kInADay ? "TOKEN_ENDS_IN_A_DAY"
                                        : "TOKEN_ENDED",
                     {.user = row.user_name.as<std::string>(), .cluster = row.cluster_id.as<grid::ClusterId>()},
                     fmt::format("{}. Get one there by 'oarsub -T', and give it: 'gridtoken add {}'", ends, cluster), now);
    ++warned;
  }
  return warned;
}

bool reseal_token(Transaction& transaction, const StoredToken& token) {
  return !exec(transaction, sql::tokens_reseal{.sealed = token.sealed,
                                               .key_name = token.key_name,
                                               .user = token.owner.user,
                                               .cluster = token.owner.cluster,
                                               .fingerprint = token.fingerprint})
              .empty();
}

std::vector<grid::ClusterId> clusters_with_tokens(Transaction& transaction) {
  std::vector<grid::ClusterId> clusters;
  for (const auto& row : exec(transaction, sql::tokens_clusters{})) clusters.push_back(row.id.as<grid::ClusterId>());
  return clusters;
}

std::vector<std::string> clusters_without_token(Transaction& transaction, const std::string& user, grid::Instant now) {
  std::vector<std::string> clusters;
  for (const auto& row : exec(transaction, sql::tokens_lacking{.user = user, .now = now, .refused_since = now - kTokenRetry}))
    clusters.push_back(row.name.as<std::string>());
  return clusters;
}

std::vector<std::string> users_of_login(Transaction& transaction, grid::ClusterId cluster, std::string_view login) {
  std::vector<std::string> users;
  for (const auto& row : exec(transaction, sql::tokens_users_of{.cluster = cluster, .login = login}))
    users.push_back(row.user_name.as<std::string>());
  return users;
}

std::string login_of(Transaction& transaction, std::string_view user, grid::ClusterId cluster) {
  return *exec(transaction, sql::tokens_login_of{.user = user, .cluster = cluster})[0].login;
}

}  // namespace gleaner::store
