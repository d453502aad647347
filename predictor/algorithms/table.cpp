#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lib/text/suggest.hpp"
#include "predictor/algorithms/adaptive_down_exponential_up.hpp"
#include "predictor/algorithms/control.hpp"
#include "predictor/algorithms/measured.hpp"
#include "predictor/algorithms/slow_start.hpp"
#include "predictor/algorithms/two_way_adaptive.hpp"

namespace gleaner::prediction {
namespace {

const SlowStart kSlowStart;
const TwoWayAdaptive kTwoWayAdaptive;
const AdaptiveDownExponentialUp kAdaptiveDownExponentialUp;
const Measured kMeasured;
const Control kControl;

constexpr std::array<const Algorithm*, 5> kAlgorithms{&kSlowStart, &kTwoWayAdaptive, &kAdaptiveDownExponentialUp, &kMeasured, &kControl};

}  // namespace

std::vector<std::string_view> algorithm_names() {
  std::vector<std::string_view> names;
  for (const auto* algorithm : kAlgorithms) names.push_back(algorithm->name());
  return names;
}

tl::expected<const Algorithm*, std::string> find_algorithm(std::string_view name) {
  for (const auto* algorithm : kAlgorithms) {
    if (algorithm->name() == name) return algorithm;
  }
  const auto known = algorithm_names();
  return tl::unexpected{fmt::format("there is no prediction algorithm named '{}'{}; there are: {}", name, text::did_you_mean(name, known),
                                    fmt::join(known, ", "))};
}

}  // namespace gleaner::prediction
