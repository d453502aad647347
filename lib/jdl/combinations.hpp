#pragma once
#include "lib/jdl/campaign_file.hpp"
#include "lib/jdl/tree.hpp"

/// The meaning of keys of a campaign file in combination. docs/combinations.md shows all pairs.
namespace gleaner::jdl {

/// Fills in what keys imply for others that are not stated, and reports the pairs without sense: refused where the campaign could not do
/// what it says, doubted where a key has no effect. Each message names both keys.
void check_combinations(const Document& document, CampaignFile& campaign, Findings& findings);

}  // namespace gleaner::jdl
