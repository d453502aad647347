#include "metascheduler/asleep.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <vector>

#include "metascheduler/planner/room.hpp"

namespace gleaner::metascheduler {
namespace {

using planner::CampaignView;
using planner::ClusterView;
using planner::PairView;

/// A campaign whose tasks may be done on a cluster with nodes that sleep.
struct Backlog {
  const CampaignView* campaign = nullptr;
  double tasks = 0;                                   ///< for which awake nodes have no room now
  double duration = 0;                                ///< seconds of one
  double busy_cores = 0;                              ///< of its running jobs
  double starting_cores = 0;                          ///< awake and free: its next jobs
  bool runs = false;                                  ///< it has jobs that run or start
  std::map<std::size_t, const PairView*> pairs = {};  ///< by cluster: those that sleep
};

/// The part of `seconds` that a core is free for further tasks, on average, whose present one takes so long and began any time ago.
double free_part_of(double seconds, double duration) {
  return duration <= seconds ? seconds - duration / 2 : seconds * seconds / (2 * duration);
}

/// Seconds of work, on one core each, beyond what awake cores do within `seconds`.
double excess_of(const Backlog& backlog, double width, double seconds) {
  const double work = backlog.tasks * width * backlog.duration;
  const double meanwhile =
      backlog.busy_cores * free_part_of(seconds, backlog.duration) + backlog.starting_cores * std::max(0.0, seconds - backlog.duration);
  return std::max(0.0, work - meanwhile);
}

bool may_be_sent(const CampaignView& campaign, const PairView& pair, const ClusterView& cluster) {
  return campaign.state == grid::CampaignState::in_treatment && !campaign.brake && !pair.brake && pair.mapped &&
         grid::takes_tasks_now(pair) && pair.fitting_tasks != 0 && pair.matching_resources != 0 && cluster.enabled && !cluster.retired &&
         cluster.reachable && !cluster.brake && cluster.status_fresh;
}

double most_tasks_of(const PairView& pair) {
  return pair.max_jobs ? std::max(0, *pair.max_jobs - pair.live_jobs - pair.frozen_jobs) : planner::kNoLimit;
}

class Waker {
 public:
  Waker(planner::Snapshot& snapshot, const planner::PlannerConfig& config) : snapshot_{snapshot}, config_{config} {
    for (std::size_t i = 0; i < snapshot.clusters.size(); ++i) {
      const auto& cluster = snapshot.clusters[i];
      places_.emplace(cluster.id, i);
      free_.push_back(std::max(0, cluster.free_resources - cluster.asleep.resources()));
      if (cluster.wake_minutes > 0 && cluster.asleep.known()) sleepers_.push_back(i);
    }
    std::ranges::sort(sleepers_, {}, [&](std::size_t place) {
      const auto& cluster = snapshot_.clusters[place];
      return std::tuple{cluster.wake_minutes, cluster.cost, -cluster.power, cluster.id};
    });
  }

  void decide() {
    if (sleepers_.empty()) return;
    gather();
    for (const auto place : sleepers_) wake(place);
  }

 private:
  void gather() {
    std::map<grid::CampaignId, const CampaignView*> campaigns;
    for (const auto& campaign : snapshot_.campaigns) campaigns.emplace(campaign.id, &campaign);
    std::map<grid::CampaignId, std::vector<const PairView*>> pairs;
    for (const auto& pair : snapshot_.pairs) pairs[pair.campaign].push_back(&pair);
    for (auto& [id, its] : pairs) {
      std::ranges::sort(its, {}, &PairView::cluster);
      gather(*campaigns.at(id), its);
    }
  }

