#include "lib/store/planning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <new>
#include <ranges>
#include <stdexcept>

#include "lib/grid/input_files.hpp"
#include "lib/store/batch.hpp"
#include "lib/store/dependencies.hpp"
#include "lib/store/detail.hpp"
#include "lib/store/events.hpp"
#include "lib/store/fields.hpp"
#include "lib/store/scripts.hpp"
#include "lib/store/tokens.hpp"

namespace gleaner::store {
namespace {

using detail::Array;
using detail::exec;
using detail::exec_prepared;
using detail::read_fields;

/// Tasks whose input files are on a cluster, of those given back: more are not counted. No plan gives a pair as many.
constexpr std::int64_t kMostReadyCounted = 20'000;

/// Adds the pairs of a campaign with what its JDL requests of each cluster, in the order of their ids. A cluster may have been added since
/// the clusters were read: it is left out.
void add_pairs(const grid::CampaignFacts& campaign, const std::string& requested, grid::PlanningFacts& facts) {
  const auto first = facts.pairs.size();
  sql::CompositeRows<sql::pair_requests> rows{requested};
  while (const auto row = rows.next()) {
    grid::PairFacts pair;
    pair.campaign = campaign.id;
    pair.login = campaign.user;
    if (campaign.differing) pair.fitting_tasks = 0;
    read_fields<grid::kAskedFields>(*row, pair);
    for (const auto id : detail::numbers_in(row->clusters.as<std::string>())) {
      pair.cluster = grid::ClusterId{id};
      if (std::ranges::binary_search(facts.clusters, pair.cluster, {}, &grid::ClusterFacts::id)) facts.pairs.push_back(pair);
    }
  }
  std::ranges::sort(std::span{facts.pairs}.subspan(first), {}, &grid::PairFacts::cluster);
}

/// Reads details of clusters, campaigns and pairs, and adds them to the facts, which are in the order of their ids. Rows without a match
/// are over, or new since.
class Details {
 public:
  Details(Transaction& transaction, grid::PlanningFacts& facts) : transaction_{transaction}, facts_{facts} {}

  void read_pairs() {
    for (const auto& row : exec_prepared(transaction_, sql::planning_pairs{})) {
      auto* const pair = find_pair(*row.campaign_id, *row.cluster_id);
      if (!pair) continue;
      read_fields<grid::kCountedFields>(row, *pair);
      pair->active = true;
    }
  }

  void read_obstacles(grid::Instant now) { read_obstacles(exec_prepared(transaction_, sql::planning_present{.now = now})[0], now); }

  void read_what_binds(grid::Instant now) {
    const auto rows = exec_prepared(transaction_, sql::planning_present{.now = now});
    const auto present = rows[0];
    if (*present.returned) read_returned();
    if (std::ranges::any_of(facts_.campaigns, [](const auto& campaign) { return campaign.on_hold_tasks > 0; })) read_holds();
    if (*present.groups) read_groups();
    if (*present.inputs) read_missing_inputs();
    read_obstacles(present, now);
    facts_.present = {.limits = *present.limits,
                      .keeps = *present.keeps,
                      .shares = *present.shares,
                      .priorities = *present.priorities,
                      .declared_priorities = *present.declared_priorities,
                      .set_aside = *present.set_aside,
                      .held = *present.held,
                      .freed = *present.freed};
    if (*present.properties) read_matching();
    if (std::ranges::any_of(facts_.campaigns, grid::is_grouped, &grid::CampaignFacts::grouping))
      read_tasks<sql::planning_unread>(&grid::PairFacts::unread_tasks);
    if (std::ranges::any_of(facts_.campaigns, &grid::CampaignFacts::differing))
      read_tasks<sql::planning_fitting>(&grid::PairFacts::fitting_tasks);
  }

 private:
  void read_obstacles(const auto& present, grid::Instant now) {
    if (*present.dependencies) read_awaited(transaction_, facts_.campaigns);
    if (*present.withheld) read_withheld();
    if (*present.brakes) read_brakes(now);
    if (*present.logins) read_logins();
    if (*present.tokens) read_tokens(now);
    if (*present.scripts) read_scripts(now);
    if (*present.memory) read_memory();
  }

