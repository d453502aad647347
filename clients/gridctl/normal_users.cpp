// Users who may submit jobs that are not best-effort: the list that the shipped admission rule reads.
#include <fmt/format.h>

#include "clients/asked.hpp"
#include "clients/gridctl/commands.hpp"
#include "lib/store/clock.hpp"
#include "lib/store/rules.hpp"

namespace gleaner::gridctl {
namespace {

using process::Error;
using process::ExitCode;
using terminal::Cell;
using terminal::Table;

std::string place_of(const Call& call) { return call.arguments.size() > 1 ? "on " + call.arguments[1] : std::string{"on every cluster"}; }

std::optional<grid::ClusterId> cluster_of(const Call& call, store::Transaction& transaction) {
  if (call.arguments.size() < 2) return std::nullopt;
  return known_cluster(transaction, call.arguments[1]).id;
}

}  // namespace

process::Outcome user_allow_normal(const Call& call) {
  const auto& user = call.arguments[0];
  if (user.empty()) throw Error{ExitCode::usage, "a user has a name"};
  auto database = open_database(call);
  store::transact(database, std::nullopt, [&](store::Transaction& transaction) {
    store::allow_normal(transaction, user, cluster_of(call, transaction), {clients::our_name(), store::now(transaction)});
  });
  call.output.report(fmt::format("gridctl: {} may submit normal jobs {}", user, place_of(call)));
  return ExitCode::ok;
}

process::Outcome user_forbid_normal(const Call& call) {
  const auto& user = call.arguments[0];
  auto database = open_database(call);
  store::transact(database, std::nullopt, [&](store::Transaction& transaction) {
    if (!store::forbid_normal(transaction, user, cluster_of(call, transaction)))
      throw Error{ExitCode::not_found, fmt::format("{} was not listed {}; 'gridctl user list-normal' has them all", user, place_of(call))};
  });
  call.output.report(fmt::format("gridctl: {} is no longer listed {}; submitted campaigns continue", user, place_of(call)));
  return ExitCode::ok;
}

process::Outcome user_list_normal(const Call& call) {
  auto database = open_database(call);
  auto transaction = database.begin();
  Table table{{{"user", "User"}, {"cluster", "Cluster"}}, {}, "No user may submit normal jobs."};
  std::vector<std::string> names;
  for (const auto& user : store::normal_users(transaction)) {
    table.rows.push_back({Cell{user.name}, user.cluster ? Cell{*user.cluster} : Cell{{}, "every"}});
    names.push_back(user.name);
  }
  call.output.show({.table = table, .ids = names});
  return ExitCode::ok;
}

}  // namespace gleaner::gridctl