  void gather(const CampaignView& campaign, const std::vector<const PairView*>& pairs) {
    Backlog backlog{.campaign = &campaign, .tasks = static_cast<double>(campaign.waiting_tasks)};
    double durations = 0, known = 0, walltime = 0, age = 0;
    for (const auto* pair : pairs) {
      const auto place = places_.at(pair->cluster);
      const auto& cluster = snapshot_.clusters[place];
      const double width = planner::job_resources(*pair, cluster);
      const int running = pair->live_jobs - pair->waiting_jobs;
      backlog.busy_cores += running * width;
      backlog.runs = backlog.runs || running > 0 || pair->launching > 0;
      walltime = std::max(walltime, pair->walltime);
      if (pair->mean_duration) durations += *pair->mean_duration, ++known;
      if (running > 0 && pair->last_start_at)
        age = std::max(age, std::chrono::duration<double>{snapshot_.now - *pair->last_start_at}.count());
      const bool sleeps = cluster.wake_minutes > 0 && cluster.asleep.known();
      if (sleeps && pair->best_effort && may_be_sent(campaign, *pair, cluster)) backlog.pairs.emplace(place, pair);
    }
    if (backlog.pairs.empty() || backlog.tasks <= 0) return;
    // While no task has ended, those that run have shown how long tasks take at least; before that, a few would show it.
    backlog.duration = std::max(1.0, known > 0 ? durations / known : backlog.busy_cores > 0 ? std::min(age, walltime) : walltime);
    if (known == 0 && backlog.busy_cores <= 0) backlog.tasks = std::min<double>(backlog.tasks, config_.probe_jobs);
    for (const auto* pair : pairs) {
      const auto place = places_.at(pair->cluster);
      const auto& cluster = snapshot_.clusters[place];
      if (!may_be_sent(campaign, *pair, cluster)) continue;
      const double width = planner::job_resources(*pair, cluster);
      const double jobs = std::min({backlog.tasks, std::floor(free_[place] / width + 1e-9), most_tasks_of(*pair)});
      backlog.tasks -= jobs;
      backlog.starting_cores += jobs * width;
      free_[place] -= jobs * width;
    }
    if (backlog.tasks > 0) backlogs_.push_back(std::move(backlog));
  }

  /// A campaign that nothing is done for now, and that has waited long enough.
  [[nodiscard]] bool has_waited(const Backlog& backlog) const {
    return !backlog.runs && backlog.starting_cores <= 0 && snapshot_.now - backlog.campaign->submitted >= config_.wake_after;
  }

  void wake(std::size_t place) {
    auto& cluster = snapshot_.clusters[place];
    const double seconds = cluster.wake_minutes * 60;
    double excess = 0, cores = 0, least = 0;
    int of_node = 0;  ///< the most that a job needs of one node
    for (const auto& backlog : backlogs_) {
      const auto found = backlog.pairs.find(place);
      if (found == backlog.pairs.end()) continue;
      const auto& pair = *found->second;
      const double width = planner::job_resources(pair, cluster);
      const double tasks = std::min(backlog.tasks, most_tasks_of(pair));
      if (tasks <= 0) continue;
      excess += excess_of(backlog, width, seconds);
      cores += tasks * width;
      if (pair.nodes_per_job && pair.resources_per_job)
        of_node = std::max(of_node, *pair.resources_per_job / std::max(1, *pair.nodes_per_job));
      if (has_waited(backlog)) least = std::max(least, width);
    }
    take_nodes(cluster, {.excess = excess, .cores = cores, .least = least, .seconds = seconds, .of_node = of_node});
    give_work_to(cluster, place, seconds);
  }

  struct Wanted {
    double excess;  ///< core-seconds
    double cores;   ///< that the tasks can use at once
    double least;   ///< cores that are woken in any case
    double seconds;
    int of_node;
  };

