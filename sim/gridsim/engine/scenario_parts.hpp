#pragma once
#include <filesystem>

#include <tl/expected.hpp>

#include "lib/grid/resource_request.hpp"
#include "sim/gridsim/engine/scenario.hpp"
#include "sim/gridsim/engine/scenario_values.hpp"

/// Readers of the parts of a scenario's file. Each reports errors, and omits invalid values.
namespace gleaner::gridsim {

void read_clusters(const Node& node, const Path& path, const std::filesystem::path& folder, Scenario& scenario, Findings& findings);
/// To be read after the clusters and the configuration, to which it refers.
void read_campaigns(const Node& node, const Path& path, const std::filesystem::path& folder, Scenario& scenario, Findings& findings);

/// Campaigns that exist when the simulation begins, and the policies' figures at that time.
void read_live(const Node& node, const Path& path, Scenario& scenario, Findings& findings);
void read_policies(const Node& node, const Path& path, Scenario& scenario, Findings& findings);

/// Finds the campaigns that others name as those that come first. To be called when all are read.
void resolve_dependencies(const Node& root, Scenario& scenario, Findings& findings);

/// The shape of a job on a cluster, from its request. Error: what is invalid.
[[nodiscard]] tl::expected<Shape, std::string> shape_of(const grid::ResourceRequest& request, const ClusterSpec& cluster);

}  // namespace gleaner::gridsim
