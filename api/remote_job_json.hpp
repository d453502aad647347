#pragma once
#include "lib/oar/job.hpp"
#include "lib/text/json_writer.hpp"

namespace gleaner::api {

/// Writes the members of a job as its cluster's OAR describes it.
void write_remote_job(text::JsonWriter& json, const oar::JobDetails& details);

}  // namespace gleaner::api
