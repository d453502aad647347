// Users' tokens for clusters that want one of each user, and the key that encrypts them.
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "clients/asked.hpp"
#include "clients/gridctl/cluster_checks.hpp"
#include "clients/gridctl/commands.hpp"
#include "lib/fleet/tokens.hpp"
#include "lib/grid/login.hpp"
#include "lib/process/secret.hpp"
#include "lib/process/whole_file.hpp"
#include "lib/store/audit.hpp"
#include "lib/store/clock.hpp"
#include "lib/terminal/times.hpp"

namespace gleaner::gridctl {
namespace {

using process::Error;
using process::ExitCode;
using terminal::Align;
using terminal::Cell;
using terminal::Shrink;
using terminal::Table;

secrets::KeyRing ring_of(const Call& call) {
  auto ring = secrets::KeyRing::read(call.context.config.token_key_file);
  if (!ring) throw Error{ExitCode::unavailable, ring.error()};
  return std::move(*ring);
}

Cell time_of(const std::optional<grid::Instant>& at, grid::Instant now) {
  return at ? terminal::time_cell(*at, now) : Cell{std::monostate{}, "-"};
}

/// The keys that tokens are sealed by.
std::vector<std::string> keys_in_use(store::Transaction& transaction) {
  std::set<std::string> names;
  for (const auto& token : store::stored_tokens(transaction, store::clusters_with_tokens(transaction))) names.insert(token.key_name);
  return {names.begin(), names.end()};
}

/// Seals all tokens that can be opened by the first key. The number of those that cannot.
int reseal(store::Transaction& transaction, const secrets::KeyRing& ring) {
  int unreadable = 0;
  for (auto& token : store::stored_tokens(transaction, store::clusters_with_tokens(transaction))) {
    const secrets::Owner owner{.user = token.owner.user, .cluster = token.owner.cluster};
    const auto secret = ring.open({.text = token.sealed, .key_name = token.key_name}, owner);
    if (!secret) {
      ++unreadable;
      continue;
    }
    auto sealed = ring.seal(*secret, owner);
    token.sealed = std::move(sealed.text);
    token.key_name = std::move(sealed.key_name);
    store::reseal_token(transaction, token);
  }
  return unreadable;
}

/// That of the file that is replaced, so that the grid's programs can read the new one as they could the old one.
std::pair<process::FileOwner, mode_t> owner_and_mode(const std::filesystem::path& file) {
  constexpr mode_t kMode = 0640, kModes = 07777;
  struct stat status {};
  if (::stat(file.c_str(), &status) == 0) return {{.user = status.st_uid, .group = status.st_gid}, status.st_mode & kModes};
  return {process::our_files(), kMode};
}

}  // namespace

process::Outcome token_new_key(const Call& call) {
  const auto& file = call.context.config.token_key_file;
  std::error_code error;
  const bool is_first = !std::filesystem::exists(file, error);
  const auto before = is_first ? secrets::KeyRing{} : ring_of(call);
  const auto [owner, mode] = owner_and_mode(file);
  if (is_first) {
    process::write_whole_file(file, before.with_new_key().text(), mode, owner);
    call.output.report(
        fmt::format("gridctl: {} is made: keep a copy where backups of the database are not; the user that runs the grid's "
                    "programs must be able to read it, and nobody else",
                    file.string()));
    return ExitCode::ok;
  }
  auto database = open_database(call);
  std::vector<std::string> used;
  store::transact(database, std::nullopt, [&](store::Transaction& transaction) { used = keys_in_use(transaction); });
  // The new key is in the file before a token is sealed by it, and the old ones stay as long as a token may be.
  const auto ring = before.with_new_key();
  process::write_whole_file(file, ring.text(), mode, owner);
  int unreadable = 0;
  store::transact(database, std::nullopt, [&](store::Transaction& transaction) { unreadable = reseal(transaction, ring); });
  used.push_back(before.key_names().front());
  const auto unused =
      std::ranges::count_if(before.key_names(), [&](const auto& name) { return std::ranges::find(used, name) == used.end(); });
  used.push_back(ring.key_names().front());
  if (unused > 0) process::write_whole_file(file, ring.only(used).text(), mode, owner);
  call.output.report(fmt::format(
      "gridctl: a new key seals users' tokens from now on, and {}; the key before stays in {} until the next 'gridctl "
      "token new-key'",
      unreadable == 0 ? "those that are kept are sealed by it" : fmt::format("all but {} that cannot be read are sealed by it", unreadable),
      file.string()));
  return ExitCode::ok;
}

process::Outcome token_import(const Call& call) {
  const auto ring = ring_of(call);
  const auto content = process::read_secret_file(call.arguments[1]);
  if (!content) throw Error{ExitCode::usage, content.error()};
  const auto tokens = oar::read_tokens(*content);
  if (!tokens) throw Error{ExitCode::usage, fmt::format("{}: {}", call.arguments[1], tokens.error())};
  auto database = open_database(call);
  int kept = 0;
  store::transact(database, std::nullopt, [&](store::Transaction& transaction) {
    kept = 0;
    const auto now = store::now(transaction);
    const auto cluster = known_cluster(transaction, call.arguments[0]);
    if (cluster.authentication != "token")
      throw Error{ExitCode::refused, fmt::format("{0} wants no token of each user: 'gridctl cluster edit {0} --auth token'", cluster.name)};
    for (const auto& token : *tokens) {
      if (!grid::is_login(token.user))
        throw Error{ExitCode::usage, fmt::format("{}: a token is of a user whose name is no login of OAR", call.arguments[1])};
      for (const auto& user : store::users_of_login(transaction, cluster.id, token.user)) {
        auto sealed = ring.seal(token.text, {.user = user, .cluster = cluster.id});
        store::put_token(transaction,
                         {.owner = {.user = user, .cluster = cluster.id},
                          .login = token.user,
                          .sealed = std::move(sealed.text),
                          .key_name = std::move(sealed.key_name),
                          .fingerprint = secrets::fingerprint(token.text),
                          .expires_at = token.ends_at},
                         std::nullopt, now);
        store::note_act(transaction, {.name = clients::our_name(), .origin = "gridctl"},
                        {.name = "token imported", .subject = fmt::format("token of {} for {}", user, cluster.name)}, now);
        ++kept;
      }
    }
    store::wake_up(transaction);
  });
  call.output.report(fmt::format("gridctl: {} kept for {}: delete {}", kept == 1 ? "1 token is" : fmt::format("{} tokens are", kept),
                                 call.arguments[0], call.arguments[1]));
  return ExitCode::ok;
}

process::Outcome token_list(const Call& call) {
  auto database = open_database(call);
  auto transaction = database.begin();
  Table table{{{"user", "User"},
               {"cluster", "Cluster"},
               {"login", "As"},
               {"fingerprint", "Fingerprint"},
               {"expires", "Expires"},
               {"last_used", "Last used"},
               {"refused", "Refused"},
               {"unreadable", "Unreadable", Align::left, Shrink::when_needed},
               {"renewal_error", "Not renewed", Align::left, Shrink::when_needed}},
              {},
              "No user has given a token: gridtoken add CLUSTER"};
  std::vector<std::string> names;
  for (const auto& token : store::shown_tokens(transaction, std::nullopt)) {
    table.rows.push_back({Cell{token.user}, Cell{token.cluster_name}, Cell{token.login}, Cell{token.fingerprint},
                          time_of(token.expires_at, call.context.now), time_of(token.taken_at, call.context.now),
                          time_of(token.refused_at, call.context.now), Cell{token.unreadable}, Cell{token.renewal_error}});
    names.push_back(token.user);
  }
  call.output.show({.table = table, .ids = names});
  return ExitCode::ok;
}

process::Outcome token_delete(const Call& call) {
  auto database = open_database(call);
  store::transact(database, std::nullopt, [&](store::Transaction& transaction) {
    const auto now = store::now(transaction);
    const auto& user = call.arguments[1];
    const auto cluster = known_cluster(transaction, call.arguments[0]);
    if (!store::remove_token(transaction, {.user = user, .cluster = cluster.id}, now))
      throw Error{ExitCode::not_found, fmt::format("{} has no token for {}: 'gridctl token list' has them all", user, cluster.name)};
    store::note_act(transaction, {.name = clients::our_name(), .origin = "gridctl"},
                    {.name = "token deleted", .subject = fmt::format("token of {} for {}", user, cluster.name)}, now);
  });
  call.output.report(fmt::format("gridctl: the token of {} for {} is deleted", call.arguments[1], call.arguments[0]));
  return ExitCode::ok;
}

}  // namespace gleaner::gridctl
