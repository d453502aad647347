#include "lib/oar/traffic.hpp"

#include <algorithm>

namespace gleaner::oar {

void Traffic::note(Kind kind, std::chrono::duration<double> latency) {
  const auto bucket = static_cast<std::size_t>(std::ranges::lower_bound(kBounds, latency.count()) - kBounds.begin());
  const std::lock_guard lock{mutex_};
  auto& count = counts_[kind];
  ++count.requests;
  count.seconds += latency.count();
  ++count.buckets.at(bucket);
}

std::map<Traffic::Kind, Traffic::Count> Traffic::take() {
  const std::lock_guard lock{mutex_};
  return std::exchange(counts_, {});
}

}  // namespace gleaner::oar
