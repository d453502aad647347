#include "lib/grid/clock.hpp"

#include <atomic>

namespace gleaner::grid {
namespace {

std::atomic<const TimeSource*> time_source{nullptr};

}  // namespace

void take_time_from(const TimeSource* source) { time_source = source; }

Instant now() {
  const auto* const source = time_source.load();
  return source == nullptr ? std::chrono::floor<Instant::duration>(std::chrono::system_clock::now()) : source->now();
}

SteadyClock::time_point SteadyClock::now() {
  const auto* const source = time_source.load();
  return source == nullptr ? std::chrono::steady_clock::now() : time_point{source->steady().time_since_epoch()};
}

}  // namespace gleaner::grid
