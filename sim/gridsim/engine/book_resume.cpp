#include <algorithm>

#include "sim/gridsim/engine/book.hpp"

/// The state at the beginning of the simulation.
namespace gleaner::gridsim {
namespace {

/// How long a job takes that has run for so long already: one of the durations that are longer, or, where
/// there is none, a tenth more than it has taken, as the planner supposes too.
double duration_beyond(const CampaignSpec& spec, double age, double speed, double drawn, Random& random) {
  constexpr int kTries = 200;
  if (drawn / speed > age) return drawn / speed;
  Draws draws{spec.duration, random};
  for (int i = 0; i < kTries; ++i) {
    if (const double again = draws.next() / speed; again > age) return again;
  }
  return age * 1.1 + 1.0;
}

}  // namespace

int Book::resume_job(int campaign, int pair, std::int64_t task, std::optional<double> age) {
  constexpr std::uint64_t kStream = 2'000'000;
  const int job = make_job({.campaign = grid::CampaignId{campaign + 1},
                            .cluster = grid::ClusterId{static_cast<std::int64_t>(spec_of(campaign).clusters[index_of(pair)].cluster) + 1}},
                           pair, task, {});
  if (!age) return job;
  const auto& spec = spec_of(campaign);
  const auto& on_cluster = spec.clusters[index_of(pair)];
  const double speed = on_cluster.speed.value_or(world_.scenario.clusters[on_cluster.cluster].speed);
  Random random{world_.scenario.seed, kStream + static_cast<std::uint64_t>(campaign) * 1'000'003 + static_cast<std::uint64_t>(task)};
  auto& one = world_.jobs[index_of(job)];
  one.held = instant_of(-*age);
  one.started = one.held;
  one.duration =
      std::min(duration_beyond(spec, *age, speed, one.duration * speed, random), std::max(on_cluster.facts.walltime, *age + 1.0));
  return job;
}

std::vector<int> Book::resume() {
  std::vector<int> jobs;
  for (std::size_t i = 0; i < world_.scenario.campaigns.size(); ++i) {
    const auto& spec = world_.scenario.campaigns[i];
    std::int64_t task = 0;
    for (std::size_t j = 0; j < spec.clusters.size(); ++j) {
      for (const auto& running : spec.clusters[j].state.running) {
        for (int k = 0; k < running.jobs; ++k) jobs.push_back(resume_job(static_cast<int>(i), static_cast<int>(j), task++, running.age));
      }
    }
    for (std::size_t j = 0; j < spec.clusters.size(); ++j) {
      for (int k = 0; k < spec.clusters[j].state.queued; ++k)
        jobs.push_back(resume_job(static_cast<int>(i), static_cast<int>(j), task++, std::nullopt));
    }
  }
  return jobs;
}

}  // namespace gleaner::gridsim
