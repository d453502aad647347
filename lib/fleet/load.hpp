#pragma once
#include <optional>
#include <string>

#include "lib/oar/resources.hpp"
#include "lib/process/config.hpp"
#include "lib/store/clusters.hpp"

/// The load of a cluster's nodes, which some availability policies count.
namespace gleaner::fleet {

/// The property of the cluster's resources that states it; an empty text: none is named. Empty: it does not count.
[[nodiscard]] std::optional<std::string> load_property(const store::Cluster& cluster, const process::Config& config);

/// Why it counts as 0 on some nodes, or on all; an empty text: it does not.
[[nodiscard]] std::string why_load_is_unknown(const std::string& property, const oar::Resources& resources);

}  // namespace gleaner::fleet
