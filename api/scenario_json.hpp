#pragma once
#include <string>
#include <utility>
#include <vector>

#include "lib/jdl/campaign_file.hpp"
#include "lib/jdl/requests.hpp"
#include "lib/process/config.hpp"
#include "lib/store/dependencies.hpp"
#include "lib/store/scenario.hpp"
#include "lib/text/json_writer.hpp"

/// The grid's state as a scenario of gridsim (docs/simulator.md).
namespace gleaner::api {

/// A cluster that the scenario leaves out, and the reason.
struct LeftOut {
  std::string cluster;
  std::string why;
};
[[nodiscard]] bool is_simulated(const grid::ClusterFacts& cluster);
[[nodiscard]] std::vector<LeftOut> left_out(const store::GridState& state);

[[nodiscard]] store::GridState read_grid_state(store::Transaction& transaction, const process::Config& config, grid::Instant now);

/// A campaign that is not submitted, as one of the scenario's `live` campaigns.
struct Candidate {
  const jdl::CampaignFile& file;
  std::string user;
  std::int64_t tasks = 0;
  std::vector<jdl::TaskRequest> requests = {};  ///< the different ones of its tasks; empty: all have the file's
  double input_mb = 0;                          ///< input of one task, on average
  const store::DurationCounts& known;           ///< durations of the user's earlier campaigns of the same commands
  std::vector<std::string> clusters;            ///< clusters that the scenario contains
  const std::vector<grid::ClusterFacts>& known_clusters;
  const std::vector<store::NewDependency>& dependencies;
  const std::vector<std::string>& groups;  ///< unix groups of the user
  grid::Seconds after{0};                  ///< it is submitted so much later
};
void write_candidate(text::JsonWriter& json, const Candidate& candidate);

/// @param candidate  a campaign that is added to the live ones, as the last; null: none
void write_scenario(text::JsonWriter& json, const store::GridState& state, const process::Config& config, grid::Instant now,
                    const Candidate* candidate = nullptr);

}  // namespace gleaner::api
