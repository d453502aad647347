#pragma once
#include <vector>

#include "lib/store/dependencies.hpp"

namespace gleaner::intake {

/// The requests of released tasks of a campaign with the key `given`: its expressions, with the numbers that the tasks of after_each gave.
/// A task is withheld if what was given to it is no number, or makes an expression fail, or a request that none of its clusters can hold.
/// Cost: O(tasks), and reading the campaign's JDL, its input files and the clusters.
[[nodiscard]] store::FreedRequests request_freed(store::Transaction& transaction, grid::CampaignId campaign,
                                                 const std::vector<store::FreedTask>& tasks);

}  // namespace gleaner::intake
