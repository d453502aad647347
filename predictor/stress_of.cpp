#include "predictor/stress_of.hpp"

#include <algorithm>
#include <span>
#include <stdexcept>

#include "predictor/algorithms/sample_set.hpp"
#include "predictor/algorithms/stress.hpp"

namespace gleaner::predictor {
namespace {

prediction::StressRules rules_of(const process::Config& config) {
  return {.factor_max = config.stress_max,
          .latency_factor = config.stress_latency,
          .durations = config.stress_durations,
          .pause = std::chrono::ceil<grid::Seconds>(config.stress_pause)};
}

prediction::StressState state_of(const store::StressedCluster& cluster) {
  const auto signal = prediction::stress_signal(cluster.signal);
  if (!signal) throw std::logic_error{"there is no signal of stress named " + cluster.signal};
  return {.judged_at = cluster.judged_at,
          .usual_factor = cluster.usual_stress,
          .calm_latency_ms = cluster.calm_latency_ms,
          .stressed_polls = cluster.stressed_polls,
          .slow_polls = cluster.slow_polls,
          .job_limit = cluster.job_limit,
          .signal = *signal,
          .reason = cluster.reason,
          .limited_at = cluster.limited_at,
          .changed_at = cluster.changed_at,
          .trial_at = cluster.trial_at};
}

void write_state(store::StressedCluster& cluster, const prediction::StressState& state) {
  cluster.judged_at = state.judged_at;
  cluster.usual_stress = state.usual_factor;
  cluster.calm_latency_ms = state.calm_latency_ms;
  cluster.stressed_polls = state.stressed_polls;
  cluster.slow_polls = state.slow_polls;
  cluster.job_limit = state.job_limit;
  cluster.signal = prediction::name_of(state.signal);
  cluster.reason = state.reason;
  cluster.limited_at = state.limited_at;
  cluster.changed_at = state.changed_at;
  cluster.trial_at = state.trial_at;
}

prediction::DurationSample sample_of(const store::StoredSample& sample, grid::Instant now) {
  const double age = std::max(0.0, std::chrono::duration<double>{now - sample.started_at}.count());
  const double seconds = sample.seconds.value_or(age);
  return {.campaign = sample.campaign,
          .started = sample.started_at,
          .running = sample.running,
          .seconds = seconds,
          .horizon = sample.seconds && !sample.done ? seconds : std::max(age, seconds)};
}

StressChange change_of(const std::optional<int>& before, const std::optional<int>& after) {
  if (before == after) return StressChange::none;
  if (!after) return StressChange::lifted;
  return !before || *after < *before ? StressChange::lowered : StressChange::raised;
}

}  // namespace

JudgedStress stress_of(const store::StressFacts& facts, const process::Config& config) {
  JudgedStress judged;
  const auto rules = rules_of(config);
  for (const auto& facts_of_one : facts.clusters) {
    if (facts_of_one.judged_at == facts_of_one.time) continue;
    const auto stored = std::ranges::equal_range(facts.samples, facts_of_one.id, {}, &store::StoredSample::cluster);
    std::vector<prediction::DurationSample> samples;
    std::vector<int> running;
    for (const auto& sample : stored) {
      samples.push_back(sample_of(sample, facts_of_one.time));
      running.push_back(sample.running);
    }
    const prediction::StressReading reading{.time = facts_of_one.time,
                                            .factor = facts_of_one.stress,
                                            .latency_ms = facts_of_one.response_ms,
                                            .max_resources = facts_of_one.max_resources,
                                            .live_jobs = facts_of_one.live,
                                            .running_jobs = facts_of_one.running};
    JudgedCluster one{.cluster = facts_of_one};
    write_state(one.cluster, prediction::judge_stress(state_of(facts_of_one), reading, samples, rules));
    one.change = change_of(facts_of_one.job_limit, one.cluster.job_limit);
    judged.clusters.push_back(std::move(one));
    for (const auto place : prediction::samples_to_forget(running))
      judged.forgotten.push_back(stored[static_cast<std::ptrdiff_t>(place)].job);
  }
  return judged;
}

}  // namespace gleaner::predictor
