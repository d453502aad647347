#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <map>

#include "metascheduler/planner/ledger.hpp"
#include "metascheduler/planner/orders/order.hpp"
#include "metascheduler/planner/placements/placement.hpp"
#include "metascheduler/planner/room.hpp"
#include "tests/unit/planner_builders.hpp"

namespace gleaner::planner::test {
namespace {

bool sometimes() { return *rc::gen::inRange(0, 3) == 0; }
bool rarely() { return *rc::gen::inRange(0, 10) == 0; }

ClusterView any_cluster(std::int64_t id) {
  auto cluster = a_cluster(id);
  cluster.max_resources = *rc::gen::inRange(0, 100);
  cluster.free_resources = *rc::gen::inRange(0, cluster.max_resources + 1);
  cluster.waiting_resources = *rc::gen::inRange(0, 30);
  cluster.unaccounted_resources = *rc::gen::inRange(0, 10);
  cluster.flood = *rc::gen::inRange(0, 100) / 100.0;
  cluster.power = *rc::gen::inRange(1, 4);
  cluster.array_size = *rc::gen::inRange(1, 50);
  cluster.enabled = !rarely();
  cluster.reachable = !rarely();
  cluster.status_fresh = !rarely();
  if (rarely()) cluster.brake = Brake{"brake", {}};
  if (rarely()) cluster.file_server_mb_s = *rc::gen::inRange(1, 50);
  if (rarely()) cluster.job_limit = *rc::gen::inRange(1, 20);
  cluster.cost = *rc::gen::inRange(0, 3);
  if (sometimes()) cluster.shared_home = *rc::gen::element(std::string{"site"}, std::string{"campus"});
  for (int i = *rc::gen::inRange(0, 4); i > 0; --i)
    cluster.endings.push_back({double(*rc::gen::inRange(0, 500)), double(*rc::gen::inRange(1, 9))});
  return cluster;
}

CampaignView any_campaign(std::int64_t id) {
  auto campaign = rarely() ? a_test_campaign(id) : a_campaign(id);
  campaign.waiting_tasks = *rc::gen::inRange(0, 200);
  campaign.submitted = grid::from_unix(*rc::gen::inRange(0, 5));
  if (rarely()) campaign.state = grid::CampaignState::paused;
  if (rarely()) campaign.scheduler = "prediction";
  campaign.user = *rc::gen::element(std::string{"ada"}, std::string{"bob"}, std::string{"eve"});
  campaign.priority = *rc::gen::inRange(1, 8);
  campaign.replicas_allowed = rarely();
  return campaign;
}

PairView any_pair(std::int64_t campaign, std::int64_t cluster) {
  auto pair = a_pair(campaign, cluster, *rc::gen::element(1, 1, 2, 3, 4, 16));
  if (rarely()) pair.resources_per_job = std::nullopt;
  if (rarely()) pair.job_ratio = 1.0 / *rc::gen::inRange(1, 100);
  if (rarely()) pair.max_jobs = *rc::gen::inRange(1, 20);
  if (rarely()) pair.brake = Brake{"brake", {}};
  if (rarely()) pair.returned_tasks = *rc::gen::inRange(1, 20);
  if (sometimes()) pair.home_tasks = pair.returned_tasks;
  pair.priority = *rc::gen::inRange(0, 3);
  pair.live_jobs = *rc::gen::inRange(0, 10);
  pair.waiting_jobs = *rc::gen::inRange(0, pair.live_jobs + 1);
  pair.mapped = !rarely();
  pair.has_affinity = sometimes();
  pair.walltime = *rc::gen::inRange(0, 1000);
  pair.standing = *rc::gen::inRange(1, 5) / 4.0;
  if (rarely()) pair.mean_duration = *rc::gen::inRange(1, 1000);
  if (rarely())
    pair.missing_inputs =
        grid::MissingInputs{.bytes = *rc::gen::inRange(1, 1'000'000), .mb_s = 1.0, .ready = sometimes() ? *rc::gen::inRange(0, 20) : 0};
  if (sometimes()) {
    pair.io_jobs = *rc::gen::inRange(1, 20);
    pair.io_seconds = *rc::gen::inRange(1, 100);
    pair.io_mb = *rc::gen::inRange(0, 1000);
  }
  if (rarely()) pair.replicable_tasks = *rc::gen::inRange(0, 5);
  return pair;
}

Snapshot any_snapshot() {
  Snapshot snapshot;
  const int clusters = *rc::gen::inRange(1, 5);
  const int campaigns = *rc::gen::inRange(1, 6);
  for (int i = 1; i <= clusters; ++i) snapshot.clusters.push_back(any_cluster(i));
  for (int i = 1; i <= campaigns; ++i) {
    snapshot.campaigns.push_back(any_campaign(i));
    for (int j = 1; j <= clusters; ++j) {
      if (!rarely()) snapshot.pairs.push_back(any_pair(i, j));
    }
  }
  for (const auto* user : {"ada", "bob"}) {
    snapshot.users.push_back({.name = user, .share = *rc::gen::inRange(0, 5) / 4.0, .usage = *rc::gen::inRange(0, 5) / 4.0});
    snapshot.shares.push_back(
        {.name = user, .parent = -1, .shares = double(*rc::gen::inRange(0, 5)), .usage = double(*rc::gen::inRange(0, 5)), .is_user = true});
  }
  if (rarely())
    snapshot.limits.push_back({.id = 1,
                               .kind = *rc::gen::element(LimitKind::running_jobs, LimitKind::resources, LimitKind::waiting_jobs),
                               .most = double(*rc::gen::inRange(0, 40))});
  snapshot.seed = *rc::gen::arbitrary<std::uint64_t>();
  return snapshot;
}

/// Every order and placement; with classes before the order now and then.
PlannerConfig any_config() {
  const auto orders = order_names();
  const auto placements = placement_names();
  PlannerConfig config;
  config.campaign_order = std::string{orders[*rc::gen::inRange<std::size_t>(0, orders.size())]};
  config.placement = std::string{placements[*rc::gen::inRange<std::size_t>(0, placements.size())]};
  if (rarely()) config.campaign_order = "priority," + config.campaign_order;
  if (sometimes()) config.campaign_order = "affinity," + config.campaign_order;
  config.simultaneous = rarely();
  return config;
}

const PairView* pair_of(const Snapshot& snapshot, grid::CampaignId campaign, grid::ClusterId cluster) {
  const auto found =
      std::ranges::find_if(snapshot.pairs, [&](const PairView& pair) { return pair.campaign == campaign && pair.cluster == cluster; });
  return found == snapshot.pairs.end() ? nullptr : &*found;
}

bool is_open(const ClusterView& cluster) { return cluster.enabled && cluster.reachable && cluster.status_fresh && !cluster.brake; }

RC_GTEST_PROP(PlannerProperty, NeverMoreJobsThanTheBag, ()) {
  const auto snapshot = any_snapshot();
  const auto config = any_config();
  const auto result = plan(snapshot, config);
  std::map<grid::CampaignId, std::int64_t> jobs;
  for (const auto& launch : result.launches) jobs[launch.campaign] += launch.jobs;
  for (const auto& campaign : snapshot.campaigns) RC_ASSERT(jobs[campaign.id] <= campaign.waiting_tasks);
}

/// One job more at most: a campaign without a job there gets one while the server bears more.
RC_GTEST_PROP(PlannerProperty, WhatTheFileServerOfAClusterBears_IsExceededByOneJobAtMost, ()) {
  auto snapshot = any_snapshot();
  for (auto& cluster : snapshot.clusters) cluster.shared_home = "";
  for (auto& pair : snapshot.pairs) {
    pair.io_jobs = 1;
    pair.io_seconds = std::max(1.0, pair.io_seconds);
  }
  const auto result = plan(snapshot, any_config());
  for (const auto& cluster : snapshot.clusters) {
    if (cluster.file_server_mb_s <= 0) continue;
    double load = 0, given = 0, most = 0;
    for (const auto& pair : snapshot.pairs) {
      if (pair.cluster != cluster.id) continue;
      const double job = pair.io_mb / pair.io_seconds;
      load += pair.live_jobs * job;
      const auto add = [&](const auto& jobs_given) {
        if (jobs_given.campaign != pair.campaign || jobs_given.cluster != cluster.id || job < 0.01) return;
        given += jobs_given.jobs * job;
        most = std::max(most, job);
      };
      for (const auto& launch : result.launches) add(launch);
      for (const auto& replicas : result.replicas) add(replicas);
    }
    RC_ASSERT(load + given <= std::max(load, cluster.file_server_mb_s) + most + 1e-6);
  }
}

RC_GTEST_PROP(PlannerProperty, TasksOfAHome_GoToItsClustersAlone, ()) {
  const auto snapshot = any_snapshot();
  const auto result = plan(snapshot, any_config());
  const auto cluster_of = [&](grid::ClusterId id) { return snapshot.clusters.at(static_cast<std::size_t>(id.value() - 1)); };
  for (const auto& campaign : snapshot.campaigns) {
    std::map<std::string, std::int64_t> of_home;  // bound tasks; those of one cluster alone have its number
    std::int64_t bound = 0;
    const auto home_of = [&](const PairView& pair) {
      const auto home = cluster_of(pair.cluster).shared_home;
      return home.empty() ? std::to_string(pair.cluster.value()) : home;
    };
    for (const auto& pair : snapshot.pairs) {
      if (pair.campaign != campaign.id) continue;
      of_home[home_of(pair)] += pair.returned_tasks;
      bound += pair.returned_tasks;
    }
    std::map<std::string, std::int64_t> given;
    for (const auto& launch : result.launches) {
      if (launch.campaign == campaign.id) given[home_of(*pair_of(snapshot, launch.campaign, launch.cluster))] += launch.returned;
    }
    for (const auto& [home, tasks] : given) RC_ASSERT(tasks <= of_home[home]);
    std::int64_t anyone = 0;
    for (const auto& launch : result.launches) {
      if (launch.campaign == campaign.id) anyone += launch.jobs - launch.returned;
    }
    RC_ASSERT(anyone <= std::max<std::int64_t>(0, campaign.waiting_tasks - bound));
  }
}

RC_GTEST_PROP(PlannerProperty, NeverBeyondTheOffer_ButForOneTestJobEach, ()) {
  const auto snapshot = any_snapshot();
  const auto config = any_config();
  const auto result = plan(snapshot, config);
  const Ledger ledger{snapshot.clusters};
  for (std::size_t index = 0; index < snapshot.clusters.size(); ++index) {
    const auto& cluster = snapshot.clusters[index];
    double used = 0.0;
    double beyond_allowed = 0.0;
    for (const auto& launch : result.launches) {
      if (launch.cluster != cluster.id) continue;
      const auto& pair = *pair_of(snapshot, launch.campaign, launch.cluster);
      const auto& campaign = snapshot.campaigns.at(static_cast<std::size_t>(launch.campaign.value() - 1));
      used += launch.resources;
      if (campaign.type == grid::CampaignType::test) beyond_allowed += launch.resources;
      // The one job that probes a ratio, where the JDL does not say what it takes.
      if (!pair.resources_per_job && launch.jobs == 1) beyond_allowed += launch.resources;
    }
    RC_ASSERT(used <= ledger.at_first(index).resources + beyond_allowed + 1e-6);
  }
}

RC_GTEST_PROP(PlannerProperty, NeverMoreOfAConsumable_ThanItsLimit, ()) {
  auto snapshot = any_snapshot();
  for (auto& campaign : snapshot.campaigns) {
    if (const int each = *rc::gen::inRange(0, 4); each > 0) campaign.needs = {{"matlab", each}};
    campaign.replicas_allowed = sometimes();
  }
  const grid::Limit limit{.id = 2,
                          .kind = LimitKind::consumable,
                          .most = double(*rc::gen::inRange(0, 40)),
                          .used = double(*rc::gen::inRange(0, 20)),
                          .consumable = "matlab"};
  snapshot.limits.push_back(limit);
  const auto result = plan(snapshot, any_config());
  double held = limit.used;
  const auto hold = [&](grid::CampaignId campaign, int jobs) {
    held += jobs * grid::need_of(snapshot.campaigns.at(static_cast<std::size_t>(campaign.value() - 1)).needs, "matlab");
  };
  for (const auto& launch : result.launches) hold(launch.campaign, launch.jobs);
  for (const auto& replicas : result.replicas) hold(replicas.campaign, replicas.jobs);
  RC_ASSERT(held <= std::max(limit.most, limit.used));
}

RC_GTEST_PROP(PlannerProperty, ClosedClustersAndPairs_AreNeverUsed, ()) {
  const auto snapshot = any_snapshot();
  const auto config = any_config();
  const auto result = plan(snapshot, config);
  for (const auto& launch : result.launches) {
    const auto& cluster = snapshot.clusters.at(static_cast<std::size_t>(launch.cluster.value() - 1));
    const auto* pair = pair_of(snapshot, launch.campaign, launch.cluster);
    RC_ASSERT(is_open(cluster));
    RC_ASSERT(pair != nullptr);
    RC_ASSERT(pair->mapped && !pair->brake && !grid::lacks_inputs(*pair));
    RC_ASSERT(launch.jobs > 0 && launch.jobs <= cluster.array_size);
    RC_ASSERT(launch.returned >= 0 && launch.returned <= launch.jobs);
  }
}

RC_GTEST_PROP(PlannerProperty, EveryPairOrItsCampaign_HasExactlyOneDecision, ()) {
  const auto snapshot = any_snapshot();
  const auto config = any_config();
  const auto result = plan(snapshot, config);
  for (const auto& pair : snapshot.pairs) {
    const auto told = std::ranges::count_if(result.decisions, [&](const Decision& decision) {
      return decision.campaign == pair.campaign && (!decision.cluster || *decision.cluster == pair.cluster);
    });
    RC_ASSERT(told == 1);
  }
  for (const auto& campaign : snapshot.campaigns) RC_ASSERT(std::ranges::count(result.standings, campaign.id, &Standing::campaign) <= 1);
}

RC_GTEST_PROP(PlannerProperty, OrderOfTheLists_HasNoInfluence, ()) {
  const auto snapshot = any_snapshot();
  const auto config = any_config();
  auto shuffled = snapshot;
  std::ranges::reverse(shuffled.clusters);
  std::ranges::reverse(shuffled.campaigns);
  const auto turn = *rc::gen::inRange<std::size_t>(0, shuffled.pairs.size() + 1);
  std::ranges::rotate(shuffled.pairs, shuffled.pairs.begin() + static_cast<std::ptrdiff_t>(turn));
  const auto first = plan(snapshot, config);
  const auto second = plan(shuffled, config);
  RC_ASSERT(first.launches == second.launches);
  RC_ASSERT(first.decisions.size() == second.decisions.size());
}

RC_GTEST_PROP(PlannerProperty, WorkConserving_NoCampaignGoesShortWhileItsResourcesAreLeft, ()) {
  const auto snapshot = any_snapshot();
  auto config = any_config();
  config.reservations = false;
  const auto result = plan(snapshot, config);
  Ledger ledger{snapshot.clusters};
  const auto index_of = [](grid::ClusterId cluster) { return static_cast<std::size_t>(cluster.value() - 1); };
  for (const auto& launch : result.launches)
    ledger.take(index_of(launch.cluster), *pair_of(snapshot, launch.campaign, launch.cluster), 0.0, launch.jobs, launch.resources);
  for (const auto& decision : result.decisions) {
    const auto* launched = std::get_if<reason::Launched>(&decision.reason);
    const bool by_resources = is_one_of<reason::NoFreeResources, reason::NotEnoughResources, reason::EarlierCampaigns>(decision.reason) ||
                              (launched && is_one_of<bound::Offer>(launched->bound));
    if (!by_resources) continue;
    const auto& pair = *pair_of(snapshot, decision.campaign, *decision.cluster);
    const auto index = index_of(pair.cluster);
    auto candidate = candidate_of(pair, snapshot.clusters[index], index);
    candidate.jobs = decision.jobs;
    RC_ASSERT(room_for(candidate, ledger.left(index, pair.campaign, pair.walltime)) == 0);
  }
}

RC_GTEST_PROP(PlannerProperty, MoreTasksInTheBag_ChangeNothingOnceTheClustersAreFull, ()) {
  auto snapshot = any_snapshot();
  const auto config = any_config();
  for (auto& campaign : snapshot.campaigns) campaign.waiting_tasks = 1'000'000;
  const auto first = plan(snapshot, config);
  for (auto& campaign : snapshot.campaigns) campaign.waiting_tasks = 10'000'000;
  RC_ASSERT(first.launches == plan(snapshot, config).launches);
}

}  // namespace
}  // namespace gleaner::planner::test
