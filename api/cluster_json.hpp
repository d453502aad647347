#pragma once
#include <optional>

#include "lib/process/config.hpp"
#include "lib/store/clusters.hpp"
#include "lib/store/views_grid.hpp"
#include "lib/text/json_writer.hpp"

namespace gleaner::api {

/// Writes which cluster it is, and whether it can be used, into an open object.
void write_availability(text::JsonWriter& json, const store::Cluster& cluster);

/// Writes the newest figures of a cluster.
void write_status(text::JsonWriter& json, const std::optional<store::GridStatus>& status);

/// Resources that stay free for local jobs.
[[nodiscard]] int kept_resources(const store::views::ClusterView& view, const process::Config& config);

}  // namespace gleaner::api
