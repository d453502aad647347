#include "lib/grid/quality.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "lib/grid/flood.hpp"

namespace gleaner::grid {
namespace {

double seconds_between(Instant from, Instant to) { return std::max(0.0, std::chrono::duration<double>(to - from).count()); }

std::optional<double> part(double of, double whole) { return whole > 0 ? std::optional{of / whole} : std::nullopt; }

bool is_lost(Fate fate) { return fate != Fate::done && fate != Fate::failed && fate != Fate::walltime; }

}  // namespace

std::string_view name_of(Fate fate) {
  switch (fate) {
    case Fate::done: return "done";
    case Fate::failed: return "failed";
    case Fate::walltime: return "walltime";
    case Fate::preempted: return "preempted";
    case Fate::killed: return "killed";
    case Fate::taken_back: return "taken_back";
    case Fate::unsent: return "unsent";
    case Fate::lost: break;
  }
  return "lost";
}

Fate fate_of(JobEnd end, bool began) {
  switch (end) {
    case JobEnd::done: return Fate::done;
    case JobEnd::task_error:
    case JobEnd::rerun_first:
    case JobEnd::rerun_last:
    case JobEnd::bad_request: return Fate::failed;
    case JobEnd::walltime: return Fate::walltime;
    case JobEnd::preempted: return Fate::preempted;
    case JobEnd::killed_by_us: return began ? Fate::killed : Fate::taken_back;
    case JobEnd::never_submitted: return Fate::unsent;
    case JobEnd::killed_elsewhere:
    case JobEnd::node_failure:
    case JobEnd::cannot_start:
    case JobEnd::never_began:
    case JobEnd::lost:
    case JobEnd::duplicate:
    case JobEnd::not_reached: break;
  }
  return Fate::lost;
}

bool is_prompt(std::optional<Instant> sent, std::optional<Instant> started) { return !sent || !started || *started <= *sent + kSettling; }

void PlanFigures::count(const JudgedJob& job) {
  const auto fate = fate_of(job.end, job.started.has_value());
  ++jobs[static_cast<std::size_t>(fate)];
  if (job.sent) wait_s += seconds_between(*job.sent, job.started.value_or(job.ended));
  if (!job.started) return;
  ++started;
  if (!is_prompt(job.sent, job.started)) ++waited;
  const double held = seconds_between(*job.started, job.ended) * job.width;
  held_s += held;
  if (is_lost(fate)) wasted_s += held - job.saved * job.width;
}

PlanFigures& PlanFigures::operator+=(const PlanFigures& other) {
  std::ranges::transform(jobs, other.jobs, jobs.begin(), std::plus{});
  started += other.started;
  waited += other.waited;
  wait_s += other.wait_s;
  held_s += other.held_s;
  wasted_s += other.wasted_s;
  turns += other.turns;
  too_big += other.too_big;
  too_small += other.too_small;
  offered += other.offered;
  sent += other.sent;
  left_waiting += other.left_waiting;
  left_free += other.left_free;
  return *this;
}

std::int64_t PlanFigures::planned() const { return std::accumulate(jobs.begin(), jobs.end(), std::int64_t{0}); }
std::optional<double> PlanFigures::started_part() const { return part(static_cast<double>(started), static_cast<double>(planned())); }
std::optional<double> PlanFigures::mean_wait() const { return part(wait_s, static_cast<double>(planned() - of(Fate::unsent))); }
std::optional<double> PlanFigures::wasted_part() const { return part(wasted_s, held_s); }
std::optional<double> PlanFigures::too_many_part() const { return part(static_cast<double>(left_waiting), static_cast<double>(sent)); }
std::optional<double> PlanFigures::too_few_part() const { return part(left_free, offered); }

void ForecastFigures::count(Instant made, Instant end, const std::optional<Interval>& between, Instant actual) {
  constexpr double kLeast = 60;
  if (made >= actual) return;
  const double error = std::abs(std::chrono::duration<double>(actual - end).count());
  ++forecasts;
  if (between && between->earliest <= actual && actual <= between->latest) ++within;
  if (actual > end) ++early;
  error_s += error;
  error_parts += error / std::max(kLeast, seconds_between(made, actual));
}

ForecastFigures& ForecastFigures::operator+=(const ForecastFigures& other) {
  forecasts += other.forecasts;
  within += other.within;
  early += other.early;
  error_s += other.error_s;
  error_parts += other.error_parts;
  return *this;
}

std::optional<double> ForecastFigures::within_part() const { return part(static_cast<double>(within), static_cast<double>(forecasts)); }
std::optional<double> ForecastFigures::mean_error() const { return part(error_s, static_cast<double>(forecasts)); }
std::optional<double> ForecastFigures::mean_error_part() const { return part(error_parts, static_cast<double>(forecasts)); }

}  // namespace gleaner::grid
