#pragma once
#include <string>
#include <vector>

#include "clients/json.hpp"
#include "lib/process/config.hpp"
#include "lib/terminal/output.hpp"

/// Output for people, in the form of CiGri's commands (the key `style`), which scripts read. Pure functions.
namespace gleaner::clients {

[[nodiscard]] bool is_cigri_style(const process::Config& config);

/// gridstat: a line for each campaign.
[[nodiscard]] std::string cigri_campaigns(const std::vector<Json>& campaigns, terminal::Heading heading);
/// gridstat -c: a campaign with its figures and its clusters.
[[nodiscard]] std::string cigri_campaign(const Json& campaign, const Json& stats);
/// gridstat -c -f: its tasks.
[[nodiscard]] std::string cigri_tasks(const std::vector<Json>& tasks);
/// gridstat -j: a line for each field of a job in CiGri's database.
[[nodiscard]] std::string cigri_job(const Json& job);
/// gridevents, and gridstat -e.
[[nodiscard]] std::string cigri_events(const std::vector<Json>& events);
/// gridclusters: `1: alpha`.
[[nodiscard]] std::string cigri_clusters(const std::vector<Json>& clusters);
/// gridclusters -i: `1: alpha , alpha.example.org (stress:0.1/0.8)`.
[[nodiscard]] std::string cigri_infos(const std::vector<Json>& clusters);
/// gridclusters -I: a line for each field of a cluster in CiGri's database.
[[nodiscard]] std::string cigri_details(const std::vector<Json>& clusters);
/// gridclusters -u: those lines of -i, and the resources of each.
[[nodiscard]] std::string cigri_usage(const std::vector<Json>& clusters);

}  // namespace gleaner::clients
