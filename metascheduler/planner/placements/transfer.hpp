#pragma once
#include <algorithm>
#include <tuple>

#include "metascheduler/planner/placements/placement.hpp"
#include "metascheduler/planner/placements/speed.hpp"

namespace gleaner::planner {

/// The cluster on which a job is expected to end first, with the transfer of its input: input / bandwidth + duration there. The campaign's
/// input files that are not there yet are transferred first. A cluster without a known bandwidth is assumed to have the mean of the others'
/// seconds for a MB. Source: document 003,
/// "File transfer of input data per job".
class Transfer final : public Placement {
 public:
  [[nodiscard]] std::string_view name() const override { return "transfer"; }
  void arrange(const Contender& contender, std::vector<Candidate*>& candidates) const override {
    const ExpectedDurations durations{contender};
    const double unknown = mean_of_known(contender);
    std::ranges::sort(candidates, {}, [&](const Candidate* candidate) {
      const double bandwidth = candidate->cluster->transfer_mb_s;
      const double transfer = megabytes_to(*candidate, contender) * (bandwidth > 0.0 ? 1.0 / bandwidth : unknown);
      // Until a duration is known, only the transfer can be weighed, then the power.
      return std::tuple{durations.any() ? transfer + durations.on(*candidate) : transfer, durations.on(*candidate), candidate->cluster->id};
    });
  }

 private:
  /// MB that a job there waits for.
  static double megabytes_to(const Candidate& candidate, const Contender& contender) {
    constexpr double kMegabyte = 1e6;
    const auto& missing = candidate.pair->missing_inputs;
    return contender.campaign->input_mb + (missing ? static_cast<double>(missing->bytes) / kMegabyte : 0.0);
  }

  /// Seconds for a MB, of the clusters whose bandwidth is known; 0 if none is.
  static double mean_of_known(const Contender& contender) {
    double seconds = 0.0;
    int known = 0;
    for (const auto& candidate : contender.candidates) {
      if (candidate.cluster->transfer_mb_s <= 0.0) continue;
      seconds += 1.0 / candidate.cluster->transfer_mb_s;
      ++known;
    }
    return known > 0 ? seconds / known : 0.0;
  }
};

}  // namespace gleaner::planner
