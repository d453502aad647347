#include "lib/grid/sink.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <ranges>

namespace gleaner::grid {
namespace {

/// The probabilities up to which chance explains short ends: for a cluster that has shown work, and for one that has not.
constexpr double kOnceInAMillion = 1e-6;
constexpr double kOnceInAHundred = 1e-2;

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::size_t shorter_than(std::span<const double> ends, double bound) {
  return static_cast<std::size_t>(std::ranges::count_if(ends, [&](double end) { return end < bound; }));
}

/// Number of newest ends that are all shorter than the bound.
std::size_t streak(std::span<const double> ends, double bound) {
  return static_cast<std::size_t>(std::ranges::find_if(ends, [&](double end) { return end >= bound; }) - ends.begin());
}

std::optional<double> duration_elsewhere(const LastEnds& last) {
  std::vector<double> means;
  for (const auto& ends : last.elsewhere) {
    if (std::ssize(ends) >= kMinEnds) means.push_back(mean_of(ends));
  }
  return lower_median(std::move(means));
}

/// Number of short ends in a row that are needed, if chance makes this share of all ends short.
std::optional<std::size_t> needed(double share, double chance) {
  if (share >= 0.5) return std::nullopt;
  return std::max<std::size_t>(kMinEnds, static_cast<std::size_t>(std::ceil(std::log(chance) / std::log(share))));
}

/// The share of short ends among the others, by Laplace's estimate.
double share_of_short(const LastEnds& last, std::size_t in_question, double bound) {
  const auto before = std::span{last.here}.subspan(in_question);
  auto all = before.size();
  auto few = shorter_than(before, bound);
  for (const auto& ends : last.elsewhere) {
    all += ends.size();
    few += shorter_than(ends, bound);
  }
  return static_cast<double>(few + 1) / static_cast<double>(all + 2);
}

/// The duration of the longer ones of the done jobs: their mean, weighted by themselves, so that a few jobs of no time do not hide one.
double longer_ones(const Shown& shown) {
  if (shown.done == 0 || shown.duration_sum <= 0) return 0.0;
  return std::max(shown.duration_sum / static_cast<double>(shown.done), shown.duration_squares / shown.duration_sum);
}

std::optional<Sink> sink_by_min_duration(const LastEnds& last) {
  if (!last.min_duration) return std::nullopt;
  const auto ends = streak(last.here, *last.min_duration);
  if (ends < kMinEnds) return std::nullopt;
  return Sink{ends, mean_of(std::span{last.here}.first(ends)), *last.min_duration, *last.min_duration, Sink::By::min_duration};
}

std::optional<Sink> sink_by_elsewhere(const LastEnds& last) {
  const auto elsewhere = duration_elsewhere(last);
  const auto bound = bound_elsewhere(elsewhere, last.start_cost);
  if (!bound) return std::nullopt;
  const auto ends = streak(last.here, *bound);
  if (ends < kMinEnds) return std::nullopt;
  const bool has_worked = ends < last.here.size() && !last.suspected;
  const auto least = needed(share_of_short(last, ends, *bound), has_worked ? kOnceInAMillion : kOnceInAHundred);
  if (!least || ends < *least) return std::nullopt;
  return Sink{ends, mean_of(std::span{last.here}.first(ends)), *elsewhere, *bound, Sink::By::elsewhere};
}

}  // namespace

std::optional<double> lower_median(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  const auto middle = values.begin() + (std::ssize(values) - 1) / 2;
  std::ranges::nth_element(values, middle);
  return *middle;
}

std::optional<Sink> find_sink(const LastEnds& last) {
  if (may_end_at_once(last.min_duration)) return std::nullopt;
  const auto stated = sink_by_min_duration(last);
  const auto compared = sink_by_elsewhere(last);
  if (!stated || !compared) return stated ? stated : compared;
  return compared->ends > stated->ends ? compared : stated;
}

std::optional<std::int64_t> most_unjudged(const Shown& here, std::span<const Shown> elsewhere, int few, std::optional<double> min_duration,
                                          double walltime) {
  if (min_duration || walltime < kLeastElsewhere || longer_ones(here) >= kSomeWork) return std::nullopt;
  if (here.done == 0 && here.runs_on) return std::nullopt;
  auto judge = Shown::Judge::never;
  for (const auto& other : elsewhere) {
    if (other.done >= kMinEnds) return std::nullopt;
    judge = std::max(judge, other.judge);
  }
  if (judge == Shown::Judge::never) return std::nullopt;
  if (here.done == 0 || judge == Shown::Judge::later) return few;
  return std::max<std::int64_t>(0, std::max(few, kMinEnds) - here.done);
}

void lengthen(Sink& sink, std::span<const double> here) {
  sink.ends = std::max(sink.ends, streak(here, sink.bound));
  sink.mean = mean_of(here.first(std::min(sink.ends, here.size())));
}

bool shows_work(const LastEnds& last) {
  if (last.here.empty()) return false;
  if (may_end_at_once(last.min_duration)) return true;
  const auto bound = bound_elsewhere(duration_elsewhere(last), last.start_cost);
  return last.here.front() >= std::max(last.min_duration.value_or(0.0), bound.value_or(0.0));
}

}  // namespace gleaner::grid
