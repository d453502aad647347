#pragma once
#include <filesystem>

#include <tl/expected.hpp>

#include "lib/grid/resource_request.hpp"
#include "sim/gridsim/engine/scenario.hpp"
#include "sim/gridsim/engine/scenario_values.hpp"

/// The parts of a scenario's file. Each tells what is wrong; what is wrong is left out.
namespace gleaner::gridsim {

void read_clusters(const Node& node, const Path& path, const std::filesystem::path& folder, Scenario& scenario, Findings& findings);
/// After the clusters and the configuration, which it refers to.
void read_campaigns(const Node& node, const Path& path, const std::filesystem::path& folder, Scenario& scenario, Findings& findings);

/// Campaigns that are there when the simulation begins, and the policies' figures at that time.
void read_live(const Node& node, const Path& path, Scenario& scenario, Findings& findings);
void read_policies(const Node& node, const Path& path, Scenario& scenario, Findings& findings);

/// The shape of a job on a cluster, from its request; what is wrong with it otherwise.
[[nodiscard]] tl::expected<Shape, std::string> shape_of(const grid::ResourceRequest& request, const ClusterSpec& cluster);

}  // namespace gleaner::gridsim