  void read_memory() {
    for (const auto& row : exec_prepared(transaction_, sql::planning_memory{})) {
      if (auto* const pair = find_pair(*row.campaign_id, *row.cluster_id)) read_fields<grid::kMemoryFields>(row, *pair);
    }
  }

  void read_brakes(grid::Instant now) {
    for (const auto& row : exec(transaction_, sql::planning_brakes{.now = now})) {
      if (!*row.in_force) {
        if (auto* const pair = find_pair(*row.campaign_id, *row.cluster_id)) pair->last_brake = *row.reason;
      } else if (auto* const target = braked(row.campaign_id, row.cluster_id)) {
        *target = grid::Brake{.reason = *row.reason, .until = row.until};
      }
    }
  }

  void read_scripts(grid::Instant now) {
    facts_.scripts = script_pairs(transaction_, now);
    for (const auto& scripts : facts_.scripts) {
      auto* const pair = find_pair(scripts.campaign, scripts.cluster);
      if (!pair) continue;  // of a cancelled campaign
      pair->preparation = grid::preparation_of(scripts.facts);
      pair->awaits_epilogue = grid::awaits_epilogue(scripts.facts);
    }
  }

  template <class Things, class Id>
  static auto* find(Things& things, Id id) {
    const auto found = std::ranges::lower_bound(things, id, {}, [](const auto& thing) { return thing.id; });
    return found != things.end() && found->id == id ? &*found : nullptr;
  }
  void read_withheld() {
    for (const auto& row : exec_prepared(transaction_, sql::planning_withheld{})) {
      if (auto* const campaign = find(facts_.campaigns, row.campaign_id.as<grid::CampaignId>())) campaign->withheld_tasks = *row.tasks;
    }
  }

  grid::PairFacts* find_pair(grid::CampaignId campaign, grid::ClusterId cluster) {
    const auto id_of = [](const grid::PairFacts& pair) { return std::pair{pair.campaign, pair.cluster}; };
    const auto found = std::ranges::lower_bound(facts_.pairs, std::pair{campaign, cluster}, {}, id_of);
    return found != facts_.pairs.end() && id_of(*found) == std::pair{campaign, cluster} ? &*found : nullptr;
  }

  void read_returned() {
    for (const auto& row : exec_prepared(transaction_, sql::planning_returned{})) {
      const grid::CampaignId id = *row.campaign_id;
      if (auto* const campaign = find(facts_.campaigns, id)) campaign->waiting_tasks += row.tasks.as<std::int64_t>();
      if (!row.cluster_id.has_value()) continue;
      if (auto* const pair = find_pair(id, *row.cluster_id)) {
        pair->returned_tasks = *row.tasks;
        pair->following_tasks = *row.following;
        pair->fenced_tasks = *row.fenced;
        pair->home_tasks = *row.of_home;
      }
    }
  }

  void read_holds() {
    for (const auto& row : exec(transaction_, sql::planning_holds{})) {
      if (auto* const campaign = find(facts_.campaigns, row.id.as<grid::CampaignId>()))
        campaign->hold = grid::Hold{.by = *row.held_by, .since = *row.held_at};
    }
  }

  void read_groups() {
    for (const auto& row : exec(transaction_, sql::planning_groups{})) {
      if (auto* const campaign = find(facts_.campaigns, row.id.as<grid::CampaignId>())) campaign->groups.push_back(*row.group_name);
    }
  }

  void read_missing_inputs() {
    for (const auto& row : exec(transaction_, sql::planning_inputs{.piece = grid::kInputPiece, .most = kMostReadyCounted})) {
      if (auto* const pair = find_pair(*row.campaign_id, *row.cluster_id))
        pair->missing_inputs = {.bytes = *row.bytes, .mb_s = *row.mb_s, .ready = *row.ready};
    }
  }

  /// A number of tasks of each pair that the query names.
  template <class Query, class Number>
  void read_tasks(Number grid::PairFacts::*member) {
    for (const auto& row : exec_prepared(transaction_, Query{})) {
      if (auto* const pair = find_pair(*row.campaign_id, *row.cluster_id)) pair->*member = row.tasks.template as<std::int64_t>();
    }
  }

