// Resources of clusters that are kept for some campaigns.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "clients/gridctl/commands.hpp"
#include "lib/grid/keep.hpp"
#include "lib/grid/states.hpp"
#include "lib/process/values.hpp"
#include "lib/store/campaigns.hpp"
#include "lib/store/clock.hpp"
#include "lib/store/clusters.hpp"
#include "lib/store/policies.hpp"
#include "lib/text/numbers.hpp"
#include "lib/text/suggest.hpp"
#include "lib/text/utc.hpp"

namespace gleaner::gridctl {
namespace {

using process::Error;
using process::ExitCode;
using terminal::Align;
using terminal::Cell;
using terminal::Shrink;
using terminal::Table;

constexpr std::size_t kLongestNameOfKeep = 64;

std::string name_of(const Call& call) {
  const auto& name = call.arguments[0];
  const bool fits = !name.empty() && name.size() <= kLongestNameOfKeep && std::ranges::all_of(name, [](unsigned char one) {
    return std::isalnum(one) != 0 || one == '_' || one == '-' || one == '.';
  });
  if (!fits)
    throw Error{ExitCode::usage,
                fmt::format("'{}' is no name of a keep: letters, digits, '_', '-' and '.', {} at most", name, kLongestNameOfKeep)};
  return name;
}

std::string needed(const Call& call, const std::string& option, std::string_view what) {
  auto value = call.value(option);
  if (!value) throw Error{ExitCode::usage, fmt::format("--{} is needed: {}", option, what)};
  return *value;
}

grid::Instant instant_of(const std::string& option, const std::string& text) {
  const auto read = text::read_utc(text);
  if (!read) throw Error{ExitCode::usage, fmt::format("--{}={}: must be a time such as 2026-12-01T08:00:00Z", option, text)};
  return *read;
}

std::int64_t age_of(const std::string& text) {
  const auto read = process::parse_duration(text);
  const auto seconds = read ? std::chrono::duration_cast<grid::Seconds>(*read).count() : 0;
  constexpr std::int64_t kLongest = std::int64_t{36500} * 86400;
  if (seconds < 1 || seconds > kLongest)
    throw Error{ExitCode::usage, fmt::format("--new-users={}: must be a time such as 30d or 12h, at least a second", text)};
  return seconds;
}

/// @return a note on a campaign that is over; empty: none
std::string read_campaign(const std::string& id, store::Transaction& transaction, grid::Keep& keep) {
  const auto read = text::whole_number<std::int64_t>(id, 1);
  if (!read) throw Error{ExitCode::usage, fmt::format("--campaign={}: must be the id of a campaign", id)};
  keep.campaign = grid::CampaignId{*read};
  const auto campaign = store::campaign_owner(transaction, *keep.campaign);
  if (!campaign) throw Error{ExitCode::not_found, fmt::format("there is no campaign {}", id)};
  if (campaign->state != grid::CampaignState::terminated && campaign->state != grid::CampaignState::cancelled) return {};
  return fmt::format(
      "campaign {} is {}: while the keep is active, others are kept from these resources, and no job uses them "
      "('gridctl keep remove {}')",
      id, grid::name_of(campaign->state), keep.name);
}

/// @return a note on whom it is kept for; empty: none
std::string read_whom(const Call& call, store::Transaction& transaction, grid::Keep& keep) {
  std::string note;
  keep.user = call.value("user");
  keep.group = call.value("group");
  keep.project = call.value("project");
  if (const auto type = call.value("type")) {
    keep.type = grid::campaign_type(*type);
    if (!keep.type) throw Error{ExitCode::usage, fmt::format("--type={}: must be test or default", *type)};
  }
  if (const auto age = call.value("new-users")) keep.new_users = age_of(*age);
  if (const auto id = call.value("campaign")) note = read_campaign(*id, transaction, keep);
  for (const auto& [option, text] : {std::pair{"user", keep.user}, std::pair{"project", keep.project}})
    if (text == "each")
      throw Error{ExitCode::usage, fmt::format("--{}=each: only limits may be for each; name one, or leave --{} out", option, option)};
  for (const auto& [option, text] : {std::pair{"user", keep.user}, std::pair{"group", keep.group}, std::pair{"project", keep.project}})
    if (text && text->empty()) throw Error{ExitCode::usage, fmt::format("--{} is empty: name one", option)};
  if (grid::whom_text(keep).empty())
    throw Error{ExitCode::usage,
                "for whom is it kept? Name one or more of --user, --group, --project, --type, --new-users and --campaign; what is kept "
                "for nobody of the grid is headroom ('gridctl cluster edit --headroom')"};
  return note;
}

void read_when(const Call& call, grid::Keep& keep) {
  if (const auto hours = call.value("hours")) {
    keep.hours = grid::day_hours(*hours);
    if (!keep.hours)
      throw Error{ExitCode::usage, fmt::format("--hours={}: must be hours of the day in UTC with an end that differs from the beginning, "
                                               "such as 08:00-18:00, or 22:00-06:00 past midnight",
                                               *hours)};
  }
  if (const auto from = call.value("from")) keep.from = instant_of("from", *from);
  if (const auto until = call.value("until")) keep.until = instant_of("until", *until);
  if (keep.from && keep.until && *keep.from >= *keep.until)
    throw Error{ExitCode::usage, fmt::format("--from={} is not before --until={}: the keep would never be active", text::utc(*keep.from),
                                             text::utc(*keep.until))};
  if (keep.until && *keep.until <= call.context.now)
    throw Error{ExitCode::usage, fmt::format("--until={} is over: the keep would never be active", text::utc(*keep.until))};
  if (!grid::next_begin(keep, call.context.now))
    throw Error{ExitCode::usage, fmt::format("none of the --hours={} is left before --until={}: the keep would never be active",
                                             keep.hours->text(), text::utc(*keep.until))};
}

grid::KeptPart part_of(const Call& call) {
  const auto text = needed(call, "resources", grid::kKeptPartForm);
  const auto part = grid::kept_part(text);
  if (!part) throw Error{ExitCode::usage, fmt::format("--resources={}: must be {}, and at least one resource", text, grid::kKeptPartForm)};
  return *part;
}

/// Reads the cluster. @return its resources, 0 if they are not known
int read_cluster(const Call& call, store::Transaction& transaction, grid::Keep& keep) {
  keep.cluster_name = needed(call, "cluster", "whose resources are kept");
  std::vector<std::string> names;
  for (const auto& cluster : store::clusters(transaction)) {
    if (cluster.name == keep.cluster_name) {
      keep.cluster = cluster.id;
      return cluster.max_resources;
    }
    names.push_back(cluster.name);
  }
  const std::vector<std::string_view> known{names.begin(), names.end()};
  throw Error{ExitCode::not_found,
              fmt::format("there is no cluster '{}'{}", keep.cluster_name, text::did_you_mean(keep.cluster_name, known))};
}

std::string when_text(const grid::Keep& keep) {
  std::string when;
  const auto add = [&](const std::string& part) { when += (when.empty() ? "" : ", ") + part; };
  if (keep.hours) add(fmt::format("{} UTC", keep.hours->text()));
  if (keep.from) add("from " + text::utc(*keep.from));
  if (keep.until) add("until " + text::utc(*keep.until));
  return when.empty() ? "always" : when;
}

std::string whom_of(const grid::Keep& keep) {
  auto whom = grid::whom_text(keep);
  if (keep.new_users) whom += fmt::format(" (first campaign less than {} ago)", grid::age_text(*keep.new_users));
  return whom;
}

std::string state_of(const grid::Keep& keep, grid::Instant now) {
  if (grid::is_active(keep, now)) {
    const auto end = grid::end_of(keep, now);
    return end ? fmt::format("active until {}", text::utc(*end)) : "active";
  }
  const auto begin = grid::next_begin(keep, now);
  return begin ? fmt::format("from {}", text::utc(*begin)) : "over";
}

}  // namespace

process::Outcome keep_set(const Call& call) {
  grid::Keep keep{.name = name_of(call)};
  keep.part = part_of(call);
  read_when(call, keep);
  auto database = open_database(call);
  store::transact(database, std::nullopt, [&](store::Transaction& transaction) {
    const int has = read_cluster(call, transaction, keep);
    const auto note = read_whom(call, transaction, keep);
    store::set_keep(transaction, keep);
    call.output.report(fmt::format("gridctl: {} resources of {} are kept for {}, {}", keep.part.text(), keep.cluster_name, whom_of(keep),
                                   when_text(keep)));
    if (!note.empty()) call.output.report("gridctl: note: " + note);
    if (has > 0 && keep.part.of(has) >= has)
      call.output.report(
          fmt::format("gridctl: note: {} has {} resources: others get none of them while the keep is active", keep.cluster_name, has));
  });
  return ExitCode::ok;
}

process::Outcome keep_list(const Call& call) {
  auto database = open_database(call);
  auto transaction = database.begin();
  const auto now = store::now(transaction);
  Table table{{{"name", "Name"},
               {"cluster", "Cluster"},
               {"kept", "Kept", Align::right},
               {"used", "In use", Align::right},
               {"for", "For", Align::left, Shrink::when_needed},
               {"when", "When", Align::left, Shrink::when_needed},
               {"state", "Now"}},
              {},
              "Nothing is kept."};
  std::vector<std::string> names;
  for (const auto& keep : store::used_keeps(transaction, now)) {
    table.rows.push_back({Cell{keep.name}, Cell{keep.cluster_name}, Cell{keep.part.text()}, Cell{std::round(keep.used)},
                          Cell{whom_of(keep)}, Cell{when_text(keep)}, Cell{state_of(keep, now)}});
    names.push_back(keep.name);
  }
  call.output.show({.table = table, .ids = names});
  return ExitCode::ok;
}

process::Outcome keep_remove(const Call& call) {
  auto database = open_database(call);
  store::transact(database, std::nullopt, [&](store::Transaction& transaction) {
    if (!store::remove_keep(transaction, call.arguments[0]))
      throw Error{ExitCode::not_found, fmt::format("there is no keep '{}' (gridctl keep list)", call.arguments[0])};
  });
  call.output.report(fmt::format("gridctl: keep '{}' is removed: what it kept is for everybody from the next cycle", call.arguments[0]));
  return ExitCode::ok;
}

}  // namespace gleaner::gridctl
