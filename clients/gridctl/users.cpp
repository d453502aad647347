// Logins of users on clusters, where they differ.
#include <fmt/format.h>

#include "clients/gridctl/commands.hpp"
#include "lib/store/clusters.hpp"

namespace gleaner::gridctl {

using process::Error;
using process::ExitCode;
using terminal::Align;
using terminal::Cell;
using terminal::Shrink;
using terminal::Table;

process::Outcome user_map(const Call& call) {
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
