#pragma once
#include <string>
#include <vector>

#include "lib/grid/time.hpp"
#include "lib/store/clusters.hpp"
#include "lib/store/database.hpp"
#include "lib/store/events.hpp"

/// Clusters that get jobs or none: by an administrator's word, and by brakes.
namespace gleaner::administration {

enum class ClusterUse { enabled, disabled };

/// Lets jobs go to the cluster, or none more; those that are there continue. A retired cluster that is enabled is brought back into use,
/// and the lease's row is locked until the end of the transaction.
/// @param author  who wants it
/// @return what was done, in sentences
[[nodiscard]] std::vector<std::string> set_use(store::Transaction& transaction, store::Cluster cluster, ClusterUse use,
                                               const std::string& author);

/// Lifts the brake of the target; of a campaign without a cluster, those of the campaign on each cluster too.
void clear_brakes(store::Transaction& transaction, const store::Target& target, grid::Instant now);
inline constexpr std::string_view kBrakeIsLifted{"the brake is lifted: jobs are sent from the next cycle on"};

}  // namespace gleaner::administration
