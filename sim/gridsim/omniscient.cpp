#include "sim/gridsim/omniscient.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

namespace gleaner::gridsim {
namespace {

constexpr double kRounding = 1e-6;  // tolerance of sums over a whole simulation

/// The capacity over time, as intervals of constant capacity.
class Bound {
 public:
  Bound(const Scenario& scenario, std::span<const double> work) : scenario_{scenario}, work_{work}, packed_(scenario.clusters.size()) {
    for (const auto& cluster : scenario.clusters) free_.push_back(cluster.resources());
    widths_.resize(scenario.clusters.size());
  }

  Omniscient run(std::span<const UsageChange> usage, double end);

 private:
  void submit(std::size_t campaign);
  [[nodiscard]] double rate();
  bool pass(double until, Omniscient& result);

  const Scenario& scenario_;
  std::span<const double> work_;
  std::vector<int> free_;
  std::vector<std::vector<Width>> widths_;  ///< by cluster, of the campaigns submitted
  std::vector<std::map<int, int>> packed_;  ///< by cluster: cached packings of these widths
  double submitted_ = 0;
  std::size_t to_submit_ = 0;
  double now_ = 0;
};

void Bound::submit(std::size_t campaign) {
  --to_submit_;
  submitted_ += work_[campaign];
  const auto& spec = scenario_.campaigns[campaign];
  for (const auto& pair : spec.clusters) {
    auto& widths = widths_[pair.cluster];
    const auto known = std::ranges::find(widths, pair.width, &Width::width);
    if (known == widths.end()) widths.push_back({pair.width, spec.tasks});
    else known->tasks += spec.tasks;
    packed_[pair.cluster].clear();
  }
}

double Bound::rate() {
  double rate = 0;
  for (std::size_t i = 0; i < free_.size(); ++i) {
    const auto [known, is_new] = packed_[i].try_emplace(free_[i], 0);
    if (is_new) known->second = packed(free_[i], widths_[i]);
    rate += known->second * scenario_.clusters[i].speed;
  }
  return rate;
}

/// Advances to an instant, or only to the end of the work if that comes first and no campaign is still to be submitted; false then.
bool Bound::pass(double until, Omniscient& result) {
  const double at = rate();
  const double gained = at * (until - now_);
  const bool all_done = result.work + gained >= submitted_ - kRounding;
  if (all_done && to_submit_ == 0) {
    result.until = at > 0 ? std::min(until, now_ + (submitted_ - result.work) / at) : now_;
    result.work = submitted_;
    result.complete = true;
    return false;
  }
  result.work = std::min(submitted_, result.work + gained);
  now_ = until;
  return true;
}

Omniscient Bound::run(std::span<const UsageChange> usage, double end) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < work_.size(); ++i) {
    if (work_[i] > 0 && scenario_.campaigns[i].at < end) order.push_back(i);
  }
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return scenario_.campaigns[i].at; });
  to_submit_ = order.size();
  Omniscient result{.until = end};
  auto change = usage.begin();
  for (auto next = order.begin(); now_ < end;) {
    double until = end;
    if (next != order.end()) until = std::min(until, scenario_.campaigns[*next].at);
    if (change != usage.end()) until = std::min(until, std::chrono::duration<double>{change->time.time_since_epoch()}.count());
    if (until > now_ && !pass(until, result)) return result;
    for (; next != order.end() && scenario_.campaigns[*next].at <= until; ++next) submit(*next);
    for (; change != usage.end() && std::chrono::duration<double>{change->time.time_since_epoch()}.count() <= until; ++change)
      free_[static_cast<std::size_t>(change->cluster)] -= change->delta;
  }
  return result;
}

}  // namespace

int packed(int free, std::span<const Width> widths) {
  if (std::ranges::any_of(widths, [&](const Width& width) { return width.width == 1 && width.tasks >= free; })) return std::max(0, free);
  std::vector<bool> sums(static_cast<std::size_t>(std::max(0, free)) + 1, false);
  sums[0] = true;
  for (const auto& width : widths) {
    // The fewest jobs of this width that each sum needs, if the other widths make up the rest.
    std::vector<std::int64_t> used(sums.size(), std::numeric_limits<std::int64_t>::max());
    for (std::size_t sum = 0; sum < sums.size(); ++sum) {
      const auto step = static_cast<std::size_t>(width.width);
      if (sums[sum]) used[sum] = 0;
      else if (sum >= step && used[sum - step] < width.tasks) used[sum] = used[sum - step] + 1;
    }
    for (std::size_t sum = 0; sum < sums.size(); ++sum) sums[sum] = used[sum] <= width.tasks;
  }
  for (std::size_t sum = sums.size(); sum-- > 0;) {
    if (sums[sum]) return static_cast<int>(sum);
  }
  return 0;
}

Omniscient omniscient(const Scenario& scenario, std::span<const UsageChange> usage, std::span<const double> work, double end) {
  return Bound{scenario, work}.run(usage, end);
}

std::vector<double> work_of(const Scenario& scenario, std::span<const std::vector<double>> durations) {
  std::vector<double> work;
  for (std::size_t i = 0; i < durations.size(); ++i) {
    int width = std::numeric_limits<int>::max();
    for (const auto& pair : scenario.campaigns[i].clusters) width = std::min(width, pair.width);
    work.push_back(std::accumulate(durations[i].begin(), durations[i].end(), 0.0) * width);
  }
  return work;
}

}  // namespace gleaner::gridsim
