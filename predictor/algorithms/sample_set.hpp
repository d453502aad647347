#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <span>
#include <vector>

/// Which samples of a cluster's jobs are kept: a bounded number, independent of the number of jobs.
namespace gleaner::prediction {

constexpr std::size_t kMostSamples = 256;

/// The indices of the samples to forget, in ascending order. `running` has one entry for each sample, in the order of their starts: the
/// jobs that ran when it started. While there are more than `most`, every second sample of the older half goes. Exempt are the newest
/// `kept_of_each` of those that started among about as many jobs, down to an eighth of the present number, so that each level of load keeps
/// samples. A sample's duration has no influence. Cost: O(samples · log samples).
[[nodiscard]] inline std::vector<std::size_t> samples_to_forget(std::span<const int> running, std::size_t most = kMostSamples,
                                                                std::size_t kept_of_each = 16) {
  std::vector<std::size_t> places;
  if (running.size() <= most) return places;
  constexpr double kClass = 1.25;
  const int least = running.back() / 8;
  std::map<int, std::size_t> kept;
  std::vector<std::size_t> free;
  for (std::size_t place = running.size(); place-- > 0;) {
    const auto one = static_cast<int>(std::log(std::max(1, running[place])) / std::log(kClass));
    if (running[place] < least || ++kept[one] > kept_of_each) free.push_back(place);
  }
  std::ranges::reverse(free);
  for (std::size_t i = 0; i < free.size() / 2; i += 2) places.push_back(free[i]);
  // The exempt samples may still be too many; then the oldest ones go.
  for (std::size_t place = 0; place < running.size() && running.size() - places.size() > most; ++place) {
    if (!std::ranges::binary_search(places, place)) places.insert(std::ranges::lower_bound(places, place), place);
  }
  return places;
}

}  // namespace gleaner::prediction
