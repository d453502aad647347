#include "lib/jdl/campaign_file.hpp"

namespace gleaner::jdl {

std::string_view name_of(JobKind kind) { return kind == JobKind::normal ? "normal" : "best-effort"; }

std::optional<JobKind> job_kind(std::string_view name) {
  for (const auto kind : {JobKind::best_effort, JobKind::normal})
    if (name == name_of(kind)) return kind;
  return std::nullopt;
}

bool ClusterSection::operator==(const ClusterSection& other) const {
  return name == other.name && exec_file == other.exec_file && exec_directory == other.exec_directory && resources.text() == other.resources.text() &&
         resources_expression == other.resources_expression && walltime == other.walltime && walltime_expression == other.walltime_expression &&
         memory_mb == other.memory_mb && max_walltime == other.max_walltime && properties == other.properties && project == other.project && job_types == other.job_types &&
         kind == other.kind && max_jobs == other.max_jobs && priority == other.priority;
}

}  // namespace gleaner::jdl
