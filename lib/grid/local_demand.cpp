#include "lib/grid/local_demand.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "lib/text/numbers.hpp"

namespace gleaner::grid {
namespace {

/// 14 days of one hour each.
constexpr double kMemory = 14 * 3600.0;
constexpr Seconds kLongestGap{60};
constexpr Seconds kLongestWait{60};
constexpr int kExactSizes = 16;
constexpr int kGreatestSize = 1 << 20;

int step_of(int resources) {
  if (resources <= kExactSizes) return resources;
  return static_cast<int>(std::bit_ceil(static_cast<unsigned>(std::min(resources, kGreatestSize))));
}

}  // namespace

void LocalDemand::observe(double watched, int resources) {
  seconds += watched;
  if (resources > 0) arrivals[step_of(resources)] += 1;
  if (seconds <= kMemory) return;
  const double kept = kMemory / seconds;
  seconds = kMemory;
  for (auto& [size, count] : arrivals) count *= kept;
}

void LocalDemand::add(const LocalDemand& other, double weight) {
  seconds += weight * other.seconds;
  for (const auto& [size, count] : other.arrivals) arrivals[size] += weight * count;
}

std::string LocalDemand::text() const {
  std::string text;
  for (const auto& [size, count] : arrivals) {
    if (!text.empty()) text += ' ';
    text += fmt::format("{}:{:.4g}", size, count);
  }
  return text;
}

std::optional<LocalDemand> local_demand(double seconds, std::string_view arrivals) {
  LocalDemand demand{.seconds = seconds, .arrivals = {}};
  while (!arrivals.empty()) {
    const auto end = std::min(arrivals.find(' '), arrivals.size());
    const auto one = arrivals.substr(0, end);
    arrivals.remove_prefix(std::min(end + 1, arrivals.size()));
    const auto colon = one.find(':');
    if (colon == std::string_view::npos) return std::nullopt;
    const auto size = text::whole_number<int>(one.substr(0, colon), 1, kGreatestSize);
    const auto count = text::real_number(one.substr(colon + 1));
    if (!size || !count || *count < 0) return std::nullopt;
    demand.arrivals[*size] += *count;
  }
  return demand;
}

int hour_of_day(Instant instant) {
  const auto time = instant - std::chrono::floor<std::chrono::days>(instant);
  return static_cast<int>(std::chrono::floor<std::chrono::hours>(time).count());
}

std::optional<LocalArrivals> note_poll(LocalWatch& watch, std::span<const LocalStart> local, Instant now) {
  const auto before = watch;
  watch = {.polled_at = now, .last_start = {}};
  LocalArrivals arrivals;
  for (const auto& job : local) {
    watch.last_start = std::max(watch.last_start, std::optional{job.started});
    const bool is_new = !before.last_start || job.started > *before.last_start;
    if (!is_new || job.started - job.submitted > kLongestWait) continue;
    arrivals.resources = std::min(kGreatestSize, arrivals.resources + std::clamp(job.resources, 0, kGreatestSize));
  }
  if (!before.polled_at || now <= *before.polled_at || now - *before.polled_at > kLongestGap) return std::nullopt;
  arrivals.seconds = std::chrono::duration<double>{now - *before.polled_at}.count();
  return arrivals;
}

}  // namespace gleaner::grid
