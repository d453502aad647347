#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "lib/grid/time.hpp"
#include "predictor/algorithms/elasticity.hpp"

/// How many of our jobs a cluster under stress takes. Three signals tell stress: the factor that OAR answers, the time in which its API
/// answers a small question, and jobs that take the longer the more of them run. The limit falls by a factor and rises by a step
/// (additive increase, multiplicative decrease), and is gone when it has grown to the cluster's size.
namespace gleaner::prediction {

enum class StressSignal { none, factor, latency, durations };
[[nodiscard]] std::string_view name_of(StressSignal signal);
/// Nothing for a name that there is not.
[[nodiscard]] std::optional<StressSignal> stress_signal(std::string_view name);

struct StressRules {
  double factor_max = 0.8;      ///< the factor from which on there is stress; 0: it is not looked at
  double latency_factor = 5.0;  ///< so many times slower than when calm is stress; 0: it is not looked at
  bool durations = true;
  grid::Seconds pause{30};  ///< that a change of the limit is left to show what it does
};

/// One poll of a cluster.
struct StressReading {
  grid::Instant time;
  std::optional<double> factor;      ///< OAR's, when it told
  std::optional<double> latency_ms;  ///< of a small question
  int max_resources = 0;
  int live_jobs = 0;     ///< ours
  int running_jobs = 0;  ///< of them
};

/// What is remembered of a cluster from one poll to the next.
struct StressState {
  std::optional<grid::Instant> judged_at;  ///< of the last reading
  std::optional<double> usual_factor;
  std::optional<double> calm_latency_ms;
  int stressed_polls = 0;                    ///< readings in a row with a factor that is too big
  int slow_polls = 0;                        ///< and with a slow answer
  std::optional<int> job_limit;              ///< of our live jobs; nothing: there is none
  StressSignal signal = StressSignal::none;  ///< that lowered the limit last
  std::string reason;                        ///< the same for people, with its figures
  std::optional<grid::Instant> limited_at;   ///< since when there is a limit
  std::optional<grid::Instant> changed_at;   ///< when it was last lowered, raised or lifted
  std::optional<grid::Instant> trial_at;     ///< when durations were last put to a trial that showed nothing
};

/// The state after one more reading. `samples` are jobs of that cluster, in any order.
///
/// - The factor is OAR's, from 0 to 1, "1 or more" being stress; its packaged script answers the load average instead. Where more than
///   1 is usual, stress is twice the usual. A single reading is no stress, three in a row are.
/// - An answer is slow when it takes latency_factor times as long as while the cluster is calm, 1 s at least and 3 s at most. What is
///   usual is learnt in minutes while nothing is limited; in hours while something is, so that a lasting change is accepted in the end.
/// - Durations: the jobs that started at about the present number of jobs against those that started while fewer ran, or more.
///   When they make it probable that more jobs take longer, half as many are tried. Only when the jobs are as much faster then is the
///   cluster limited, down to where fewer jobs make them no faster, and up again as long as more do not make them slower. Otherwise the
///   limit is lifted at once, and not tried again for a day.
/// - While more of our jobs live than the limit allows, it is not lowered further: the running ones must end first.
[[nodiscard]] StressState judge_stress(const StressState& old, const StressReading& reading, std::span<const DurationSample> samples,
                                       const StressRules& rules);

}  // namespace gleaner::prediction
