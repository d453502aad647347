#include "sim/gridsim/engine/simulation.hpp"

#include <algorithm>

#include "sim/gridsim/engine/local_jobs.hpp"

namespace gleaner::gridsim {
namespace {

class Simulation {
 public:
  Simulation(const Scenario& scenario, double limit)
      : world_{scenario, {}, {}, {}, {}}, book_{world_}, grid_{world_, book_}, limit_{limit} {
    for (std::size_t i = 0; i < scenario.clusters.size(); ++i) {
      clusters_.emplace_back(static_cast<int>(i), local_jobs(scenario, i, limit), world_);
    }
    for (auto& cluster : clusters_) cluster.begin();
    for (const int job : book_.resume()) resume(job);
    for (std::size_t i = 0; i < scenario.campaigns.size(); ++i)
      world_.agenda.add(instant_of(std::max(0.0, scenario.campaigns[i].at)), {.kind = Event::Kind::submission, .job = static_cast<int>(i)});
  }

  void run(const GoesOn& goes_on = {}) {
    const auto end = instant_of(limit_);
    while (!world_.agenda.empty() && world_.agenda.next_time() <= end && !is_over()) {
      stopped_ = goes_on && !goes_on(seconds_of(world_.agenda.now()));
      if (stopped_) return;
      happen(world_.agenda.pop());
    }
  }
  [[nodiscard]] Outcome outcome() &&;

 private:
  [[nodiscard]] bool is_over() const { return hopeless_ || (!world_.scenario.campaigns.empty() && book_.all_over()); }
  void happen(const Event& event);
  void resume(int job);
  void submit(int campaign);
  void cycle();
  [[nodiscard]] bool is_hopeless(grid::Instant now);

  World world_;
  Book book_;
  GridCycle grid_;
  std::vector<Cluster> clusters_;
  double limit_;
  std::optional<grid::Instant> next_cycle_;  ///< its time in the agenda
  grid::Instant busy_until_{};
  std::int64_t cycles_ = 0;
  std::size_t changes_ = 0;      ///< changes of the clusters' usage, as of the last cycle
  grid::Instant last_change_{};  ///< time of the last cycle that found a change
  bool hopeless_ = false;        ///< no more jobs will start
  bool stopped_ = false;
};

/// Adds a job that existed before the simulation: running, or waiting in its cluster's queue.
void Simulation::resume(int job) {
  const auto& one = world_.jobs[static_cast<std::size_t>(job)];
  if (one.held && clusters_[static_cast<std::size_t>(one.cluster)].resume(job)) return;
  world_.agenda.add({}, {.kind = Event::Kind::job_queued, .cluster = one.cluster, .job = job});
}

void Simulation::happen(const Event& event) {
  if (event.kind == Event::Kind::submission) submit(event.job);
  else if (event.kind == Event::Kind::cycle) cycle();
  else clusters_[static_cast<std::size_t>(event.cluster)].happen(event);
}

/// A submission starts a cycle at once, or as soon as the present one is over.
void Simulation::submit(int campaign) {
  const auto now = world_.agenda.now();
  book_.submit(campaign, now);
  const auto at = std::max(now, busy_until_);
  if (next_cycle_ && *next_cycle_ <= at) return;
  next_cycle_ = at;
  world_.agenda.add(at, {.kind = Event::Kind::cycle});
}

void Simulation::cycle() {
  const auto now = world_.agenda.now();
  if (next_cycle_ != now) return;  // superseded by an earlier cycle
  ++cycles_;
  busy_until_ = grid_.run(clusters_, now);
  next_cycle_.reset();
  if (!book_.active()) return;
  hopeless_ = is_hopeless(now);
  next_cycle_ = std::max(now + world_.scenario.config.cycle_period, busy_until_);
  world_.agenda.add(*next_cycle_, {.kind = Event::Kind::cycle});
}

/// Only starts and ends of jobs count as progress: waiting jobs may be taken back and submitted again for ever.
bool Simulation::is_hopeless(grid::Instant now) {
  if (world_.usage.size() != changes_) {
    changes_ = world_.usage.size();
    last_change_ = now;
  }
  return world_.scenario.give_up && std::ranges::all_of(clusters_, &Cluster::is_without_us) &&
         seconds_of(now) - seconds_of(last_change_) > *world_.scenario.give_up;
}

Outcome Simulation::outcome() && {
  Outcome outcome;
  outcome.complete = is_over() && !hopeless_;
  outcome.stopped = stopped_;
  outcome.end = is_over() || stopped_ ? seconds_of(world_.agenda.now()) : limit_;
  outcome.cycle_count = cycles_;
  outcome.cycles = grid_.history();
  outcome.ratios = grid_.ratios();
  for (std::size_t i = 0; i < world_.scenario.campaigns.size(); ++i) {
    const auto& campaign = book_.campaign(static_cast<int>(i));
    CampaignOutcome one{.submitted = campaign.submitted,
                        .done = campaign.done,
                        .failed = campaign.failed,
                        .ended = std::nullopt,
                        .forecasts = campaign.forecasts};
    if (campaign.ended_at) one.ended = seconds_of(*campaign.ended_at);
    outcome.campaigns.push_back(one);
  }
  for (const auto& cluster : clusters_) outcome.awake.push_back(cluster.awake_until(instant_of(outcome.end)));
  outcome.durations = book_.durations();
  outcome.jobs = std::move(world_.jobs);
  outcome.usage = std::move(world_.usage);
  outcome.local_waits = std::move(world_.local_waits);
  return outcome;
}

}  // namespace

Outcome simulate(const Scenario& scenario, const GoesOn& goes_on) {
  Simulation simulation{scenario, scenario.length.value_or(kLongestRun)};
  simulation.run(goes_on);
  return std::move(simulation).outcome();
}

Outcome simulate_local(const Scenario& scenario, double end) {
  auto alone = scenario;
  alone.campaigns.clear();
  Simulation simulation{alone, end};
  simulation.run();
  return std::move(simulation).outcome();
}

}  // namespace gleaner::gridsim
