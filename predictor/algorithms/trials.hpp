#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "predictor/algorithms/algorithm.hpp"

/// The choice of an algorithm for a pair by what each would have wasted there. Source: document 003, the Metascheduler "is also responsible
/// for control the effectiveness of scheduling decisions", and the recommendations of its algorithms for kinds of clusters and jobs.
namespace gleaner::prediction {

/// The word of the configuration for that choice.
constexpr std::string_view kByWaste = "auto";

/// The names of the algorithms, and `auto`.
[[nodiscard]] std::vector<std::string_view> names_to_configure();

/// The algorithm of that name; null: each pair has its own, by waste. Error: a message with the closest name that exists.
[[nodiscard]] tl::expected<const Algorithm*, std::string> configured_algorithm(std::string_view name);

/// An algorithm on one pair, in use there or not.
struct Trial {
  const Algorithm* algorithm = nullptr;
  double ratio = 1.0;  ///< jobs per resource, that it has learnt from all cycles
  double waste = 0.0;  ///< resources: those that its ratio would have left free, and those for which jobs would have waited in vain
};

/// All algorithms, with this ratio and nothing wasted; the default one comes first.
[[nodiscard]] std::vector<Trial> first_trials(double ratio);

/// Adds to each what its ratio would have wasted in the last cycle, by what became of the jobs that were submitted with the ratio `used`,
/// and has it learn from them. A cycle counts a tenth less in each later one; one that shows nothing changes no waste. Cost: O(algorithms).
void judge(std::span<Trial> trials, double used, const LastCycle& last, const QueueState& queue, double upper);

/// The one that has wasted least; the first of several. At least one.
[[nodiscard]] const Trial& least_wasteful(std::span<const Trial> trials);

}  // namespace gleaner::prediction
