#include "lib/administration/limits.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "lib/decisions/decision.hpp"
#include "lib/grid/needs.hpp"
#include "lib/process/values.hpp"
#include "lib/store/campaigns.hpp"
#include "lib/store/clusters.hpp"
#include "lib/store/policies.hpp"
#include "lib/text/numbers.hpp"
#include "lib/text/suggest.hpp"

namespace gleaner::administration {
namespace {

using Kind = Refusal::Kind;

constexpr std::string_view kEach{"each"};

tl::unexpected<Refusal> wrong(std::string message) { return tl::unexpected{Refusal{Kind::wrong_value, std::move(message)}}; }

const std::optional<std::string>& named(const WrittenLimit& written, grid::LimitEach each) {
  switch (each) {
    case grid::LimitEach::user: return written.user;
    case grid::LimitEach::project: return written.project;
    case grid::LimitEach::campaign: break;
  }
  return written.campaign;
}

/// The one of user, project and campaign that is `each`.
Declared<std::optional<grid::LimitEach>> each_of(const WrittenLimit& written, Spelling spelling) {
  std::optional<grid::LimitEach> found;
  for (const auto each : grid::kLimitEach) {
    if (named(written, each) != kEach) continue;
    if (found)
      return wrong(fmt::format("{0}{1}=each and {0}{2}=each: only one of them can be each; name the {1}, or the {2}, or set two limits",
                               spelling.prefix, grid::name_of(*found), grid::name_of(each)));
    found = each;
  }
  if (written.group == kEach)
    return wrong(
        fmt::format("{0}group=each: a user may be in several groups; write user each, project each or campaign each", spelling.prefix));
  if (found && *found != grid::LimitEach::campaign && written.campaign)
    return wrong(fmt::format("{0}{1}=each and {0}campaign={2}: a campaign has only one {1}; leave one of them out", spelling.prefix,
                             grid::name_of(*found), *written.campaign));
  return found;
}

Declared<grid::LimitKind> kind_of(const WrittenLimit& written) {
  if (const auto kind = grid::limit_kind(written.kind)) return *kind;
  const auto& names = grid::limit_kind_names();
  return wrong(
      fmt::format("'{}' is not a kind of limit: {}{}", written.kind, fmt::join(names, ", "), text::did_you_mean(written.kind, names)));
}

/// The time after which the jobs of a silent cluster do not count.
Declared<std::optional<std::chrono::seconds>> silence_of(const WrittenLimit& written, grid::LimitKind kind, Spelling spelling) {
  if (!written.silent) return std::nullopt;
  if (kind == grid::LimitKind::resource_seconds)
    return wrong(fmt::format("{0}silent and resource_seconds: what jobs have used remains used; leave {0}silent out", spelling.prefix));
  const auto read = process::parse_duration(*written.silent);
  const auto seconds = read ? std::chrono::duration_cast<std::chrono::seconds>(*read) : std::chrono::seconds{};
  if (seconds < std::chrono::seconds{1} || seconds > std::chrono::hours{24 * 365})
    return wrong(fmt::format("{}silent={}: must be a time such as 30m, from a second to a year", spelling.prefix, *written.silent));
  return seconds;
}

Declared<int> days_of(const WrittenLimit& written, grid::LimitKind kind, Spelling spelling) {
  if (!written.days) return grid::Limit{}.days;
  if (kind != grid::LimitKind::resource_seconds)
    return wrong(fmt::format("{}days is for resource_seconds; {} is counted now", spelling.prefix, grid::name_of(kind)));
  constexpr int kMostDays = 3650;
  if (const auto read = text::whole_number(*written.days, 1, kMostDays)) return *read;
  return wrong(fmt::format("'{}' is not a number of days: a whole number from 1 to {} is needed", *written.days, kMostDays));
}

/// Sets whom it holds, but for the cluster.
Declared<void> read_target(const WrittenLimit& written, grid::Limit& limit) {
  const auto name_of = [&](grid::LimitEach each) { return limit.each == each ? std::nullopt : named(written, each); };
  limit.user = name_of(grid::LimitEach::user);
  limit.group = written.group;
  limit.project = name_of(grid::LimitEach::project);
  if (const auto id = name_of(grid::LimitEach::campaign)) {
    constexpr std::int64_t kMostId = 2'000'000'000;
    const auto read = text::whole_number(*id, std::int64_t{1}, kMostId);
    if (!read) return wrong(fmt::format("'{}' is not the id of a campaign: a whole number from 1 to {} is needed", *id, kMostId));
    limit.campaign = grid::CampaignId{*read};
  }
  return {};
}

}  // namespace

Declared<AskedLimit> asked_limit(const WrittenLimit& written, Spelling spelling) {
  const auto kind = kind_of(written);
  if (!kind) return tl::unexpected{kind.error()};
  const bool counts_consumable = *kind == grid::LimitKind::consumable;
  if (counts_consumable ? !grid::is_consumable_name(written.consumable) : !written.consumable.empty())
    return wrong(
        counts_consumable
            ? fmt::format("'{}' is no name of a consumable: letters, digits, '_', '-', '.' and ':', 64 at most", written.consumable)
            : fmt::format("{}consumable={}: only a limit of the kind consumable names one", spelling.prefix, written.consumable));
  const auto most = text::real_number(written.most);
  if (!most || *most < 0) return wrong(fmt::format("'{}' is not a limit: a number, 0 or more, is needed", written.most));
  const auto days = days_of(written, *kind, spelling);
  if (!days) return tl::unexpected{days.error()};
  const auto silent = silence_of(written, *kind, spelling);
  if (!silent) return tl::unexpected{silent.error()};
  const auto each = each_of(written, spelling);
  if (!each) return tl::unexpected{each.error()};
  AskedLimit asked{
      .limit = {.kind = *kind, .most = *most, .days = *days, .consumable = written.consumable, .each = *each, .silent = *silent},
      .cluster = written.cluster};
  if (const auto target = read_target(written, asked.limit); !target) return tl::unexpected{target.error()};
  return asked;
}

Declared<grid::ClusterId> cluster_named(store::Transaction& transaction, const std::string& name) {
  const auto clusters = store::clusters(transaction);
  std::vector<std::string_view> names;
  for (const auto& cluster : clusters) {
    if (cluster.name == name) return cluster.id;
    names.push_back(cluster.name);
  }
  return tl::unexpected{Refusal{Kind::no_cluster, fmt::format("there is no cluster '{}'{}", name, text::did_you_mean(name, names))}};
}

Declared<std::int64_t> set_limit(store::Transaction& transaction, AskedLimit asked) {
  auto& limit = asked.limit;
  if (limit.campaign && !store::campaign_owner(transaction, *limit.campaign))
    return tl::unexpected{Refusal{Kind::no_campaign, fmt::format("there is no campaign {}", limit.campaign->value())}};
  if (asked.cluster) {
    const auto cluster = cluster_named(transaction, *asked.cluster);
    if (!cluster) return tl::unexpected{cluster.error()};
    limit.cluster = *cluster;
  }
  return store::set_limit(transaction, limit);
}

Declared<void> remove_limit(store::Transaction& transaction, std::int64_t id) {
  if (store::remove_limit(transaction, id)) return {};
  return tl::unexpected{Refusal{Kind::no_limit, fmt::format("there is no limit {}", id)}};
}

std::string holds(const grid::Limit& limit) {
  std::vector<std::string> parts;
  if (!limit.consumable.empty()) parts.push_back(fmt::format("consumable {}", limit.consumable));
  if (limit.each) parts.push_back(fmt::format("each {}", grid::name_of(*limit.each)));
  if (limit.user) parts.push_back(fmt::format("user {}", *limit.user));
  if (limit.group) parts.push_back(fmt::format("group {}", *limit.group));
  if (limit.project) parts.push_back(fmt::format("project {}", *limit.project));
  if (limit.campaign) parts.push_back(fmt::format("campaign {}", limit.campaign->value()));
  if (limit.cluster) parts.push_back(fmt::format("cluster {}", limit.cluster_name));
  const auto whom = parts.empty() ? "the whole grid" : fmt::format("{}", fmt::join(parts, ", "));
  return limit.silent ? fmt::format("{}; not clusters silent for {}", whom, process::format_duration(*limit.silent)) : whom;
}

std::map<std::int64_t, std::int64_t> stopped_campaigns(store::Transaction& transaction, const std::optional<std::string>& user) {
  return store::stopped_by_limits(transaction, decisions::reason::LimitReached::kName, user);
}

GreatestUse greatest_use(const grid::Limit& limit) {
  const auto most = std::ranges::max_element(limit.used_by, {}, [](const auto& one) { return one.second; });
  if (!limit.each || most == limit.used_by.end()) return {.used = std::round(limit.used)};
  return {.used = std::round(most->second), .by = most->first};
}

}  // namespace gleaner::administration
