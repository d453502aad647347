#pragma once
#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <vector>

#include "metascheduler/planner/plan.hpp"
#include "predictor/algorithms/algorithm.hpp"
#include "predictor/algorithms/trials.hpp"

/// A small deterministic cluster and the grid's cycle on it: the planner and an algorithm as
/// production runs them, a queue in submission order that starts a few jobs a second, local users
/// who take cores and give them back, best-effort jobs that give way, excess wiped newest first.
namespace gleaner::prediction::test {

struct Scenario {
  int cores = 64;
  double flood = 0.25;
  int resources_per_job = 1;  ///< what OAR gives each job; the JDL does not say it
  int duration = 1'000'000;   ///< seconds
  int starts_a_second = 2;
  double first_ratio = 1.0;
  double upper = 1.0;
  int cycles = 120;
  std::function<int(int)> others = [](int) { return 0; };  ///< cores that local users want at a second
};

/// An observer's reading in one cycle, when the status was taken.
struct Observation {
  double ratio = 0.0;  ///< after the prediction
  int running = 0;
  int waiting = 0;  ///< after the wipe
  int free = 0;     ///< cores, at the same moment
  int wiped = 0;
  int submitted = 0;
  int idle = 0;    ///< cores that a job of this size could have used, summed over the cycle's seconds
  int usable = 0;  ///< cores that local users left, summed likewise
};

class ModelCluster {
 public:
  explicit ModelCluster(Scenario scenario) : scenario_{std::move(scenario)} {}

  void submit(int jobs) {
    for (int i = 0; i < jobs; ++i) waiting_.push_back(now_);
  }
  void wipe(int jobs) { waiting_.resize(waiting_.size() - static_cast<std::size_t>(jobs)); }

  /// One second: ends, local users, preemption, starts.
  void advance() {
    ++now_;
    std::erase_if(ends_, [&](int end) { return end <= now_; });
    while (!ends_.empty() && free_cores() < 0) ends_.pop_back();
    for (int started = 0; started < scenario_.starts_a_second && !waiting_.empty() && free_cores() >= scenario_.resources_per_job;
         ++started) {
      waiting_.erase(waiting_.begin());
      ends_.push_back(now_ + scenario_.duration);
      last_start_ = now_;
    }
  }

  [[nodiscard]] int others() const { return std::min(scenario_.cores, scenario_.others(now_)); }
  [[nodiscard]] int free_cores() const { return scenario_.cores - others() - running() * scenario_.resources_per_job; }
  [[nodiscard]] int running() const { return static_cast<int>(ends_.size()); }
  [[nodiscard]] int waiting() const { return static_cast<int>(waiting_.size()); }
  [[nodiscard]] bool has_run() const { return last_start_ >= 0; }
  [[nodiscard]] grid::Starting starting() const {
    constexpr int kSettled = 10;
    const bool started_lately = last_start_ >= 0 && now_ - last_start_ < kSettled;
    const bool oldest_is_young = !waiting_.empty() && now_ - waiting_.front() < kSettled;
    return started_lately || oldest_is_young ? grid::Starting::still : grid::Starting::stuck;
  }
  /// Cores that a job of this size could use now, and does not.
  [[nodiscard]] int idle() const { return std::max(0, free_cores()) / scenario_.resources_per_job * scenario_.resources_per_job; }

