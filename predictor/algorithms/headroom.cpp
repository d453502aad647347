#include "predictor/algorithms/headroom.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace gleaner::prediction {
namespace {

/// The longest time in which what local jobs took comes back.
constexpr double kLongestRestoring = 3600;
/// The part of what comes free that local jobs take, at most: beyond it nothing would come back.
constexpr double kMostOfRestored = 0.9;
/// Seconds of the demand of all hours that count beside those of the hour.
constexpr double kOthersCount = 3600;
constexpr double kLeastWatched = 600;
/// The part of the cost that another headroom saves, at least.
constexpr double kWorthAChange = 0.1;

/// Arrivals a second, by size.
struct Rates {
  double arrivals = 0;   ///< a second
  double resources = 0;  ///< a second
  std::vector<std::pair<int, double>> sizes = {};
};

Rates rates_of(const grid::LocalDemand& demand) {
  Rates rates;
  for (const auto& [size, count] : demand.arrivals) {
    const double rate = count / demand.seconds;
    if (size <= 0 || rate <= 0) continue;
    rates.sizes.emplace_back(size, rate);
    rates.arrivals += rate;
    rates.resources += rate * size;
  }
  return rates;
}

/// Seconds until what an arrival took has come back, others before it included.
double restoring(const Rates& rates, double restored_per_second) {
  if (restored_per_second <= 0) return kLongestRestoring;
  const double mean = rates.resources / rates.arrivals;
  const double used = std::min(rates.resources / restored_per_second, kMostOfRestored);
  return std::min(kLongestRestoring, mean / restored_per_second / (1 - used));
}

/// P(the demand of so many seconds is n), for n up to `most`: Panjer's recursion.
std::vector<double> demand_in(double seconds, const Rates& rates, int most) {
  std::vector<double> chance(static_cast<std::size_t>(most) + 1, 0.0);
  chance[0] = std::exp(-rates.arrivals * seconds);
  for (int n = 1; n <= most; ++n) {
    double sum = 0;
    for (const auto& [size, rate] : rates.sizes) {
      if (size <= n) sum += size * rate * seconds * chance[static_cast<std::size_t>(n - size)];
    }
    chance[static_cast<std::size_t>(n)] = sum / n;
  }
  return chance;
}

}  // namespace

int best_headroom(const grid::LocalDemand& demand, const HeadroomTerms& terms) {
  if (demand.seconds <= 0 || terms.most <= 0) return 0;
  const auto rates = rates_of(demand);
  if (rates.arrivals <= 0) return 0;
  const auto missing = demand_in(restoring(rates, terms.restored_per_second), rates, terms.most);
  std::vector<double> at_most(missing.size());  // P(so many are missing, or fewer)
  double sum = 0;
  for (std::size_t n = 0; n < missing.size(); ++n) at_most[n] = sum += missing[n];
  std::vector<double> costs{terms.weight * kGivingWay * rates.resources};  // of a headroom of 0, of 1…
  double idle = 0;
  for (int headroom = 1; headroom <= terms.most; ++headroom) {
    idle += at_most[static_cast<std::size_t>(headroom - 1)];
    double waits = 0;  // resources of jobs that wait, a second
    for (const auto& [size, rate] : rates.sizes) {
      const double fits = size <= headroom ? at_most[static_cast<std::size_t>(headroom - size)] : 0.0;
      waits += rate * size * (1 - fits);
    }
    costs.push_back(idle + terms.weight * kGivingWay * waits);
  }
  const auto best = std::ranges::min_element(costs);
  const bool may_stay = terms.current >= 0 && terms.current <= terms.most;
  if (may_stay && (1 - kWorthAChange) * costs[static_cast<std::size_t>(terms.current)] <= *best) return terms.current;
  return static_cast<int>(best - costs.begin());
}

grid::LocalDemand demand_of_hour(std::span<const grid::LocalDemand> hours, int hour) {
  grid::LocalDemand all;
  for (const auto& one : hours) all.add(one, 1);
  if (all.seconds < kLeastWatched) return {};
  grid::LocalDemand demand = hours[static_cast<std::size_t>(hour)];
  demand.add(all, kOthersCount / all.seconds);
  return demand;
}

}  // namespace gleaner::prediction
