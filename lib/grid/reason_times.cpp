#include "lib/grid/reason_times.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace gleaner::grid {
namespace {

/// Adds up the periods of one pair.
ReasonTimes times_of_pair(std::span<const ReasonPeriod> periods, Instant from, Instant now) {
  const auto& first = periods.front();
  const auto& last = periods.back();
  ReasonTimes times{.cluster = first.cluster, .cluster_name = first.cluster_name};
  times.from = first.summed ? first.since : std::max(first.since, from);
  times.until = std::max(last.until.value_or(now), times.from);
  std::map<std::pair<std::string, std::string>, Length> sums;
  auto undecided = times.until - times.from;
  for (const auto& period : periods) {
    const auto end = std::min(period.until.value_or(now), times.until);
    const auto lasted = period.summed ? period.lasted : std::max(Length{0}, end - std::max(period.since, times.from));
    sums[{period.reason, period.subject}] += lasted;
    undecided -= lasted;
  }
  times.undecided = undecided;
  for (const auto& [key, lasted] : sums) times.shares.push_back({key.first, key.second, lasted});
  std::ranges::stable_sort(times.shares, std::ranges::greater{}, &ReasonShare::lasted);
  return times;
}

}  // namespace

std::vector<ReasonTimes> times_of(std::span<const ReasonPeriod> periods, Instant from, Instant now) {
  std::vector<ReasonTimes> all;
  while (!periods.empty()) {
    const auto pair = periods.front().cluster;
    const auto count = std::ranges::find_if(periods, [&](const ReasonPeriod& one) { return one.cluster != pair; }) - periods.begin();
    all.push_back(times_of_pair(periods.first(static_cast<std::size_t>(count)), from, now));
    periods = periods.subspan(static_cast<std::size_t>(count));
  }
  return all;
}

}  // namespace gleaner::grid
