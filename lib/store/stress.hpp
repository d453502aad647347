#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/grid/id.hpp"
#include "lib/grid/time.hpp"
#include "lib/store/database.hpp"

/// What tells the stress of clusters, and how many of our jobs those under stress take.
namespace gleaner::store {

/// Jobs that have just started, to be compared with others later. `running`: our jobs there with them.
void sample_durations(Transaction& transaction, grid::ClusterId cluster, std::span<const grid::JobId> jobs, int running);

/// A cluster's newest status, our jobs there, and what is remembered of it.
struct StressedCluster {
  grid::ClusterId id{0};
  grid::Instant time;  ///< of the status
  int max_resources = 0;
  std::optional<double> stress;
  std::optional<double> response_ms;
  int live = 0, running = 0;  ///< jobs

  std::optional<grid::Instant> judged_at;
  std::optional<double> usual_stress;
  std::optional<double> calm_latency_ms;
  int stressed_polls = 0, slow_polls = 0;
  std::optional<int> job_limit;
  std::string signal = "none";  ///< stress_factor, latency or durations
  std::string reason;
  std::optional<grid::Instant> limited_at, changed_at, trial_at;
};

struct StoredSample {
  grid::JobId job{0};
  grid::ClusterId cluster{0};
  grid::CampaignId campaign{0};
  grid::Instant started_at;
  int running = 1;
  std::optional<double> seconds;  ///< nothing: it runs
  bool done = false;
};

struct StressFacts {
  std::vector<StressedCluster> clusters;  ///< those that answer and are enabled, by id
  std::vector<StoredSample> samples;      ///< by cluster, and of each by their starts
};
/// Gives the samples whose jobs are over their durations first.
[[nodiscard]] StressFacts stress_facts(Transaction& transaction);

/// Writes what is remembered: judged_at and what follows it.
void write_stress(Transaction& transaction, const StressedCluster& cluster);
void forget_samples(Transaction& transaction, std::span<const grid::JobId> jobs);

}  // namespace gleaner::store
