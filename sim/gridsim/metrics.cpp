#include "sim/gridsim/metrics.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace gleaner::gridsim {
namespace {

class Measurement {
 public:
  Measurement(const Scenario& scenario, const Outcome& outcome) : scenario_{scenario}, outcome_{outcome} {}

  Metrics run() {
    prepare();
    count_usage();
    count_jobs();
    count_local(outcome_.local_waits, &ClusterMetrics::local_waits);
    count_local(alone_.local_waits, &ClusterMetrics::local_waits_alone);
    add_up();
    judge_campaigns();
    judge_users();
    metrics_.quality = quality_of(scenario_, outcome_);
    return std::move(metrics_);
  }

 private:
  void prepare();
  void count_usage();
  void count_jobs();
  void count_local(const std::vector<LocalWait>& waits, LocalWaits ClusterMetrics::*into);
  void add_up();
  void judge_campaigns();
  void judge_users();
  [[nodiscard]] double alone(std::size_t campaign) const;

  const Scenario& scenario_;
  const Outcome& outcome_;
  Metrics metrics_;
  Outcome alone_;  ///< of the local jobs without the grid
  std::vector<double> work_;
  std::vector<std::optional<grid::Instant>> full_at_;
  std::vector<double> held_;  ///< resource-seconds held by the grid's jobs, by cluster
};

void Measurement::prepare() {
  metrics_.end = outcome_.end;
  metrics_.complete = outcome_.complete;
  metrics_.cycles = outcome_.cycle_count;
  for (const auto& spec : scenario_.clusters) {
    ClusterMetrics cluster;
    cluster.name = spec.name;
    cluster.resources = spec.resources();
    cluster.capacity = spec.resources() * outcome_.end;
    metrics_.clusters.push_back(std::move(cluster));
  }
  for (std::size_t i = 0; i < scenario_.campaigns.size(); ++i) {
    const auto& spec = scenario_.campaigns[i];
    CampaignMetrics campaign;
    campaign.name = spec.name;
    campaign.user = spec.user;
    campaign.tasks = spec.tasks;
    campaign.done = outcome_.campaigns[i].done;
    campaign.failed = outcome_.campaigns[i].failed;
    campaign.submitted = spec.at;
    metrics_.campaigns.push_back(std::move(campaign));
  }
  alone_ = simulate_local(scenario_, outcome_.end);
  work_ = work_of(scenario_, outcome_.durations);
  metrics_.omniscient = omniscient(scenario_, alone_.usage, work_, outcome_.end);
  full_at_.resize(scenario_.clusters.size());
  held_.resize(scenario_.clusters.size());
}

void Measurement::count_usage() {
  std::vector<int> in_use(scenario_.clusters.size());
  for (const auto& change : outcome_.usage) {
    const auto cluster = static_cast<std::size_t>(change.cluster);
    const double rest = change.delta * (outcome_.end - seconds_of(change.time));
    (change.campaign == kLocal ? metrics_.clusters[cluster].local : held_[cluster]) += rest;
    in_use[cluster] += change.delta;
    if (!full_at_[cluster] && in_use[cluster] >= kFull * scenario_.clusters[cluster].resources()) full_at_[cluster] = change.time;
  }
}

void Measurement::count_jobs() {
  for (const auto& job : outcome_.jobs) {
    auto& cluster = metrics_.clusters[static_cast<std::size_t>(job.cluster)];
    const double used = seconds_run(job, outcome_.end) * job.width;
    const auto use = use_of(job, outcome_.end);
    cluster.used += use.useful * job.width;
    cluster.wasted += use.lost * job.width;
    metrics_.campaigns[static_cast<std::size_t>(job.campaign)].used += use.useful * job.width;
    if (used > 0)
      metrics_.achieved += use.useful * job.width * seconds_run(job, metrics_.omniscient.until) * job.width / used *
                           scenario_.clusters[static_cast<std::size_t>(job.cluster)].speed;
    if (!job.pooled) ++cluster.submitted;
    const auto& full = full_at_[static_cast<std::size_t>(job.cluster)];
    if (!job.pooled && full && job.planned <= *full) cluster.submitted_before_full = cluster.submitted_before_full.value_or(0) + 1;
    if (job.state != JobState::ended || job.superseded) continue;
    if (job.end == JobEnd::preempted) ++metrics_.preempted;
    if (job.end == JobEnd::killed_by_us) ++metrics_.wiped;
    if (job.end == JobEnd::walltime) ++metrics_.walltime_kills;
  }
}

void Measurement::count_local(const std::vector<LocalWait>& waits, LocalWaits ClusterMetrics::*into) {
  std::vector<std::vector<double>> of_clusters(metrics_.clusters.size());
  std::vector<double> all;
  for (const auto& wait : waits) {
    of_clusters[static_cast<std::size_t>(wait.cluster)].push_back(wait.seconds);
    all.push_back(wait.seconds);
  }
  for (std::size_t i = 0; i < of_clusters.size(); ++i) metrics_.clusters[i].*into = local_waits_of(std::move(of_clusters[i]));
  metrics_.all.*into = local_waits_of(std::move(all));
}

void Measurement::add_up() {
  auto& all = metrics_.all;
  for (std::size_t i = 0; i < metrics_.clusters.size(); ++i) {
    auto& cluster = metrics_.clusters[i];
    if (full_at_[i] && !cluster.submitted_before_full) cluster.submitted_before_full = 0;
    cluster.overhead = held_[i] - cluster.used - cluster.wasted;
    cluster.idle = cluster.capacity - cluster.local - held_[i];
    all.resources += cluster.resources;
    all.capacity += cluster.capacity;
    all.local += cluster.local;
    all.used += cluster.used;
    all.wasted += cluster.wasted;
    all.overhead += cluster.overhead;
    all.idle += cluster.idle;
    cluster.awake = outcome_.awake[i];
    all.awake += cluster.awake;
    all.submitted += cluster.submitted;
    all.submitted_before_full = std::max(all.submitted_before_full, cluster.submitted_before_full);
  }
}

/// The least seconds that the campaign would take alone: the omniscient bound, and at least its longest task.
double Measurement::alone(std::size_t campaign) const {
  std::vector<double> work(work_.size(), 0.0);
  work[campaign] = work_[campaign];
  const double at = scenario_.campaigns[campaign].at;
  const double bound = omniscient(scenario_, alone_.usage, work, outcome_.end).until - at;
  double speed = 0;
  for (const auto& pair : scenario_.campaigns[campaign].clusters) speed = std::max(speed, scenario_.clusters[pair.cluster].speed);
  return std::max(bound, *std::ranges::max_element(outcome_.durations[campaign]) / speed);
}

void Measurement::judge_campaigns() {
  double flows = 0;
  double slowdowns = 0;
  int ended = 0;
  for (std::size_t i = 0; i < metrics_.campaigns.size(); ++i) {
    if (!outcome_.campaigns[i].ended) continue;
    auto& campaign = metrics_.campaigns[i];
    campaign.flow = *outcome_.campaigns[i].ended - campaign.submitted;
    campaign.slowdown = *campaign.flow / alone(i);
    flows += *campaign.flow;
    slowdowns += *campaign.slowdown;
    ++ended;
  }
  if (ended > 0) {
    metrics_.mean_flow = flows / ended;
    metrics_.mean_slowdown = slowdowns / ended;
  }
  if (!outcome_.complete) return;
  double last = 0;
  for (const auto& job : outcome_.jobs) last = std::max(last, seconds_of(job.ended));
  double first = outcome_.end;
  for (const auto& campaign : metrics_.campaigns) first = std::min(first, campaign.submitted);
  metrics_.makespan = last - first;
}

/// Resource-seconds per second that a user received while one of their campaigns was present.
void Measurement::judge_users() {
  struct User {
    double used = 0;
    std::vector<std::pair<double, double>> wanted;
  };
  std::map<std::string, User> users;
  for (const auto& campaign : metrics_.campaigns) {
    if (campaign.submitted >= metrics_.end) continue;
    auto& user = users[campaign.user];
    user.used += campaign.used;
    user.wanted.emplace_back(campaign.submitted, campaign.flow ? campaign.submitted + *campaign.flow : metrics_.end);
  }
  std::vector<double> got;
  for (auto& [name, user] : users) {
    std::ranges::sort(user.wanted);
    double seconds = 0;
    double until = 0;
    for (const auto& [from, to] : user.wanted) {
      seconds += std::max(0.0, to - std::max(from, until));
      until = std::max(until, to);
    }
    if (seconds > 0) got.push_back(user.used / seconds);
  }
  metrics_.fairness = jain(got);
}

}  // namespace

