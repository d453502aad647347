#include "clients/gridstat/report/figures.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace gleaner::gridstat::report {
namespace {

/// Sums of what happened up to the end of each slice.
std::vector<std::int64_t> summed(std::vector<std::int64_t> counts) {
  std::partial_sum(counts.begin(), counts.end(), counts.begin());
  return counts;
}

}  // namespace

std::size_t Slices::of(std::int64_t time) const {
  if (time <= from || until <= from) return 0;
  const auto place = static_cast<double>(time - from) / static_cast<double>(until - from) * static_cast<double>(count);
  return std::min(static_cast<std::size_t>(place), count - 1);
}

OnCluster& Figures::on(const std::string& cluster) {
  const auto [place, is_new] = places_.try_emplace(cluster, clusters_.size());
  if (is_new) clusters_.push_back({.cluster = cluster});
  return clusters_[place->second];
}

void Figures::add(const clients::Json& task) {
  const auto state = task["state"].text();
  const auto start = task["start_time"].time();
  const auto stop = task["stop_time"].time();
  const bool is_done = state == "done";
  if (task["attempt"].integer() > 0) ++repeated_;
  if (task["cluster_name"].is_null()) return;
  auto& cluster = on(task["cluster_name"].text());
  if (is_done) ++cluster.done;
  if (state == "failed") ++cluster.failed;
  if (!start) return;
  // Clocks of clusters differ: no time is negative.
  if (const auto sent = task["submission_time"].time()) cluster.waits.push_back(std::max<std::int64_t>(0, *start - *sent));
  runs_.push_back({*start, stop, is_done});
  if (!stop) return;
  const auto duration = std::max<std::int64_t>(0, *stop - *start);
  if (is_done) cluster.durations.push_back(duration);
  if (task["resources_used"].is_null()) cluster.knows_resources = false;
  cluster.resource_seconds += static_cast<double>(duration) * static_cast<double>(task["resources_used"].integer());
}

void Figures::finish() {
  for (auto& cluster : clusters_) {
    std::ranges::sort(cluster.durations);
    std::ranges::sort(cluster.waits);
  }
  std::ranges::sort(clusters_, {}, &OnCluster::cluster);
}

std::vector<std::int64_t> Figures::done_by(const Slices& slices) const {
  std::vector<std::int64_t> counts(slices.count);
  for (const auto& run : runs_) {
    if (run.is_done && run.stop) ++counts[slices.of(*run.stop)];
  }
  return summed(std::move(counts));
}

/// The time for which all tasks together ran up to a moment b is the sum of b - start of those that started before it, less that of
/// b - stop of those that stopped before it. So it takes the number and the sum of these times up to each slice's end.
std::vector<double> Figures::running_in(const Slices& slices) const {
  std::vector<double> counts(slices.count), times(slices.count);
  const auto add = [&](std::int64_t time, double sign) {
    const auto within = std::clamp(time, slices.from, slices.until);
    counts[slices.of(within)] += sign;
    times[slices.of(within)] += sign * static_cast<double>(within - slices.from);
  };
  for (const auto& run : runs_) {
    add(run.start, 1);
    if (run.stop) add(std::max(*run.stop, run.start), -1);
  }
  const auto length = static_cast<double>(std::max<std::int64_t>(1, slices.until - slices.from)) / static_cast<double>(slices.count);
  std::vector<double> means(slices.count);
  double count = 0, time = 0, before = 0;
  for (std::size_t i = 0; i < slices.count; ++i) {
    count += counts[i];
    time += times[i];
    const auto all = count * length * static_cast<double>(i + 1) - time;
    means[i] = std::max(0.0, (all - before) / length);
    before = all;
  }
  return means;
}

std::int64_t quantile(std::span<const std::int64_t> sorted, double part) {
  const auto rank = static_cast<std::size_t>(std::ceil(part * static_cast<double>(sorted.size())));
  return sorted[std::clamp<std::size_t>(rank, 1, sorted.size()) - 1];
}

std::vector<DurationClass> duration_classes(std::span<const OnCluster> clusters) {
  constexpr std::int64_t kMinute = 60, kHour = 3600, kDay = 86400;
  constexpr std::array kMost{std::int64_t{1}, std::int64_t{2}, std::int64_t{5}, std::int64_t{10}, std::int64_t{30},
                             kMinute,         2 * kMinute,     5 * kMinute,     10 * kMinute,     30 * kMinute,
                             kHour,           2 * kHour,       5 * kHour,       10 * kHour,       kDay,
                             2 * kDay,        5 * kDay,        10 * kDay,       30 * kDay,        std::numeric_limits<std::int64_t>::max()};
  std::array<std::int64_t, kMost.size()> counts{};
  for (const auto& cluster : clusters) {
    for (const auto duration : cluster.durations)
      ++counts[static_cast<std::size_t>(std::ranges::lower_bound(kMost, duration) - kMost.begin())];
  }
  std::vector<DurationClass> classes;
  for (std::size_t i = 0; i < kMost.size(); ++i) {
    if (counts[i] > 0 || !classes.empty()) classes.push_back({kMost[i], counts[i]});
  }
  while (!classes.empty() && classes.back().tasks == 0) classes.pop_back();
  return classes;
}

}  // namespace gleaner::gridstat::report
