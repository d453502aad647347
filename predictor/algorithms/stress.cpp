#include "predictor/algorithms/stress.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace gleaner::prediction {
namespace {

constexpr int kInARow = 3;
constexpr double kSlowestCalm = 3000.0, kFastestSlow = 1000.0;  // ms
constexpr double kDecrease = 0.5;
/// Steps in which the limit rises from 0 to the cluster's size.
constexpr int kSteps = 40;
/// The least limit, as a fraction of the cluster's size.
constexpr double kFloor = 0.02;
/// Jobs that must have ended at the present limit before it rises, if durations had lowered it.
constexpr int kEnoughEnds = 16;
/// Jobs that must have ended before a trial without a finding is given up.
constexpr int kVerdictEnds = 48;
constexpr grid::Seconds kRest{86400};

constexpr std::array<std::string_view, 4> kNames{"none", "stress_factor", "latency", "durations"};

int floor_of(const StressReading& reading) { return std::max(1, static_cast<int>(std::lround(kFloor * reading.max_resources))); }

/// Tracks the usual value: down faster than up, and up very slowly while the cluster is limited.
void learn(std::optional<double>& usual, double seen, bool is_limited) {
  constexpr double kDown = 0.1, kUp = 0.01, kUpLimited = 0.0005;
  if (!usual) {
    usual = seen;
    return;
  }
  // An outlier counts as at most twice the usual value.
  const double bounded = std::min(seen, 2.0 * *usual + 1e-3);
  *usual += (seen < *usual ? kDown : is_limited ? kUpLimited : kUp) * (bounded - *usual);
}

double worst_factor(const StressState& state, const StressRules& rules) {
  return state.usual_factor.value_or(0.0) > 1.0 ? std::max(rules.factor_max, 2.0 * *state.usual_factor) : rules.factor_max;
}

double worst_latency(const StressState& state, const StressRules& rules) {
  return std::clamp(rules.latency_factor * state.calm_latency_ms.value_or(0.0), kFastestSlow, kSlowestCalm);
}

/// The samples that started among `least` to `most` times `level` jobs, after `since`.
std::vector<DurationSample> around(std::span<const DurationSample> samples, double level, double least, double most,
                                   std::optional<grid::Instant> since) {
  std::vector<DurationSample> found;
  std::ranges::copy_if(samples, std::back_inserter(found), [&](const DurationSample& sample) {
    return sample.running >= least * level && sample.running <= most * level && (!since || sample.started > *since);
  });
  return found;
}

/// Judges one reading.
class Judge {
 public:
  Judge(const StressState& old, const StressReading& reading, std::span<const DurationSample> samples, const StressRules& rules)
      : state_{old}, reading_{reading}, samples_{samples}, rules_{rules}, last_judged_{old.judged_at} {}

  StressState judge() {
    if (state_.job_limit && *state_.job_limit >= reading_.max_resources) lift();
    read_factor();
    read_latency();
    state_.judged_at = reading_.time;
    const bool watched = rules_.factor_max > 0 || rules_.latency_factor > 0 || rules_.durations;
    if (!watched) lift();
    else if (state_.stressed_polls > 0 || state_.slow_polls > 0) judge_polls();
    else if (!(rules_.durations && judge_durations()) && may_rise()) rise();
    return state_;
  }

 private:
  void read_factor() {
    if (!reading_.factor || rules_.factor_max <= 0) {
      state_.stressed_polls = 0;
      return;
    }
    if (!state_.usual_factor) state_.usual_factor = *reading_.factor;
    const bool is_stress = *reading_.factor >= worst_factor(state_, rules_);
    state_.stressed_polls = is_stress ? std::min(state_.stressed_polls + 1, kInARow) : 0;
    learn(state_.usual_factor, *reading_.factor, state_.job_limit.has_value());
  }