 private:
  Scenario scenario_;
  int now_ = 0;
  int last_start_ = -1'000'000;
  std::vector<int> waiting_;  ///< when each was submitted, the oldest first
  std::vector<int> ends_;     ///< of the running ones, the youngest last
};

inline planner::Snapshot snapshot_of(const ModelCluster& cluster, const Scenario& scenario, double ratio) {
  planner::ClusterView alpha;
  alpha.id = grid::ClusterId{1};
  alpha.name = "alpha";
  alpha.max_resources = scenario.cores;
  alpha.free_resources = std::max(0, cluster.free_cores());
  alpha.waiting_resources = cluster.waiting() / ratio;
  alpha.flood = scenario.flood;
  alpha.array_size = 1'000'000;
  planner::CampaignView campaign;
  campaign.id = grid::CampaignId{1};
  campaign.user = "ada";
  campaign.scheduler = "workqueue";
  campaign.waiting_tasks = 1'000'000'000;
  planner::PairView pair;
  pair.campaign = campaign.id;
  pair.cluster = alpha.id;
  if (cluster.has_run()) pair.measured_resources = scenario.resources_per_job;
  pair.job_ratio = ratio;
  pair.live_jobs = cluster.running() + cluster.waiting();
  pair.waiting_jobs = cluster.waiting();
  pair.starting = cluster.starting();
  return {.clusters = {alpha}, .campaigns = {campaign}, .pairs = {pair}};
}

inline QueueState queue_of(const ModelCluster& cluster, const Scenario& scenario) {
  QueueState queue{.running = cluster.running(),
                   .waiting = cluster.waiting(),
                   .free_resources = std::max(0, cluster.free_cores()),
                   .max_resources = scenario.cores,
                   .flood = scenario.flood,
                   .starting = cluster.starting()};
  if (cluster.has_run()) queue.assigned_resources = scenario.resources_per_job;
  return queue;
}

/// Jobs that started at all.
inline int started(const std::vector<Observation>& seen) {
  int jobs = 0;
  for (const auto& cycle : seen) jobs += cycle.submitted - cycle.wiped;
  return jobs - seen.back().waiting;
}

/// Part of the usable cores that stayed idle, from a cycle on.
inline double idle_share(const std::vector<Observation>& seen, std::size_t from) {
  double idle = 0.0;
  double usable = 0.0;
  for (std::size_t i = from; i < seen.size(); ++i) {
    idle += seen[i].idle;
    usable += seen[i].usable;
  }
  return usable > 0.0 ? idle / usable : 0.0;
}

inline int most_waiting(const std::vector<Observation>& seen, std::size_t from) {
  int most = 0;
  for (std::size_t i = from; i < seen.size(); ++i) most = std::max(most, seen[i].waiting);
  return most;
}

/// Resources that waiting jobs want beyond the free ones, which they are about to take: what the flood must allow.
inline int most_wanted_beyond_free(const std::vector<Observation>& seen, std::size_t from, int resources_per_job) {
  int most = 0;
  for (std::size_t i = from; i < seen.size(); ++i) most = std::max(most, seen[i].waiting * resources_per_job - seen[i].free);
  return most;
}

/// The next ratio, as Algorithm::next.
using NextRatio = std::function<double(double old, const LastCycle& last, const QueueState& queue, double upper)>;

/// Runs the cycles: update, predict, wipe, plan, submit, then five seconds of the cluster.
inline std::vector<Observation> run(const NextRatio& next, const Scenario& scenario) {
  constexpr int kCycleSeconds = 5;
  ModelCluster cluster{scenario};
  double ratio = scenario.first_ratio;
  LastCycle last;
  std::vector<Observation> seen;
  for (int cycle = 0; cycle < scenario.cycles; ++cycle) {
    Observation now;
    const auto queue = queue_of(cluster, scenario);
    ratio = next(ratio, last, queue, scenario.upper);
    now.ratio = ratio;
    now.running = cluster.running();
    now.wiped = grid::excess_jobs({cluster.waiting(), ratio, queue.free_resources, queue.max_resources, queue.flood, queue.starting});
    cluster.wipe(now.wiped);
    now.waiting = cluster.waiting();
    now.free = queue.free_resources;
    const auto plan = planner::plan(snapshot_of(cluster, scenario, ratio));
    last = {};
    for (const auto& launch : plan.launches) last.nsub += launch.jobs;
    for (const auto& decision : plan.decisions) last.free_offered = decision.offered_free;
    now.submitted = last.nsub;
    cluster.submit(last.nsub);
    for (int second = 0; second < kCycleSeconds; ++second) {
      cluster.advance();
      now.idle += cluster.idle();
      now.usable += scenario.cores - cluster.others();
    }
    seen.push_back(now);
  }
  return seen;
}

inline std::vector<Observation> run(const Algorithm& algorithm, const Scenario& scenario) {
  return run(
      [&](double old, const LastCycle& last, const QueueState& queue, double upper) { return algorithm.next(old, last, queue, upper); },
      scenario);
}

/// With the algorithm that has wasted least.
inline std::vector<Observation> run_by_waste(const Scenario& scenario) {
  auto trials = first_trials(scenario.first_ratio);
  return run(
      [&](double old, const LastCycle& last, const QueueState& queue, double upper) {
        judge(trials, old, last, queue, upper);
        return least_wasteful(trials).ratio;
      },
      scenario);
}

}  // namespace gleaner::prediction::test
