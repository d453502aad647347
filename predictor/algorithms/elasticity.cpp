#include "predictor/algorithms/elasticity.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace gleaner::prediction {
namespace {

constexpr int kFewest = 12;
constexpr double kSignificant = 4.0;
constexpr double kSuspicious = 0.15;
constexpr double kSaturated = 0.5;
/// Seconds. Shorter durations are mostly OAR's own overhead, and show nothing of a shared resource.
constexpr double kShortest = 10.0;
/// The most pairs per campaign for the medians; more would not change them noticeably.
constexpr std::size_t kPairs = 4096;

using Group = std::vector<const DurationSample*>;
using Groups = std::map<grid::CampaignId, Group>;

Groups by_campaign(std::span<const DurationSample> samples) {
  Groups groups;
  for (const auto& sample : samples) groups[sample.campaign].push_back(&sample);
  return groups;
}

double median_of(std::vector<double>& values) {
  if (values.empty()) return 0.0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Leaves out the samples that started so late that most similar jobs could not have ended yet: they add only variance.
void leave_out_young(Group& near, Group& far) {
  std::vector<double> known;
  for (const auto* group : {&near, &far}) {
    for (const auto* sample : *group) {
      if (sample->seconds < sample->horizon) known.push_back(sample->seconds);
    }
  }
  const double usual = median_of(known);
  for (auto* group : {&near, &far}) std::erase_if(*group, [&](const DurationSample* sample) { return sample->horizon < usual; });
}

/// The durations of two jobs within the time for which both could be observed.
struct Seen {
  double one, other;
  bool any_ended;  ///< within that time
};
Seen seen(const DurationSample& one, const DurationSample& other) {
  const double horizon = std::min(one.horizon, other.horizon);
  return {std::max(kShortest, std::min(one.seconds, horizon)), std::max(kShortest, std::min(other.seconds, horizon)),
          one.seconds < horizon || other.seconds < horizon};
}

}  // namespace

bool Elasticity::is_enough() const { return here >= kFewest && others >= kFewest; }
bool Elasticity::is_suspicious() const { return is_enough() && significance >= kSignificant && slope >= kSuspicious; }
bool Elasticity::is_saturated() const { return is_suspicious() && slope >= kSaturated; }

Elasticity elasticity(std::span<const DurationSample> here, std::span<const DurationSample> others) {
  Elasticity result;
  double score = 0.0, variance = 0.0;
  std::vector<double> slopes, ratios;
  auto far = by_campaign(others);
  auto close = by_campaign(here);
  for (auto& [campaign, near] : close) {
    const auto found = far.find(campaign);
    if (found == far.end()) continue;
    leave_out_young(near, found->second);
    const auto ours = static_cast<double>(near.size()), theirs = static_cast<double>(found->second.size());
    result.here += static_cast<int>(near.size());
    result.others += static_cast<int>(found->second.size());
    variance += ours * theirs * (ours + theirs + 1.0) / 3.0;
    const std::size_t stride = 1 + near.size() * found->second.size() / kPairs;
    std::size_t pair = 0;
    for (const auto* one : near) {
      for (const auto* other : found->second) {
        const auto both = seen(*one, *other);
        if (one->running == other->running || !both.any_ended) continue;
        if (both.one != both.other) score += (both.one > both.other) == (one->running > other->running) ? 1.0 : -1.0;
        if (pair++ % stride != 0) continue;
        const double longer = std::log(both.one / both.other);
        slopes.push_back(longer / std::log(static_cast<double>(one->running) / other->running));
        ratios.push_back(longer);
      }
    }
  }
  if (variance > 0.0) result.significance = score / std::sqrt(variance);
  result.slope = median_of(slopes);
  result.ratio = std::exp(median_of(ratios));
  return result;
}

}  // namespace gleaner::prediction
