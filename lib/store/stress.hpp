#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/grid/id.hpp"
#include "lib/grid/time.hpp"
#include "lib/store/database.hpp"

/// Facts about the stress of clusters, and the limits on our jobs that follow.
namespace gleaner::store {

/// Adds jobs that have just started as samples of durations. `running`: our jobs that run there with them.
void sample_durations(Transaction& transaction, grid::ClusterId cluster, std::span<const grid::JobId> jobs, int running);

/// A cluster's newest status, our jobs there, and the stored stress figures.
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
  std::optional<double> seconds;  ///< empty: it runs
  bool done = false;
};

struct StressFacts {
  std::vector<StressedCluster> clusters;  ///< reachable and enabled ones, by id
  std::vector<StoredSample> samples;      ///< by cluster, then by start
};
/// First records the durations of samples whose jobs are over.
[[nodiscard]] StressFacts stress_facts(Transaction& transaction);

/// Writes the stored figures: judged_at and the members after it.
void write_stress(Transaction& transaction, const StressedCluster& cluster);
void forget_samples(Transaction& transaction, std::span<const grid::JobId> jobs);

}  // namespace gleaner::store