  std::optional<grid::Brake>* braked(std::optional<std::int64_t> campaign, std::optional<std::int64_t> cluster) {
    const auto brake_of = [](auto* thing) { return thing ? &thing->brake : nullptr; };
    if (!campaign) return brake_of(find(facts_.clusters, grid::ClusterId{*cluster}));
    if (!cluster) {
      auto* const target = brake_of(find(facts_.campaigns, grid::CampaignId{*campaign}));
      return target ? target : brake_of(find(facts_.unreadable, grid::CampaignId{*campaign}));
    }
    return brake_of(find_pair(grid::CampaignId{*campaign}, grid::ClusterId{*cluster}));
  }

  void read_logins() {
    std::map<std::pair<std::string, grid::ClusterId>, std::string> logins;
    for (const auto& row : exec_prepared(transaction_, sql::planning_logins{}))
      logins.emplace(std::pair{row.user_name.as<std::string>(), row.cluster_id.as<grid::ClusterId>()}, row.login.as<std::string>());
    for (auto& pair : facts_.pairs) {  // its login is its user's name yet
      if (const auto login = logins.find({pair.login, pair.cluster}); login != logins.end()) pair.login = login->second;
    }
  }

  void read_tokens(grid::Instant now) {
    for (const auto& row : exec_prepared(transaction_, sql::planning_tokens{.now = now, .refused_since = now - kTokenRetry})) {
      auto* const pair = find_pair(*row.campaign_id, *row.cluster_id);
      if (pair == nullptr) continue;
      const auto word = row.lack.as<std::string>();
      const auto* const fault = std::ranges::find(grid::kTokenFaults, word, [](grid::TokenFault one) { return grid::name_of(one); });
      pair->token_lack = grid::TokenLack{.fault = *fault, .since = row.since};
    }
  }

  void read_matching() {
    for (const auto& row : exec_prepared(transaction_, sql::matching_known{})) {
      auto* const pair = find_pair(*row.campaign_id, *row.cluster_id);
      if (!pair) continue;
      pair->has_properties = true;
      pair->matching_resources = row.matching_resources;
    }
  }