  void read_latency() {
    if (!reading_.latency_ms || rules_.latency_factor <= 0) {
      state_.slow_polls = 0;
      return;
    }
    if (!state_.calm_latency_ms) state_.calm_latency_ms = *reading_.latency_ms;
    const bool is_slow = *reading_.latency_ms >= worst_latency(state_, rules_);
    state_.slow_polls = is_slow ? std::min(state_.slow_polls + 1, kInARow) : 0;
    learn(state_.calm_latency_ms, *reading_.latency_ms, state_.job_limit.has_value());
  }

  [[nodiscard]] bool has_settled() const { return !state_.changed_at || reading_.time - *state_.changed_at >= rules_.pause; }
  /// True for the first reading in each `pause`.
  [[nodiscard]] bool is_due() const {
    const auto pauses = [&](grid::Instant time) { return time.time_since_epoch() / rules_.pause; };
    return !last_judged_ || rules_.pause.count() == 0 || pauses(reading_.time) != pauses(*last_judged_);
  }
  [[nodiscard]] bool is_draining() const { return state_.job_limit && reading_.live_jobs > *state_.job_limit; }

  /// One or two stressed readings only keep the limit from rising.
  void judge_polls() {
    if (std::max(state_.stressed_polls, state_.slow_polls) < kInARow || !has_settled() || is_draining()) return;
    int base = state_.job_limit.value_or(reading_.max_resources);
    if (reading_.live_jobs > 0) base = std::min(base, reading_.live_jobs);
    const double limit = kDecrease * base;
    if (state_.stressed_polls >= kInARow)
      lower(limit, StressSignal::factor,
            fmt::format("its stress factor is {:g}, and {:g} is too much", *reading_.factor, worst_factor(state_, rules_)));
    else
      lower(limit, StressSignal::latency,
            fmt::format("its API takes {:.0f} ms for a small question, {:.0f} ms when it is calm", *reading_.latency_ms,
                        *state_.calm_latency_ms));
  }

  /// The number of running jobs whose durations are judged: the limit where it binds, else the present number.
  [[nodiscard]] double level() const { return is_binding() ? *state_.job_limit : reading_.running_jobs; }
  [[nodiscard]] bool is_binding() const { return state_.job_limit && reading_.running_jobs >= 0.8 * *state_.job_limit; }
  [[nodiscard]] std::vector<DurationSample> here(std::optional<grid::Instant> since) const {
    return around(samples_, level(), 0.8, 1.25, since);
  }
  /// The samples that started at the present limit.
  [[nodiscard]] std::vector<DurationSample> here() const { return here(state_.job_limit ? state_.changed_at : std::nullopt); }

  /// True: the limit was lowered. Samples from before the limit are left out, because these jobs ran among many more jobs later than at
  /// their start.
  bool judge_durations() {
    if (samples_.empty() || !has_settled() || is_draining()) return false;
    if (!state_.job_limit && !is_due()) return false;
    if (is_trial()) return end_trial();
    if (!state_.job_limit && state_.trial_at && reading_.time - *state_.trial_at < kRest) return false;
    const auto fewer = elasticity(here(state_.limited_at), around(samples_, level(), 0.2, 0.7, state_.limited_at));
    if (state_.job_limit ? fewer.is_saturated() : fewer.is_suspicious()) {
      lower(level() * kDecrease, StressSignal::durations, described(fewer, "fewer"));
      return true;
    }
    if (!state_.job_limit || fewer.is_enough()) return false;
    // There are no samples among fewer jobs. If each reduction so far made the jobs faster, a further one may help too.
    const auto more = elasticity(here(), around(samples_, level(), 1.4, 2.5, std::nullopt));
    if (!more.is_saturated()) return false;
    lower(level() * kDecrease, StressSignal::durations, described(more, "more"));
    return true;
  }

  /// Whether the present limit is a trial: durations set it, and nothing has changed it since.
  [[nodiscard]] bool is_trial() const {
    return state_.signal == StressSignal::durations && state_.job_limit && state_.changed_at == state_.limited_at;
  }

