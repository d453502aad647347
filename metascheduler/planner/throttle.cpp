#include "metascheduler/planner/throttle.hpp"

namespace gleaner::planner {

void throttle(Contender& contender, std::vector<Decision>& decisions) {
  filter(Stage::throttle, contender, decisions, [](Candidate& candidate) -> std::optional<Stop> {
    const auto& pair = *candidate.pair;
    if (!pair.max_jobs) return std::nullopt;
    candidate.allowed_jobs = *pair.max_jobs - pair.live_jobs - pair.frozen_jobs;
    if (candidate.allowed_jobs > 0) return std::nullopt;
    Figures figures;
    figures.max_jobs = *pair.max_jobs;
    figures.live_jobs = pair.live_jobs;
    figures.frozen_jobs = pair.frozen_jobs;
    return Stop{Reason::max_jobs_reached, std::move(figures)};
  });
}

}  // namespace gleaner::planner
