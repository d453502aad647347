#pragma once
#include <span>
#include <vector>

#include "lib/grid/failed_since.hpp"
#include "lib/store/database.hpp"

namespace gleaner::store {

using grid::FailedSince;

/// A job was done on the cluster: counts again from 0, for all its campaigns.
void forget_failed_since(Transaction& transaction, grid::ClusterId cluster);
/// Adds failed jobs of campaigns on a cluster, where none was done since. Returns the counts of all live campaigns with some.
std::vector<FailedSince> count_failed_since(Transaction& transaction, grid::ClusterId cluster, std::span<const FailedSince> more);
/// Has the failures that do not count otherwise count too: after the brake, one job is tried.
void count_as_failures(Transaction& transaction, grid::CampaignId campaign, grid::ClusterId cluster);

}  // namespace gleaner::store
