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

/// Number of ends from `first` on that are all shorter than the bound.
std::size_t streak(std::span<const double> ends, double bound, std::size_t first = 0) {
  const auto from = ends.subspan(first);
  return static_cast<std::size_t>(std::ranges::find_if(from, [&](double end) { return end >= bound; }) - from.begin());
}

/// The same, up to a job that began among them, at `from` or later, and has run for longer.
std::size_t streak(const LastEnds& last, double bound, std::size_t first, std::size_t from) {
  auto end = first + streak(last.here, bound, first);
  for (const auto& job : last.running) {
    if (job.seconds >= bound && job.younger >= from) end = std::min(end, job.younger);
  }
  return end - first;
}
std::size_t newest(const LastEnds& last, double bound) { return streak(last, bound, 0, 0); }

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

/// The share of short ends among all but some short ones that are in question, by Laplace's estimate.
double share_of_short(const LastEnds& last, std::size_t in_question, double bound) {
  auto all = last.here.size() - in_question;
  auto few = shorter_than(last.here, bound) - in_question;
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

Sink sink_of(const LastEnds& last, Sink sink) {
  sink.mean = mean_of(std::span{last.here}.subspan(sink.first, sink.ends));
  return sink;
}

std::optional<Sink> sink_by_min_duration(const LastEnds& last) {
  if (!last.min_duration) return std::nullopt;
  const auto ends = newest(last, *last.min_duration);
  if (ends < kMinEnds) return std::nullopt;
  return sink_of(last, {.ends = ends, .usual = *last.min_duration, .bound = *last.min_duration, .by = Sink::By::min_duration});
}

/// Whether chance does not explain that so many ends in a row from `first` on are short. When many jobs begin at once, the shortest end
/// first: those that began after a job of which nobody knows yet whether it is a short one are no evidence.
bool is_evidence(const LastEnds& last, std::size_t first, std::size_t ends, double bound) {
  auto known_from = first;
  for (const auto& job : last.running) {
    if (job.seconds < bound) known_from = std::max(known_from, job.younger);
  }
  if (first + ends < known_from + kMinEnds) return false;
  const bool has_worked = ends < last.here.size() && !last.suspected;
  const auto least = needed(share_of_short(last, ends, bound), has_worked ? kOnceInAMillion : kOnceInAHundred);
  return least && first + ends >= known_from + *least;
}

/// The duration of the ends on the cluster before its newest ones, if these took almost no time, and the one below which they did.
struct Before {
  double usual, bound;
};
std::optional<Before> duration_before(const LastEnds& last) {
  if (!last.others_may_judge || duration_elsewhere(last)) return std::nullopt;
  const auto before = std::span{last.here}.subspan(newest(last, kSomeWork + last.start_cost));
  if (std::ssize(before) < kMinEnds) return std::nullopt;
  const auto usual = lower_median({before.begin(), before.end()}).value_or(0.0);
  if (usual < kLeastElsewhere) return std::nullopt;
  return Before{usual, std::min(std::min(usual / 10.0, kSomeWork) + last.start_cost, usual / 2.0)};
}

std::optional<Sink> sink_by_elsewhere(const LastEnds& last) {
  const auto elsewhere = duration_elsewhere(last);
  const auto bound = bound_elsewhere(elsewhere, last.start_cost);
  if (!bound) return std::nullopt;
  if (const auto ends = newest(last, *bound); is_evidence(last, 0, ends, *bound))
    return sink_of(last, {.ends = ends, .usual = *elsewhere, .bound = *bound, .by = Sink::By::elsewhere});
  for (auto first = last.uncompared_from.value_or(last.here.size()); first < last.here.size();) {
    const auto ends = streak(last, *bound, first, first + 1);
    if (is_evidence(last, first, ends, *bound))
      return sink_of(last,
                     {.first = first, .ends = ends, .usual = *elsewhere, .bound = *bound, .by = Sink::By::elsewhere, .is_over = true});
    first += std::max<std::size_t>(1, ends);
  }
  return std::nullopt;
}

std::optional<Sink> sink_by_those_before(const LastEnds& last) {
  const auto before = duration_before(last);
  if (!before) return std::nullopt;
  const auto ends = newest(last, before->bound);
  if (!is_evidence(last, 0, ends, before->bound)) return std::nullopt;
  return sink_of(last, {.ends = ends, .usual = before->usual, .bound = before->bound, .by = Sink::By::before});
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
  auto compared = sink_by_elsewhere(last);
  if (!compared) compared = sink_by_those_before(last);
  if (!stated || !compared) return stated ? stated : compared;
  return !compared->is_over && compared->ends > stated->ends ? compared : stated;
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
  const auto elsewhere = duration_elsewhere(last);
  auto bound = bound_elsewhere(elsewhere, last.start_cost).value_or(0.0);
  // Nothing can be compared: at least some work.
  if (const auto before = duration_before(last); !elsewhere && last.others_may_judge) bound = before ? before->bound : kSomeWork;
  return last.here.front() >= std::max(last.min_duration.value_or(0.0), bound);
}

}  // namespace gleaner::grid