LocalWaits local_waits_of(std::vector<double> seconds) {
  if (seconds.empty()) return {};
  std::ranges::sort(seconds);
  const auto place = static_cast<std::size_t>(std::ceil(0.95 * static_cast<double>(seconds.size()))) - 1;
  return {.jobs = std::ssize(seconds),
          .sum = std::accumulate(seconds.begin(), seconds.end(), 0.0),
          .p95 = seconds[place],
          .longest = seconds.back()};
}

bool was_lost(const Job& job) { return job.state == JobState::ended && (job.superseded || job.end != JobEnd::done); }

double seconds_run(const Job& job, double until) {
  if (!job.started) return 0;
  const double end = job.own_end ? seconds_of(job.own_end->at) : job.state == JobState::ended ? seconds_of(job.ended) : until;
  return std::max(0.0, std::min(end, until) - seconds_of(*job.started));
}

Use use_of(const Job& job, double until) {
  const double ran = seconds_run(job, until);
  const auto& checkpoints = job.checkpoints;
  if (!was_lost(job)) {
    const double written = checkpoints.period > 0 && job.state == JobState::ended ? ran - checkpoints.work_in(ran) : 0;
    return {.useful = ran - written, .lost = 0};
  }
  if (job.superseded) return {.useful = 0, .lost = ran};
  const double useful = saved_by(job);
  return {.useful = useful, .lost = std::max(0.0, checkpoints.work_in(ran) - useful)};
}

std::optional<double> jain(const std::vector<double>& got) {
  double sum = 0;
  double squares = 0;
  for (const double one : got) {
    sum += one;
    squares += one * one;
  }
  if (squares <= 0) return std::nullopt;
  return sum * sum / (static_cast<double>(got.size()) * squares);
}

Metrics measure(const Scenario& scenario, const Outcome& outcome) { return Measurement{scenario, outcome}.run(); }

}  // namespace gleaner::gridsim
