#include "sim/gridsim/engine/local_jobs.hpp"

#include <algorithm>

namespace gleaner::gridsim {
namespace {

std::vector<LocalJob> drawn(const Synthetic& users, std::uint64_t seed, std::size_t cluster, double end) {
  Draws every{users.every, Random{seed, 10 * cluster + 1}};
  Draws duration{users.duration, Random{seed, 10 * cluster + 2}};
  Random which{seed, 10 * cluster + 3};
  std::vector<LocalJob> jobs;
  for (double at = every.next(); at < end; at += every.next()) {
    const auto choice = static_cast<std::size_t>(which.uniform() * static_cast<double>(users.resources.size()));
    jobs.push_back({.at = at, .duration = duration.next(), .resources = users.resources[std::min(choice, users.resources.size() - 1)]});
  }
  return jobs;
}

}  // namespace

std::vector<LocalJob> local_jobs(const Scenario& scenario, std::size_t cluster, double end) {
  const auto& users = scenario.clusters[cluster].local;
  if (const auto* synthetic = std::get_if<Synthetic>(&users)) return drawn(*synthetic, scenario.seed, cluster, end);
  std::vector<LocalJob> jobs;
  if (const auto* trace = std::get_if<Trace>(&users)) jobs = trace->jobs;
  std::erase_if(jobs, [&](const LocalJob& job) { return job.at >= end; });
  std::ranges::stable_sort(jobs, {}, &LocalJob::at);
  return jobs;
}

}  // namespace gleaner::gridsim
