#include "lib/grid/checkpoint.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>

namespace gleaner::grid {
namespace {

constexpr std::array kSignals{CheckpointSignal{"USR1", SIGUSR1}, CheckpointSignal{"USR2", SIGUSR2}, CheckpointSignal{"HUP", SIGHUP},
                              CheckpointSignal{"TERM", SIGTERM}};

}  // namespace

std::span<const CheckpointSignal> checkpoint_signals() { return kSignals; }

std::optional<int> checkpoint_signal(std::string_view name) {
  const auto found = std::ranges::find(kSignals, name, &CheckpointSignal::name);
  return found == kSignals.end() ? std::nullopt : std::optional{found->number};
}

double Interruptions::mean_time() const {
  constexpr double kAssumed = 24 * 3600;
  return (std::max(seconds, 0.0) + kAssumed) / static_cast<double>(std::max<std::int64_t>(jobs, 0) + 1);
}

double optimal_period(double cost, double mean_time) {
  if (cost >= 2 * mean_time) return mean_time + cost;
  const double part = cost / (2 * mean_time);
  const double computing = std::sqrt(2 * cost * mean_time) * (1 + std::sqrt(part) / 3 + part / 9) - cost;
  return computing + cost;
}

double period_of(std::optional<double> stated, double cost, const Interruptions& interruptions) {
  return stated.value_or(optimal_period(cost, interruptions.mean_time()));
}

Seconds margin_before_end(Seconds cost, Seconds walltime, Seconds most) {
  constexpr Seconds kUntilNoticed{30};
  return std::min({cost + kUntilNoticed, walltime / 2, most});
}

double CheckpointedRun::length_of(double work) const {
  if (period <= cost || work <= period) return work;
  // After n signals, n * (period - cost) + cost of the work was done when the last one came.
  const double signals = std::ceil((work - cost) / (period - cost)) - 1;
  return work + signals * cost;
}

double CheckpointedRun::checkpoints_after(double seconds) const {
  return period <= cost || seconds < period + cost ? 0 : std::floor((seconds - cost) / period);
}

double CheckpointedRun::work_in(double seconds) const { return seconds - checkpoints_after(seconds) * cost; }

double CheckpointedRun::saved_after(double seconds) const {
  const double checkpoints = checkpoints_after(seconds);
  return checkpoints > 0 ? checkpoints * (period - cost) + cost : 0;
}

double CheckpointedRun::since_checkpoint(double seconds) const {
  const double checkpoints = checkpoints_after(seconds);
  return checkpoints > 0 ? seconds - checkpoints * period - cost : seconds;
}

}  // namespace gleaner::grid
