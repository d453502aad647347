#pragma once
#include "lib/grid/planning_facts.hpp"
#include "lib/jdl/campaign_file.hpp"

namespace gleaner::jdl {

/// The facts that a campaign file states; the others have their defaults.
[[nodiscard]] grid::CampaignFacts facts_of(const CampaignFile& file);

/// The facts of a pair that one of its sections states.
[[nodiscard]] grid::PairFacts facts_of(const ClusterSection& section);

}  // namespace gleaner::jdl
