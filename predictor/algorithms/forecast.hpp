#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "lib/grid/durations.hpp"
#include "lib/grid/interval.hpp"
#include "lib/grid/time.hpp"

/// When a campaign ends. Source: spec/003, "Predictor"; spec/README, "Forecast of the end".
namespace gleaner::prediction {

/// How far a campaign is, on all its clusters.
struct Progress {
  grid::Instant now;
  grid::Instant started;             ///< its first job's start; its submission while none has started
  std::int64_t remaining = 0;        ///< tasks that are neither done, failed nor cancelled
  std::int64_t running = 0;          ///< jobs that run now
  std::int64_t ended_in_window = 0;  ///< jobs that ended within the window before `now`
  grid::Seconds window{7200};
  grid::Durations durations;
  grid::Durations earlier{};  ///< of earlier campaigns of the same user and command, while it has none of its own
  double walltime = 0;        ///< seconds, the greatest that it asks for; 0: not known
  std::int64_t slots = 0;     ///< jobs that its clusters could run at once, if they were its alone
};

/// What a forecast rests on: nothing; the mean of its own jobs; their throughput; the mean of the same user's earlier campaigns of the
/// same command; its walltime, which is a bound and no more.
enum class Method { none, average, throughput, history, walltime };
[[nodiscard]] std::string_view name_of(Method method);

struct Forecast {
  double throughput = 0.0;                ///< jobs a second, by the time that they ended
  std::optional<grid::Instant> end;       ///< nothing while nothing is known
  std::optional<grid::Interval> between;  ///< the end, in 8 of 10 cases; holds `end`
  Method method = Method::none;
};

/// While the campaign is younger than twice its mean duration, too few jobs have ended to count
/// them: the mean duration and the number of jobs that run at once give the end. Then the
/// throughput over the window does (over the campaign's age, when that is shorter), as long as
/// anything ended in it. Without a job of its own that ended, what is known of earlier campaigns
/// stands for it, or at last its walltime.
///
/// The interval: what waits empties at the throughput, after B = waiting * mean / slots; then the
/// jobs that run then end, the last of them after the greatest of their residual times. B is taken
/// as normal, its variance being that of the work that waits (waiting * deviation^2 / slots^2) and
/// that of the mean or the throughput, seen in n jobs (B^2 * cv^2 / n). The residual times are those
/// of a renewal process in equilibrium whose durations are gamma distributed with the mean and the
/// deviation seen (Cox, Renewal Theory, 1962: density (1 - F) / mean), so that the greatest of r is
/// below x with probability F_res(x)^r. A deviation seen in few jobs is drawn towards half the mean.
/// Assumed: durations are independent, jobs go on getting as many resources as now, and preemption
/// costs as much as it did: a preempted job counts in no throughput. By its walltime alone, the end
/// is anywhere between the start and the bound.
[[nodiscard]] Forecast forecast(const Progress& progress);

/// What is before a campaign of which no job has started.
struct Turn {
  grid::Instant now;
  double cycle = 5;       ///< seconds between two cycles
  bool has_room = false;  ///< resources for a job of it are free now, and nobody before it wants them
  double next_end = 0;    ///< seconds until a job on its clusters ends, on average; 0: none runs
  double ahead = 0;       ///< seconds until the bags of those before it are empty, on average
  double ahead_most = 0;  ///< the same if each of their jobs whose duration is not known takes its walltime
};
struct StartForecast {
  grid::Instant start;
  grid::Interval between;
};

/// With room, the next cycle plans it and OAR starts it. Else, if campaigns go in the order of their
/// submission, when the bags before it are empty and a resource comes free; in another order perhaps
/// already at the next end of a job: the time to it is taken as exponential (ends of many jobs that
/// know nothing of each other), so that its quantiles are those of one. Nothing when no job runs, and none can.
[[nodiscard]] std::optional<StartForecast> forecast_start(const Turn& turn);

}  // namespace gleaner::prediction
