// The priorities that administrators give to users, projects and unix groups.
#include <fmt/format.h>

#include <string_view>

#include "clients/gridctl/commands.hpp"
#include "lib/grid/campaign_priority.hpp"
#include "lib/store/policies.hpp"
#include "lib/text/numbers.hpp"

namespace gleaner::gridctl {
namespace {

/// Reads the second argument, and stores the priority of the first.
template <class Store>
void give_priority(const Call& call, Store&& store) {
  const auto& text = call.arguments[1];
  const auto priority = text::whole_number(text, 1, grid::kLowestPriority);
  if (!priority)
    throw process::Error{process::ExitCode::usage,
                         fmt::format("'{}' is not a priority, 1 the highest and 7 the lowest: a whole number from 1 to 7 is needed", text)};
  if (call.arguments[0].empty())
    throw process::Error{process::ExitCode::usage, "the name is empty: name the one that gets the priority, such as physics"};
  auto database = open_database(call);
  store::transact(database, std::nullopt, [&](store::Transaction& transaction) { store(transaction, call.arguments[0], *priority); });
}

constexpr std::string_view kWhere{"by the class 'priority' of campaign_order, in the ticket draw, and as a factor of multifactor"};

}  // namespace

process::Outcome user_priority(const Call& call) {
  give_priority(call, store::set_user_priority);
  call.output.report(fmt::format("gridctl: user {} has priority {} in the ticket draw", call.arguments[0], call.arguments[1]));
  return process::ExitCode::ok;
}

process::Outcome project_priority(const Call& call) {
  give_priority(call, store::set_project_priority);
  call.output.report(fmt::format("gridctl: project {} has priority {}: {}", call.arguments[0], call.arguments[1], kWhere));
  return process::ExitCode::ok;
}

process::Outcome group_priority(const Call& call) {
  give_priority(call, store::set_group_priority);
  call.output.report(fmt::format("gridctl: group {} has priority {}: {}", call.arguments[0], call.arguments[1], kWhere));
  return process::ExitCode::ok;
}

process::Outcome priority_list(const Call& call) {
  auto database = open_database(call);
  auto transaction = database.begin();
  grid::PolicyFacts facts;
  store::read_declared_priorities(transaction, facts);
  terminal::Table table{{{"of", "Of"},
                         {"name", "Name", terminal::Align::left, terminal::Shrink::when_needed},
                         {"priority", "Priority", terminal::Align::right}},
                        {},
                        "There are no priorities: all users, projects and groups count alike."};
  const auto add = [&](std::string_view holder, const std::string& name, int priority) {
    table.rows.push_back({terminal::Cell{std::string{holder}}, terminal::Cell{name}, terminal::Cell{priority}});
  };
  for (const auto& one : store::user_priorities(transaction)) add("user", one.user, one.priority);
  for (const auto& one : facts.project_priorities) add("project", one.name, one.priority);
  for (const auto& one : facts.group_priorities) add("group", one.name, one.priority);
  call.output.show({.table = table});
  return process::ExitCode::ok;
}

}  // namespace gleaner::gridctl
