#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "lib/grid/durations.hpp"
#include "lib/grid/interval.hpp"
#include "lib/grid/time.hpp"
#include "predictor/algorithms/sharing.hpp"
#include "predictor/algorithms/spread.hpp"

/// When a campaign ends. Source: document 003, "Predictor"; docs/prediction.md, "The end of a campaign".
namespace gleaner::prediction {

/// The progress of a campaign, on all its clusters together.
struct Progress {
  grid::Instant now;
  grid::Instant started;             ///< start of its first job; its submission while none has started
  std::int64_t remaining = 0;        ///< tasks that are neither done, failed nor cancelled
  std::int64_t running = 0;          ///< jobs that run now
  double running_seconds = 0;        ///< for which these have run, in all
  std::int64_t ended_in_window = 0;  ///< jobs that ended within the window before `now`
  grid::Seconds window{7200};
  grid::Durations durations;
  grid::Durations earlier{};           ///< durations of earlier campaigns of the same user and command, while it has none of its own
  double walltime = 0;                 ///< seconds, the greatest walltime that it requests; 0: not known
  std::int64_t slots = 0;              ///< jobs that its clusters could run at once, if they served it alone
  double cycle = 5;                    ///< seconds between two cycles
  double pace = 0;                     ///< tasks that its clusters can carry out in a second, however short they are; 0: not known
  double least_start = 0;              ///< seconds that one more job takes at least, its tasks not included
  std::optional<Emptying> emptying{};  ///< when its bag will be empty, if others share its clusters
  Phase phase = Phase::running;        ///< while none has started: how they will begin; times are then from the first start on
};

/// The basis of a forecast: none; the mean duration of its own jobs; their throughput; the mean of the same user's earlier campaigns with
/// the same command; its walltime, which is only a bound. Or why there is none, although tasks wait: the campaign is paused; another one
/// comes first; a user holds some of its tasks, so that it does not end; brakes hold it everywhere; none of its clusters takes tasks; none
/// that does has live resources. Or only an epilogue is left.
enum class Method { none, average, throughput, sharing, history, walltime, paused, awaits, held, braked, closed, no_resources, epilogue };
[[nodiscard]] std::string_view name_of(Method method);

struct Forecast {
  double throughput = 0.0;                ///< jobs per second, by the times at which they ended
  std::optional<grid::Instant> end;       ///< empty: nothing is known yet
  std::optional<grid::Interval> between;  ///< holds the end in 8 of 10 cases, and contains `end`
  Method method = Method::none;
  double least = 0;  ///< seconds that the rest takes at least
};

/// While the campaign is younger than twice its mean duration, too few jobs have ended to count them: the mean duration and the number of
/// jobs that run at once determine the end. Later, the throughput over the window (or over the campaign's age, if that is shorter) does, as
/// long as any job ended in it. A campaign without an ended job of its own uses the durations of earlier campaigns, or else its walltime.
///
/// The interval: the waiting tasks are used up at the throughput, after B = waiting * mean / slots; then the jobs that run at that time
/// end, the last one after the greatest of their residual times. B is taken as normal; its variance is the sum of that of the waiting work
/// (waiting * deviation^2 / slots^2) and that of the estimated mean or throughput from n jobs (B^2 * cv^2 / n). The residual times are
/// those of a renewal process in equilibrium whose durations are gamma distributed with the observed mean and deviation (Cox, Renewal
/// Theory, 1962: density (1 - F) / mean), so the greatest of r is below x with probability F_res(x)^r. A deviation observed in few jobs is
/// drawn towards half the mean. Assumptions: durations are independent, jobs continue to get as many resources as now, and preemption costs
/// as much as before (a preempted job does not count as throughput). By the walltime alone, the end is anywhere between the start and the
/// bound. By the durations of earlier campaigns, the end is the median of this model.
///
/// No task is shorter than the grid allows: of n jobs at once, none lasts less than n / pace on average, and no throughput is above the
/// pace, until one that is has been measured for a minute or so. Neither the end nor its interval is before the waiting tasks can have
/// started.
[[nodiscard]] Forecast forecast(const Progress& progress);

/// The work before a campaign of which no job has started.
struct Turn {
  grid::Instant now;
  double cycle = 5;            ///< seconds between two cycles
  bool has_room = false;       ///< resources for one of its jobs are free now, and no earlier campaign needs them
  double next_end = 0;         ///< seconds until a job on its clusters ends, on average; 0: no job runs
  double ahead = 0;            ///< seconds until the bags of earlier campaigns are empty; jobs of unknown duration take their walltime
  double ahead_deviation = 0;  ///< of that, where durations are known
  /// The certain delay by campaigns that go before it: seconds that the jobs of known duration need on average, and seconds until OAR can
  /// have started all of their jobs. Empty: others need not go before.
  struct Certain {
    double known = 0;
    double starts = 0;
  };
  std::optional<Certain> certain{};
};
struct StartForecast {
  grid::Instant start;
  grid::Interval between;
  Phase phase = Phase::one_by_one;
};

/// The end of a campaign of which none has started, from its start and from the time between the two. Both rest on durations that are
/// partly the same, so their errors are taken as correlated by 0.4. The intervals of a bound are added up.
[[nodiscard]] Forecast delayed(const Forecast& forecast, const StartForecast& start, grid::Instant now);

/// The end of a campaign of which none has started, where it does not follow from the start: neither is before the start's.
[[nodiscard]] Forecast no_sooner(const Forecast& forecast, const StartForecast& start);

/// With room, the next cycle plans it and OAR starts it. Else it starts when the bags before it are empty and a resource becomes free, or,
/// where others need not go before, perhaps at the next end of a job. The time to the next end is taken as exponential (many independent
/// jobs). The interval begins no earlier than the work that certainly goes before it can be over. Empty: no job runs, and none can.
[[nodiscard]] std::optional<StartForecast> forecast_start(const Turn& turn);

}  // namespace gleaner::prediction
