#pragma once
#include "lib/store/clusters.hpp"
#include "lib/text/json_writer.hpp"

namespace gleaner::api {

/// Writes which cluster it is, and whether it can be used, into an open object.
void write_availability(text::JsonWriter& json, const store::Cluster& cluster);

}  // namespace gleaner::api
