#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "lib/grid/interval.hpp"
#include "lib/grid/states.hpp"
#include "lib/grid/time.hpp"

/// How good the plans were. Source: document 003, "Metascheduler": "control the effectiveness of scheduling decisions". The database counts
/// by triggers (sql/migrations/0007_quality.sql), gridsim by these functions; tests/db/accounting_test.cpp compares the two.
namespace gleaner::grid {

/// The fate of a job that was planned for a task, once it is over. The SQL function fate_of is the same.
enum class Fate {
  done,
  failed,      ///< by its task
  walltime,    ///< killed by its walltime
  preempted,   ///< gave way to a local job
  killed,      ///< by us, while it ran
  taken_back,  ///< by us, before it ran
  unsent,      ///< the cluster has not got it
  lost         ///< by the cluster, or by hand
};
inline constexpr std::array kFates{Fate::done,   Fate::failed,     Fate::walltime, Fate::preempted,
                                   Fate::killed, Fate::taken_back, Fate::unsent,   Fate::lost};
[[nodiscard]] std::string_view name_of(Fate fate);
[[nodiscard]] Fate fate_of(JobEnd end, bool began);

/// Whether a cluster started a job as soon as it starts jobs that fit, within kSettling. Unknown times: it did.
[[nodiscard]] bool is_prompt(std::optional<Instant> sent, std::optional<Instant> started);

/// A job of the cluster that was planned for a task (a pool's carrier too, its pooled tasks not), and is over.
struct JudgedJob {
  JobEnd end = JobEnd::done;
  std::optional<Instant> sent;     ///< empty: never
  std::optional<Instant> started;  ///< empty: never
  Instant ended;
  double width = 1;  ///< resources
  double saved = 0;  ///< seconds of its work that its last checkpoint holds, if it ended without success
};

/// Sums over plans. All of them add up: those of days, of clusters, of algorithms.
struct PlanFigures {
  // Jobs that are over.
  std::array<std::int64_t, kFates.size()> jobs{};  ///< by fate
  std::int64_t started = 0;
  std::int64_t waited = 0;  ///< of those that started, the ones that were not prompt
  double wait_s = 0;        ///< seconds from when they were sent to their start, or to their end if they never started
  double held_s = 0;        ///< resource-seconds from their starts to their ends
  double wasted_s = 0;      ///< of these, in jobs that ended by no fault of their task (usage.lost_seconds)
  // Cycles of a campaign on a cluster in which jobs were sent, as the next cycle found them.
  std::int64_t turns = 0;
  std::int64_t too_big = 0;       ///< turns after which more jobs waited than the flood allows
  std::int64_t too_small = 0;     ///< turns after which resources stayed free that another job would have had
  double offered = 0;             ///< resources
  std::int64_t sent = 0;          ///< jobs
  std::int64_t left_waiting = 0;  ///< of the jobs sent
  double left_free = 0;           ///< of the resources offered, where the ratio was too small

  void count(const JudgedJob& job);
  PlanFigures& operator+=(const PlanFigures& other);
  [[nodiscard]] std::int64_t of(Fate fate) const { return jobs[static_cast<std::size_t>(fate)]; }
  [[nodiscard]] std::int64_t planned() const;
  /// Part of the planned jobs that started; empty: none was planned.
  [[nodiscard]] std::optional<double> started_part() const;
  /// Seconds that a started or withdrawn job waited; empty: none was sent.
  [[nodiscard]] std::optional<double> mean_wait() const;
  /// Part of the held resource-seconds that was lost.
  [[nodiscard]] std::optional<double> wasted_part() const;
  /// The error of the ratio: the part of the sent jobs that waited, and the part of the offered resources that stayed free. Each is in
  /// [0, 1]; 0: the ratio was right.
  [[nodiscard]] std::optional<double> too_many_part() const;
  [[nodiscard]] std::optional<double> too_few_part() const;
  bool operator==(const PlanFigures&) const = default;
};

/// Sums over the kept forecasts of the ends of campaigns that have ended.
struct ForecastFigures {
  std::int64_t forecasts = 0;
  std::int64_t within = 0;  ///< the end was in the interval, which is to hold 8 of 10
  std::int64_t early = 0;   ///< the end came later than was said
  double error_s = 0;       ///< seconds between forecast and end
  double error_parts = 0;   ///< the same as parts of the time that was left; at least a minute counts as left

  /// A forecast from the end itself, or after it, is not counted.
  void count(Instant made, Instant end, const std::optional<Interval>& between, Instant actual);
  ForecastFigures& operator+=(const ForecastFigures& other);
  [[nodiscard]] std::optional<double> within_part() const;
  [[nodiscard]] std::optional<double> mean_error() const;  ///< seconds
  [[nodiscard]] std::optional<double> mean_error_part() const;
  bool operator==(const ForecastFigures&) const = default;
};

}  // namespace gleaner::grid
