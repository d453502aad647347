// Logins of users on clusters, where they differ.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "clients/gridctl/commands.hpp"
#include "lib/intake/submitters.hpp"
#include "lib/store/clusters.hpp"

namespace gleaner::gridctl {

using process::Error;
using process::ExitCode;
using terminal::Align;
using terminal::Cell;
using terminal::Shrink;
using terminal::Table;

namespace {

void check_login(const Call& call, const std::string& login) {
  const bool is_plain = !login.empty() && login.size() <= 32 && std::ranges::all_of(login, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.';
  });
  if (!is_plain) throw Error{ExitCode::usage, fmt::format("'{}' is no login: letters, digits, '_', '-' and '.' are, up to 32", login)};
  if (call.has("insecure")) return;
  const auto refused = intake::why_refused(login, {call.context.config.refused_users, call.context.config.least_uid});
  if (!refused) throw Error{ExitCode::unavailable, fmt::format("{} cannot be looked up here ({})", login, refused.error())};
  if (*refused)
    throw Error{ExitCode::refused, fmt::format("{}: jobs of {} as {} could change the cluster itself; say --insecure to do it", **refused,
                                               call.arguments[0], login)};
}

}  // namespace

process::Outcome user_map(const Call& call) {
  check_login(call, call.arguments[2]);
  auto database = open_database(call);
  store::transact(database, std::nullopt, [&](store::Transaction& transaction) {
    const auto cluster = known_cluster(transaction, call.arguments[1]);
    store::map_user(transaction, call.arguments[0], cluster.id, call.arguments[2]);
    store::wake_up(transaction);
  });
  call.output.report(fmt::format("gridctl: {} is {} on {}", call.arguments[0], call.arguments[2], call.arguments[1]));
  return ExitCode::ok;
}

process::Outcome user_unmap(const Call& call) {
  const auto& user = call.arguments[0];
  auto database = open_database(call);
  store::transact(database, std::nullopt, [&](store::Transaction& transaction) {
    const auto cluster = known_cluster(transaction, call.arguments[1]);
    if (!store::unmap_user(transaction, user, cluster.id))
      throw Error{ExitCode::not_found,
                  fmt::format("{} has no login of another name on {}; 'gridctl user list' has them all", user, cluster.name)};
    store::wake_up(transaction);
  });
  call.output.report(fmt::format("gridctl: {} is {} on {} again", user, user, call.arguments[1]));
  return ExitCode::ok;
}

process::Outcome user_list(const Call& call) {
  auto database = open_database(call);
  auto transaction = database.begin();
  Table table{
      {{"user", "User", Align::left, Shrink::when_needed}, {"cluster", "Cluster"}, {"login", "Login", Align::left, Shrink::when_needed}},
      {},
      "Each user has one name on the grid and on all clusters."};
  std::vector<std::string> names;
  for (const auto& mapping : store::user_mappings(transaction)) {
    table.rows.push_back({Cell{mapping.user}, Cell{mapping.cluster}, Cell{mapping.login}});
    names.push_back(mapping.user);
  }
  call.output.show({.table = table, .ids = names});
  return ExitCode::ok;
}

}  // namespace gleaner::gridctl
