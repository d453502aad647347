#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "lib/grid/time.hpp"
#include "predictor/algorithms/elasticity.hpp"

/// How many of our jobs a cluster under stress takes. Three signals indicate stress: the factor that OAR reports, the time in which its API
/// answers a small request, and jobs that take longer the more of them run. The limit falls by a factor and rises by a step (additive
/// increase, multiplicative decrease), and is lifted when it has grown to the cluster's size.
namespace gleaner::prediction {

enum class StressSignal { none, factor, latency, durations };
[[nodiscard]] std::string_view name_of(StressSignal signal);
/// Empty: no signal has that name.
[[nodiscard]] std::optional<StressSignal> stress_signal(std::string_view name);

struct StressRules {
  double factor_max = 0.8;      ///< the least factor that counts as stress; 0: the signal is off
  double latency_factor = 5.0;  ///< an answer that takes so many times the calm latency counts as stress; 0: the signal is off
  bool durations = true;
  grid::Seconds pause{30};  ///< seconds between two changes of the limit, so that a change can show its effect
};

/// One poll of a cluster.
struct StressReading {
  grid::Instant time;
  std::optional<double> factor;      ///< OAR's stress factor; empty: not reported
  std::optional<double> latency_ms;  ///< milliseconds of a small request; empty: not measured
  int max_resources = 0;
  int live_jobs = 0;     ///< ours
  int running_jobs = 0;  ///< of them
};

/// The state of a cluster that is kept from one poll to the next.
struct StressState {
  std::optional<grid::Instant> judged_at;  ///< of the last reading
  std::optional<double> usual_factor;
  std::optional<double> calm_latency_ms;
  int stressed_polls = 0;                    ///< consecutive readings with a factor that is too big
  int slow_polls = 0;                        ///< consecutive readings with a slow answer
  std::optional<int> job_limit;              ///< the most live jobs of ours; empty: no limit
  StressSignal signal = StressSignal::none;  ///< the signal that lowered the limit last
  std::string reason;                        ///< the same as a sentence with its figures
  std::optional<grid::Instant> limited_at;   ///< when the present limit was first set
  std::optional<grid::Instant> changed_at;   ///< when it was last lowered, raised or lifted
  std::optional<grid::Instant> trial_at;     ///< when a trial by durations last ended without a finding
};

/// The state after one more reading. `samples` are jobs of that cluster, in any order. Pure.
///
/// - The factor is OAR's, from 0 to 1, and "1 or more" means stress; its packaged script reports the load average instead. If more than 1
///   is usual, twice the usual factor counts as stress. One reading is not enough; three in a row are.
/// - An answer is slow if it takes latency_factor times the calm latency, clamped to 1 to 3 s. The calm latency is learnt within minutes
///   while there is no limit, and within hours while there is one, so that a lasting change is accepted in the end.
/// - Durations: the jobs that started at about the present number of jobs are compared with those that started among fewer, or more. If
///   they suggest that more jobs take longer, half as many are tried. Only if the jobs become faster in proportion is the cluster limited:
///   down to where fewer jobs are no faster, and up again as long as more are no slower. Otherwise the limit is lifted at once, and there
///   is no other trial for a day.
/// - While more of our jobs live than the limit allows, it is not lowered further: running jobs have to end first.
[[nodiscard]] StressState judge_stress(const StressState& old, const StressReading& reading, std::span<const DurationSample> samples,
                                       const StressRules& rules);

}  // namespace gleaner::prediction
