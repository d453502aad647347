#include "predictor/algorithms/trials.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "lib/grid/dust.hpp"
#include "predictor/algorithms/evidence.hpp"

namespace gleaner::prediction {
namespace {

constexpr double kKeptOfWaste = 0.9;

/// Resources that the jobs of this ratio would have left free, though those that wait within the flood had taken some, or for which jobs
/// would have waited in vain; at most those of the cluster.
double wasted(double ratio, const LastCycle& last, const Fitting& fitting, const QueueState& queue) {
  const auto whole = [&](double resources) { return std::floor(std::max(0.0, resources * ratio) + grid::kDust); };
  const double jobs = std::max(1.0, whole(last.free_offered)), in_flood = whole(queue.flood * queue.max_resources);
  const double wrong = std::max(0.0, fitting.least - jobs - in_flood) + std::max(0.0, jobs - fitting.most);
  return std::min(wrong * fitting.resources, std::max(1.0, double(queue.max_resources)));
}

}  // namespace

std::vector<std::string_view> names_to_configure() {
  auto names = algorithm_names();
  names.push_back(kByWaste);
  return names;
}

tl::expected<const Algorithm*, std::string> configured_algorithm(std::string_view name) {
  if (name == kByWaste) return nullptr;
  return find_algorithm(name).map_error([](const std::string& error) { return fmt::format("{}, and {}", error, kByWaste); });
}

std::vector<Trial> first_trials(double ratio) {
  std::vector<Trial> trials;
  for (const auto name : algorithm_names()) trials.push_back({.algorithm = *find_algorithm(name), .ratio = ratio});
  const auto first = std::ranges::find(trials, kDefaultAlgorithm, [](const Trial& trial) { return trial.algorithm->name(); });
  std::rotate(trials.begin(), first, std::next(first));
  return trials;
}

void judge(std::span<Trial> trials, double used, const LastCycle& last, const QueueState& queue, double upper) {
  const auto fitting = fitting_jobs(used, last, queue);
  for (auto& trial : trials) {
    if (fitting) trial.waste = trial.waste * kKeptOfWaste + wasted(trial.ratio, last, *fitting, queue);
    trial.ratio = trial.algorithm->next(trial.ratio, last, queue, upper);
  }
}

const Trial& least_wasteful(std::span<const Trial> trials) { return *std::ranges::min_element(trials, {}, &Trial::waste); }

}  // namespace gleaner::prediction
