#pragma once
#include <vector>

#include "lib/jdl/campaign_file.hpp"
#include "lib/jdl/requests.hpp"
#include "lib/store/campaigns.hpp"
#include "lib/store/requests.hpp"

/// From a checked campaign file to the rows that store it, for all that take campaigns: gridapi, and gridctl's import.
namespace gleaner::intake {

/// The limits of every cluster.
[[nodiscard]] std::vector<jdl::ClusterLimits> load_limits(store::Transaction& transaction);

/// The limits of the file's clusters, in its order.
[[nodiscard]] std::vector<jdl::ClusterLimits> limits_of(const jdl::CampaignFile& file, const std::vector<jdl::ClusterLimits>& known);

/// A stored parameter; one that cannot be parsed is taken for a line.
[[nodiscard]] jdl::Parameter parameter_of(store::ParameterForm form, const std::string& stored);

/// The rows to store for these requests of a file's tasks.
[[nodiscard]] std::vector<store::ClusterRequest> stored_requests(const jdl::CampaignFile& file, const jdl::Requests& requests);
/// The requests of a stored campaign, for jdl::Requests::resume.
[[nodiscard]] std::vector<jdl::TaskRequest> known_requests(store::Transaction& transaction, grid::CampaignId campaign,
                                                           const jdl::CampaignFile& file);

/// The row to store for a section of one cluster. @param known  of all clusters
[[nodiscard]] store::NewCampaignCluster stored_section(const jdl::CampaignFile& file, const jdl::ClusterSection& section,
                                                       grid::CampaignId campaign, const std::vector<jdl::ClusterLimits>& known);

/// Writes the requests of the campaign's tasks, and their input. @param requests  null: all tasks request the same
void write_requests(store::Transaction& transaction, grid::CampaignId campaign, const jdl::CampaignFile& file,
                    const jdl::Requests* requests);

}  // namespace gleaner::intake
