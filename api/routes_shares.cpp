// Routes of what administrators declare: the tree of shares, limits, affinities. Ordinary users get what is theirs.
#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "api/limits.hpp"
#include "api/page.hpp"
#include "api/router.hpp"
#include "lib/administration/limits.hpp"
#include "lib/administration/shares.hpp"
#include "lib/intake/groups.hpp"
#include "lib/store/policies.hpp"

namespace gleaner::api {
namespace {

using administration::ShareInUse;

constexpr std::uint64_t kBytesOfDeclared = 2000;  // of memory, for an item of these lists

bool sees_all(const Call& call) { return call.caller.role == Role::administrator; }

void write_share(text::JsonWriter& json, const administration::SharesInUse& shares, const ShareInUse& one) {
  json.object([&] {
    json.field("id", one.id);
    json.field("path", one.path);
    json.field("name", one.node.name);
    json.field("kind", administration::kind_of(one.node));
    json.field("parent", one.node.parent < 0 ? std::nullopt : std::optional{shares.nodes[static_cast<std::size_t>(one.node.parent)].path});
    json.field("shares", one.node.shares);
    json.field("of_level", one.of_level);
    json.field("part", one.part);
    json.field("used_part", one.used_part);
    json.field("usage", one.node.usage);
    json.field("priority", one.priority);
  });
}

/// The use of everybody together is for administrators.
http::Response list_shares(const Call& call) {
  const auto part = window(call);
  if (!part) return part.error();
  auto memory = take_memory(call, static_cast<std::uint64_t>(part->limit) * kBytesOfDeclared);
  if (!memory) return memory.error();
  const auto shares = call.connections.read(
      [&](store::Transaction& transaction) { return administration::shares_in_use(transaction, call.config, call.now); });
  const auto own = administration::nodes_of_user(shares, call.caller.user);
  std::vector<const ShareInUse*> seen;
  for (std::size_t i = 0; i < shares.nodes.size(); ++i) {
    if (sees_all(call) || own[i]) seen.push_back(&shares.nodes[i]);
  }
  const auto page = page_of(seen, *part);
  text::JsonWriter json;
  json.object([&] {
    json.key("items").array(page, [&](const ShareInUse* one) { write_share(json, shares, *one); });
    json.field("window_days", call.config.fairshare_window);
    json.field("decay", call.config.fairshare_decay);
    json.field("usage_rule", call.config.fairshare_usage);
    json.field("campaign_order", call.config.campaign_order);
    json.field("usage", sees_all(call) ? std::optional{shares.usage} : std::nullopt);
    json.field("outside", sees_all(call) ? std::optional{shares.outside} : std::nullopt);
    json.field("resources", shares.resources);
    write_page_end(json, call, {.window = *part, .shown = std::ssize(page), .total = std::ssize(seen), .parent = "/"});
  });
  return with_memory(answer(json), std::move(*memory));
}

/// Which limits may hold work of a caller who is no administrator.
struct OwnNames {
  std::string user;
  std::set<std::string, std::less<>> projects, groups, campaigns;
};

OwnNames names_of_caller(const Call& call, store::Transaction& transaction, const std::vector<grid::Limit>& limits) {
  OwnNames own{.user = call.caller.user, .projects = {}, .groups = {}, .campaigns = {}};
  for (const auto& name : store::projects_of(transaction, own.user)) own.projects.insert(name);
  for (const auto& working : store::working_users(transaction)) {
    if (working.user == own.user && !working.project.empty()) own.projects.insert(working.project);
  }
  // The name service may be far away. Where it does not answer, nothing of groups is shown.
  if (std::ranges::any_of(limits, [](const grid::Limit& limit) { return limit.group.has_value(); })) {
    if (const auto groups = intake::groups_of(own.user)) own.groups.insert(groups->begin(), groups->end());
  }
  const auto note_campaign = [&](grid::CampaignId id) {
    const auto owner = store::views::owner(transaction, {.campaign = id.value()});
    if (owner && owner->user == own.user) own.campaigns.insert(fmt::format("{}", id.value()));
  };
  for (const auto& limit : limits) {
    if (limit.campaign) note_campaign(*limit.campaign);
  }
  if (std::ranges::any_of(limits, [](const grid::Limit& limit) { return limit.each == grid::LimitEach::campaign; })) {
    for (const auto id : store::working_campaigns(transaction, own.user)) own.campaigns.insert(fmt::format("{}", id.value()));
  }
  return own;
}

bool may_hold(const grid::Limit& limit, const OwnNames& own) {
  return (!limit.user || *limit.user == own.user) && (!limit.group || own.groups.contains(*limit.group)) &&
         (!limit.project || own.projects.contains(*limit.project)) &&
         (!limit.campaign || own.campaigns.contains(fmt::format("{}", limit.campaign->value())));
}

/// Leaves of those who have the limit each only the caller's own.
void keep_own(grid::Limit& limit, const OwnNames& own) {
  if (!limit.each) return;
  std::erase_if(limit.used_by, [&](const auto& one) {
    switch (*limit.each) {
      case grid::LimitEach::user: return one.first != own.user;
      case grid::LimitEach::project: return !own.projects.contains(one.first);
      case grid::LimitEach::campaign: break;
    }
    return !own.campaigns.contains(one.first);
  });
  limit.used = 0.0;
  for (const auto& [name, used] : limit.used_by) limit.used = std::max(limit.used, used);
}

void write_holders(text::JsonWriter& json, const grid::Limit& limit) {
  constexpr std::size_t kMostHolders = 20;
  std::vector<std::pair<std::string, double>> holders{limit.used_by.begin(), limit.used_by.end()};
  std::ranges::stable_sort(holders, std::greater{}, [](const auto& one) { return one.second; });
  if (holders.size() > kMostHolders) holders.resize(kMostHolders);
  json.key("used_by").array(limit.each ? holders : decltype(holders){}, [&](const auto& one) {
    json.object([&] {
      json.field("name", one.first);
      json.field("used", one.second);
    });
  });
}

void write_limit(text::JsonWriter& json, const grid::Limit& limit, std::int64_t stops) {
  json.object([&] {
    json.field("id", limit.id);
    json.field("kind", grid::name_of(limit.kind));
    json.field("holds", administration::holds(limit));
    json.field("most", limit.most);
    json.field("used", limit.used);
    json.field("days", limit.kind == grid::LimitKind::resource_seconds ? std::optional{limit.days} : std::nullopt);
    json.field("consumable", limit.consumable.empty() ? std::nullopt : std::optional{limit.consumable});
    json.field("each", limit.each ? std::optional{grid::name_of(*limit.each)} : std::nullopt);
    json.field("user", limit.user);
    json.field("group", limit.group);
    json.field("project", limit.project);
    json.field("campaign_id", limit.campaign);
    json.field("cluster_name", limit.cluster ? std::optional{limit.cluster_name} : std::nullopt);
    json.field("silent", limit.silent ? std::optional{limit.silent->count()} : std::nullopt);
    json.field("stops", stops);
    write_holders(json, limit);
  });
}

http::Response list_limits(const Call& call) {
  const auto part = window(call);
  if (!part) return part.error();
  auto memory = take_memory(call, static_cast<std::uint64_t>(part->limit) * kBytesOfDeclared);
  if (!memory) return memory.error();
  std::map<std::int64_t, std::int64_t> stopped;
  const auto limits = call.connections.read([&](store::Transaction& transaction) {
    auto all = store::limits(transaction, call.now);
    stopped = administration::stopped_campaigns(transaction, sees_all(call) ? std::nullopt : std::optional{call.caller.user});
    if (sees_all(call)) return all;
    const auto own = names_of_caller(call, transaction, all);
    std::erase_if(all, [&](const grid::Limit& limit) { return !may_hold(limit, own); });
    for (auto& limit : all) keep_own(limit, own);
    return all;
  });
  const auto page = page_of(limits, *part);
  text::JsonWriter json;
  json.object([&] {
    json.key("items").array(
        page, [&](const grid::Limit& limit) { write_limit(json, limit, stopped.contains(limit.id) ? stopped.at(limit.id) : 0); });
    write_page_end(json, call, {.window = *part, .shown = std::ssize(page), .total = std::ssize(limits), .parent = "/"});
  });
  return with_memory(answer(json), std::move(*memory));
}

http::Response list_affinities(const Call& call) {
  const auto part = window(call);
  if (!part) return part.error();
  auto memory = take_memory(call, static_cast<std::uint64_t>(part->limit) * kBytesOfDeclared);
  if (!memory) return memory.error();
  auto affinities = call.connections.read([](store::Transaction& transaction) { return store::affinities(transaction); });
  if (!sees_all(call)) std::erase_if(affinities, [&](const grid::Affinity& one) { return one.user != call.caller.user; });
  const auto page = page_of(affinities, *part);
  text::JsonWriter json;
  json.object([&] {
    json.key("items").array(page, [&](const grid::Affinity& one) {
      json.object([&] {
        json.field("user", one.user);
        json.field("cluster_id", one.cluster);
        json.field("cluster_name", one.cluster_name);
      });
    });
    write_page_end(json, call, {.window = *part, .shown = std::ssize(page), .total = std::ssize(affinities), .parent = "/"});
  });
  return with_memory(answer(json), std::move(*memory));
}

}  // namespace

std::span<const Route> share_routes() {
  static constexpr std::array kRoutes{
      Route{"GET", "/v1/shares", Access::identified, list_shares, "limit offset"},
      Route{"GET", "/v1/limits", Access::identified, list_limits, "limit offset"},
      Route{"GET", "/v1/affinities", Access::identified, list_affinities, "limit offset"},
  };
  return kRoutes;
}

}  // namespace gleaner::api