  Transaction& transaction_;
  grid::PlanningFacts& facts_;
};

using CampaignRows = detail::Rows<sql::planning_campaigns>;

/// The places of the rows, by the campaigns' ids.
std::vector<std::size_t> in_order_of_id(const CampaignRows& rows) {
  std::vector<std::pair<grid::CampaignId, std::size_t>> places;
  places.reserve(rows.size());
  for (std::size_t place = 0; place < rows.size(); ++place) places.emplace_back(rows[place].id.as<grid::CampaignId>(), place);
  std::ranges::sort(places);
  std::vector<std::size_t> sorted;
  sorted.reserve(places.size());
  std::ranges::copy(places | std::views::values, std::back_inserter(sorted));
  return sorted;
}

/// The campaign of a row, and its pairs; one that cannot be read is kept apart, and costs no other.
void add_campaign(const CampaignRows::Row& row, grid::PlanningFacts& facts) {
  const auto pairs = facts.pairs.size();
  try {
    grid::CampaignFacts campaign;
    read_fields<grid::kCampaignFields>(row, campaign);
    add_pairs(campaign, row.requested.as<std::string>(), facts);
    facts.campaigns.push_back(std::move(campaign));
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    facts.pairs.resize(pairs);
    facts.unreadable.push_back({*row.id, error.what(), {}});
  }
}

}  // namespace

std::vector<grid::ClusterFacts> planning_clusters(Transaction& transaction, const ClusterDefaults& defaults) {
  std::vector<grid::ClusterFacts> clusters;
  for (const auto& row : exec_prepared(transaction, sql::planning_clusters{.flood = defaults.flood,
                                                    .array_size = defaults.array_size,
                                                    .headroom = defaults.headroom.text(),
                                                    .availability = grid::name_of(defaults.availability)}))
    read_fields<grid::kClusterFields>(row, clusters.emplace_back());
  return clusters;
}

grid::PlanningFacts counted_facts(Transaction& transaction, const ClusterDefaults& defaults) {
  grid::PlanningFacts facts;
  facts.clusters = planning_clusters(transaction, defaults);
  const auto campaigns = exec_prepared(transaction, sql::planning_campaigns{});
  facts.campaigns.reserve(campaigns.size());
  facts.pairs.reserve(campaigns.size() * facts.clusters.size());
  for (const auto place : in_order_of_id(campaigns)) add_campaign(campaigns[place], facts);
  for (auto& pair : facts.pairs)
    grid::fit_to_nodes(pair, *std::ranges::lower_bound(facts.clusters, pair.cluster, {}, &grid::ClusterFacts::id));
  Details{transaction, facts}.read_pairs();
  return facts;
}

void read_obstacles(Transaction& transaction, grid::PlanningFacts& facts, grid::Instant now) {
  Details{transaction, facts}.read_obstacles(now);
}

grid::PlanningFacts planning_facts(Transaction& transaction, const ClusterDefaults& defaults, grid::Instant now) {
  auto facts = counted_facts(transaction, defaults);
  Details{transaction, facts}.read_what_binds(now);
  return facts;
}

namespace {

/// Cancelled and held tasks in a row that one launch passes, before it finds nothing.
constexpr std::int64_t kMostPassed = 100'000;

int take_tasks(Transaction& transaction, const PlannedLaunch& launch, Term term, grid::Instant now) {
  const auto plain = exec_prepared(transaction, sql::planning_launch{
                                                    .campaign = launch.campaign,
                                                    .cluster = launch.cluster,
                                                    .tasks = launch.jobs + launch.pooled,
                                                    .passed = kMostPassed,
                                                    .jobs = launch.jobs,
                                                    .resources = launch.resources,
                                                    .term = term,
                                                    .now = now,
                                                    .leaves = launch.leaves,
                                                    .pool_s = static_cast<int>(launch.pool.count()),
                                                });
  if (!plain.empty()) return plain[0].jobs.as<int>();
  // Nothing, or a campaign whose tasks differ: those that ask for other resources are another launch, while there is room for a job
  // like the last.
  if (exec(transaction, sql::planning_lock{.campaign = launch.campaign}).empty()) return 0;
  int jobs = 0;
  double resources = launch.resources;
  while (jobs < launch.jobs) {
    const auto rows = exec(transaction, sql::planning_launch_by_request{
                                            .campaign = launch.campaign,
                                            .cluster = launch.cluster,
                                            .jobs = launch.jobs - jobs,
                                            .resources = resources,
                                            .term = term,
                                            .now = now,
                                            .leaves = launch.leaves,
                                        });
    if (rows.empty()) break;
    const auto got = rows[0].jobs.as<int>();
    const auto taken = rows[0].resources.as<double>();
    jobs += got;
    resources -= taken;
    if (resources * got < taken) break;
  }
  return jobs;
}

}  // namespace

int plan_launch(Transaction& transaction, const PlannedLaunch& launch, Term term, grid::Instant now) {
  int jobs = 0;
  const bool written =
      write_or_note(transaction, {.campaign = launch.campaign, .cluster = launch.cluster}, fmt::format("a launch of {} jobs", launch.jobs),
                    now, [&] { jobs = take_tasks(transaction, launch, term, now); });
  return written ? jobs : 0;
}

namespace {

void write_some_submitted(Transaction& transaction, std::span<const Submitted> submitted) {
  Array campaigns, clusters, jobs, offered, ratios;
  for (const auto& one : submitted) {
    campaigns.add(one.campaign.value());
    clusters.add(one.cluster.value());
    jobs.add(std::int64_t{one.jobs});
    offered.add(one.offered);
    ratios.add(one.first_ratio);
  }
  exec_prepared(transaction, sql::planning_write_submitted{
                                 .campaigns = campaigns,
                                 .clusters = clusters,
                                 .jobs = jobs,
                                 .offered = offered,
                                 .first_ratios = ratios,
                             });
}

}  // namespace

void write_submitted(Transaction& transaction, std::span<const Submitted> submitted, grid::Instant now) {
  write_batch(
      transaction, submitted, [&](std::span<const Submitted> part) { write_some_submitted(transaction, part); },
      [&](const Submitted& one, const std::string& why) {
        note_refused(transaction, {.campaign = one.campaign, .cluster = one.cluster},
                     fmt::format("the note of {} submitted jobs", one.jobs), why, now);
      });
}

void note_planned(Transaction& transaction, std::span<const grid::CampaignId> campaigns, grid::Instant now) {
  exec(transaction, sql::planning_note_planned{.now = now, .code = kCannotPlan, .campaigns = detail::ids_of(campaigns)});
}

}  // namespace gleaner::store
