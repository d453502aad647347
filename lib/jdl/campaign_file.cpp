#include "lib/jdl/campaign_file.hpp"

#include "lib/grid/walltime.hpp"

namespace gleaner::jdl {

std::string_view name_of(JobKind kind) { return kind == JobKind::normal ? "normal" : "best-effort"; }

std::optional<JobKind> job_kind(std::string_view name) {
  for (const auto kind : {JobKind::best_effort, JobKind::normal})
    if (name == name_of(kind)) return kind;
  return std::nullopt;
}

std::string ClusterSection::walltime_text() const {
  return walltime_expression.empty() ? grid::format_walltime(walltime) : walltime_expression;
}

}  // namespace gleaner::jdl
