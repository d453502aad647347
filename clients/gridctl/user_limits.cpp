// Limits of submissions for one user, in place of the configured ones.
#include "lib/store/user_limits.hpp"

#include <fmt/format.h>

#include "clients/asked.hpp"
#include "clients/gridctl/commands.hpp"
#include "lib/process/values.hpp"
#include "lib/store/clock.hpp"
#include "lib/text/numbers.hpp"

namespace gleaner::gridctl {
namespace {

using process::Error;
using process::ExitCode;
using terminal::Align;
using terminal::Cell;
using terminal::Table;

constexpr std::string_view kDefault = "default";

/// The value of an option. Empty: `default`.
std::optional<std::int64_t> read_limit(const std::string& name, const std::string& text) {
  if (text == kDefault) return std::nullopt;
  const auto value = name == "submission" ? process::parse_size(text) : [&]() -> std::optional<std::uint64_t> {
    const auto whole = text::whole_number<int>(text, 0);
    return whole ? std::optional{static_cast<std::uint64_t>(*whole)} : std::nullopt;
  }();
  if (value) return static_cast<std::int64_t>(*value);
  throw Error{ExitCode::usage, fmt::format("--{}={}: {} is needed, or default", name, text,
                                           name == "submission" ? "a size such as 64M or 4G" : "a whole number")};
}

void take_option(const Call& call, const std::string& name, std::optional<std::int64_t>& into) {
  if (const auto text = call.value(name)) into = read_limit(name, *text);
}

Cell number_cell(const std::optional<std::int64_t>& limit) { return limit ? Cell{*limit} : Cell{{}, std::string{kDefault}}; }
Cell size_cell(const std::optional<std::int64_t>& limit) {
  return limit ? Cell{*limit, process::format_size(static_cast<std::uint64_t>(*limit))} : Cell{{}, std::string{kDefault}};
}

}  // namespace

process::Outcome user_limit(const Call& call) {
  const auto& user = call.arguments[0];
  if (user.empty()) throw Error{ExitCode::usage, "a user has a name"};
  if (!call.value("campaigns") && !call.value("tasks") && !call.value("submission"))
    throw Error{ExitCode::usage, "say which limit: --campaigns, --tasks or --submission, each a number or `default`"};
  auto database = open_database(call);
  store::UserLimits limits;
  store::transact(database, std::nullopt, [&](store::Transaction& transaction) {
    limits = store::limits_of_user(transaction, user).limits;
    take_option(call, "campaigns", limits.campaigns);
    take_option(call, "tasks", limits.tasks);
    take_option(call, "submission", limits.submission);
    store::set_user_limits(transaction, user, limits, clients::our_name(), store::now(transaction));
  });
  const auto shown = [](const std::optional<std::int64_t>& limit) { return limit ? std::to_string(*limit) : std::string{kDefault}; };
  call.output.report(fmt::format(
      "gridctl: {} may have {} campaigns, {} tasks in each, and send {} at once", user, shown(limits.campaigns), shown(limits.tasks),
      limits.submission ? process::format_size(static_cast<std::uint64_t>(*limits.submission)) : std::string{kDefault}));
  return ExitCode::ok;
}

process::Outcome user_list_limits(const Call& call) {
  auto database = open_database(call);
  auto transaction = database.begin();
  Table table{{{"user", "User"},
               {"campaigns", "Campaigns", Align::right},
               {"tasks", "Tasks", Align::right},
               {"submission", "Submission", Align::right},
               {"by", "By"}},
              {},
              "No user has limits of their own: those of the configuration hold."};
  std::vector<std::string> names;
  for (const auto& user : store::user_limits(transaction)) {
    table.rows.push_back({Cell{user.user}, number_cell(user.limits.campaigns), number_cell(user.limits.tasks),
                          size_cell(user.limits.submission), Cell{user.changed_by}});
    names.push_back(user.user);
  }
  call.output.show({.table = table, .ids = names});
  return ExitCode::ok;
}

}  // namespace gleaner::gridctl