  /// Ends a trial if enough jobs have ended: lowers the limit further if the jobs became faster in proportion, else lifts it. True: the
  /// limit must not rise now.
  bool end_trial() {
    if (!is_binding()) return false;
    const auto more = elasticity(here(), around(samples_, level(), 1.4, 2.5, std::nullopt));
    if (!more.is_saturated() && (!more.is_enough() || ended_here() < kVerdictEnds)) return true;
    if (more.is_saturated()) {
      lower(level() * kDecrease, StressSignal::durations, described(more, "more"));
    } else {
      state_.trial_at = reading_.time;
      lift();
    }
    return true;
  }
  [[nodiscard]] std::ptrdiff_t ended_here() const {
    const auto now = here();
    return std::ranges::count_if(now, [](const DurationSample& sample) { return sample.seconds < sample.horizon; });
  }

  [[nodiscard]] std::string described(const Elasticity& found, std::string_view others) const {
    return fmt::format(
        "with about {:.0f} of our jobs running, jobs take {:.2f} times as long as with {} (the duration grows with the jobs to the power {:.2f})",
        level(), found.ratio, others, found.slope);
  }

  [[nodiscard]] bool may_rise() const {
    if (!state_.job_limit || !has_settled() || is_draining()) return false;
    if (state_.signal != StressSignal::durations || !is_binding()) return true;
    return ended_here() >= kEnoughEnds || reading_.time - *state_.changed_at >= patience();
  }
  /// After this time the limit rises even with too few ended samples: three times the median duration.
  [[nodiscard]] grid::Seconds patience() const {
    constexpr double kDurations = 3.0;
    constexpr int kPauses = 20;
    std::vector<double> known;
    for (const auto& sample : here(std::nullopt)) known.push_back(sample.seconds);
    if (known.empty()) return kPauses * rules_.pause;
    const auto middle = known.begin() + static_cast<std::ptrdiff_t>(known.size() / 2);
    std::ranges::nth_element(known, middle);
    return std::max(rules_.pause, grid::Seconds{static_cast<std::int64_t>(kDurations * *middle)});
  }

  void lower(double limit, StressSignal signal, std::string reason) {
    const int most = std::max(1, static_cast<int>(limit));
    const int next = std::max(most, floor_of(reading_));
    if (next >= reading_.max_resources) return;
    state_.signal = signal;
    state_.reason = std::move(reason);
    if (state_.job_limit && next >= *state_.job_limit) return;
    if (!state_.job_limit) state_.limited_at = reading_.time;
    state_.job_limit = next;
    state_.changed_at = reading_.time;
  }

  void rise() {
    state_.job_limit = *state_.job_limit + std::max(1, reading_.max_resources / kSteps);
    state_.changed_at = reading_.time;
    if (*state_.job_limit >= reading_.max_resources) lift();
  }

  void lift() {
    if (state_.job_limit) state_.changed_at = reading_.time;
    state_.job_limit.reset();
    state_.limited_at.reset();
    state_.signal = StressSignal::none;
    state_.reason.clear();
  }

  StressState state_;
  const StressReading& reading_;
  std::span<const DurationSample> samples_;
  const StressRules& rules_;
  std::optional<grid::Instant> last_judged_;
};

}  // namespace

std::string_view name_of(StressSignal signal) { return kNames[static_cast<std::size_t>(signal)]; }

std::optional<StressSignal> stress_signal(std::string_view name) {
  const auto found = std::ranges::find(kNames, name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<StressSignal>(found - kNames.begin());
}

StressState judge_stress(const StressState& old, const StressReading& reading, std::span<const DurationSample> samples,
                         const StressRules& rules) {
  if (old.judged_at && reading.time <= *old.judged_at) return old;
  if (reading.max_resources <= 0) return old;
  return Judge{old, reading, samples, rules}.judge();
}

}  // namespace gleaner::prediction