  static void take_nodes(ClusterView& cluster, Wanted wanted) {
    std::map<int, int> asleep;
    for (const auto& [size, count] : cluster.asleep.by_size()) asleep[size] = count;
    cluster.asleep = {};
    for (const auto& [size, count] : asleep) {
      double nodes = 0;
      // Nodes that are too small for some of the jobs are left to bigger ones.
      if (size >= wanted.of_node) {
        nodes = std::floor(wanted.excess / (size * wanted.seconds) + 1e-9);
        nodes = std::max(std::min(nodes, std::ceil(wanted.cores / size - 1e-9)), std::ceil(wanted.least / size - 1e-9));
        nodes = std::clamp(nodes, 0.0, static_cast<double>(count));
        wanted.excess -= nodes * size * wanted.seconds;
        wanted.cores -= nodes * size;
        wanted.least -= nodes * size;
      }
      cluster.waking.add(size, static_cast<int>(nodes));
      cluster.asleep.add(size, count - static_cast<int>(nodes));
    }
  }

  /// The work for which nodes are woken here wakes none elsewhere.
  void give_work_to(const ClusterView& cluster, std::size_t place, double seconds) {
    double cores = cluster.waking.resources();
    for (auto& backlog : backlogs_) {
      const auto found = backlog.pairs.find(place);
      if (cores <= 0) return;
      if (found == backlog.pairs.end()) continue;
      const double width = planner::job_resources(*found->second, cluster);
      const double each = std::max(1.0, seconds / backlog.duration);  // tasks of one core
      const double tasks = std::min(backlog.tasks, std::floor(cores / width * each));
      backlog.tasks -= tasks;
      cores -= tasks / each * width;
    }
  }

  planner::Snapshot& snapshot_;
  const planner::PlannerConfig& config_;
  std::map<grid::ClusterId, std::size_t> places_;
  std::vector<double> free_;           ///< awake resources that no backlog counts on yet, by cluster
  std::vector<std::size_t> sleepers_;  ///< those that are woken for the least work first
  std::vector<Backlog> backlogs_;      ///< by the campaigns' ids
};

grid::NodeSizes without(const grid::NodeSizes& some, const grid::NodeSizes& all) {
  auto left = all.by_size();
  for (const auto& [size, count] : some.by_size()) {
    const auto found = left.find(size);
    if (found != left.end()) found->second = std::max(0, found->second - count);
  }
  grid::NodeSizes nodes;
  for (const auto& [size, count] : left) nodes.add(size, count);
  return nodes;
}

/// Nodes that stay asleep are free for jobs that are not best-effort only.
void withhold(ClusterView& cluster) {
  const int resources = std::min(cluster.free_resources, cluster.asleep.resources());
  cluster.asleep_resources = resources;
  cluster.free_resources -= resources;
  cluster.reserved_free += resources;
  if (!cluster.nodes_free) return;
  cluster.nodes_free = without(cluster.asleep, *cluster.nodes_free);
  auto reserved = cluster.reserved_nodes_free.value_or(grid::NodeSizes{});
  for (const auto& [size, count] : cluster.asleep.by_size()) reserved.add(size, count);
  cluster.reserved_nodes_free = reserved;
}

}  // namespace

void leave_asleep(planner::Snapshot& snapshot, const planner::PlannerConfig& config) {
  const bool packs = grid::packs_nodes(config);
  for (auto& cluster : snapshot.clusters) {
    if (!packs && cluster.wake_minutes <= 0) continue;
    cluster.open = grid::NodeSizes::parse(cluster.open_nodes).value_or(grid::NodeSizes{});
    cluster.empty = grid::NodeSizes::parse(cluster.empty_nodes).value_or(grid::NodeSizes{});
    cluster.asleep = grid::NodeSizes::parse(cluster.asleep_nodes).value_or(grid::NodeSizes{});
    cluster.names_nodes = cluster.open.known() || cluster.empty.known() || cluster.asleep.known();
  }
  Waker{snapshot, config}.decide();
  for (auto& cluster : snapshot.clusters) {
    if (cluster.wake_minutes > 0) {
      withhold(cluster);
    } else {
      cluster.waking = cluster.asleep;
      cluster.asleep = {};
    }
  }
}

}  // namespace gleaner::metascheduler
