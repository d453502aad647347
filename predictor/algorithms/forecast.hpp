#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "lib/grid/time.hpp"

/// When a campaign ends. Source: spec/003, "Predictor"; spec/README, "Forecast of the end".
namespace gleaner::prediction {

/// Durations of the jobs that are done, as sums, so that they can be kept by the job.
struct Durations {
  std::int64_t count = 0;
  double sum = 0.0;      ///< seconds
  double squares = 0.0;  ///< seconds squared
};
[[nodiscard]] std::optional<double> mean_of(const Durations& durations);
/// Of the population; 0 for one job.
[[nodiscard]] std::optional<double> deviation_of(const Durations& durations);

/// How far a campaign is, on all its clusters.
struct Progress {
  grid::Instant now;
  grid::Instant started;       ///< its first job's start; its submission while none has started
  std::int64_t remaining = 0;  ///< tasks that are neither done, failed nor cancelled
  std::int64_t running = 0;    ///< jobs that run now
  std::int64_t ended_in_window = 0;  ///< jobs that ended within the window before `now`
  grid::Seconds window{7200};
  Durations durations;
};

enum class Method { none, average, throughput };
[[nodiscard]] std::string_view name_of(Method method);

struct Forecast {
  double throughput = 0.0;           ///< jobs a second, by the time that they ended
  std::optional<grid::Instant> end;  ///< nothing while nothing is known
  Method method = Method::none;
};

/// While the campaign is younger than twice its mean duration, too few jobs have ended to count
/// them: the mean duration and the number of jobs that run at once give the end. Then the
/// throughput over the window does (over the campaign's age, when that is shorter), as long as
/// anything ended in it.
[[nodiscard]] Forecast forecast(const Progress& progress);

}  // namespace gleaner::prediction
