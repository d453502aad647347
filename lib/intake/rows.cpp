#include "lib/intake/rows.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lib/grid/resource_fit.hpp"
#include "lib/jdl/inputs.hpp"
#include "lib/jdl/parameter.hpp"
#include "lib/jdl/placement.hpp"
#include "lib/store/clusters.hpp"

namespace gleaner::intake {

std::vector<jdl::ClusterLimits> load_limits(store::Transaction& transaction) {
  std::vector<jdl::ClusterLimits> limits;
  auto nodes = store::known_nodes(transaction);
  for (const auto& cluster : store::clusters(transaction))
    // Nodes that are suspected or absent come back.
    limits.push_back({cluster.name, cluster.max_resources + cluster.suspected_resources + cluster.absent_resources,
                      !cluster.memory_property.empty(), cluster.memory_max_mb, std::move(nodes[cluster.id].sizes),
                      std::move(nodes[cluster.id].memory), cluster.memory_unit_mb, std::move(nodes[cluster.id].reserved),
                      nodes[cluster.id].reserved_resources, std::move(nodes[cluster.id].levels)});
  return limits;
}

std::vector<jdl::ClusterLimits> limits_of(const jdl::CampaignFile& file, const std::vector<jdl::ClusterLimits>& known) {
  std::vector<jdl::ClusterLimits> limits;
  for (const auto& section : file.clusters) {
    const auto found = std::ranges::find(known, section.name, &jdl::ClusterLimits::name);
    limits.push_back(found == known.end()
                         ? jdl::ClusterLimits{.name = section.name, .max_resources = 0, .has_memory_property = false, .memory_max_mb = {}}
                         : *found);
    if (section.kind == jdl::JobKind::best_effort) continue;
    for (const auto& [resources, count] : limits.back().reserved.by_size()) limits.back().nodes.add(resources, count);
    limits.back().max_resources += limits.back().reserved_resources;
  }
  return limits;
}

jdl::Parameter parameter_of(store::ParameterForm form, const std::string& stored) {
  if (form == store::ParameterForm::line) return stored;
  auto parameter = jdl::parse_ndjson(stored);
  return parameter ? std::move(*parameter) : jdl::Parameter{stored};
}

std::vector<store::ClusterRequest> stored_requests(const jdl::CampaignFile& file, const jdl::Requests& requests) {
  std::vector<store::ClusterRequest> stored;
  for (const auto& one : requests.different()) {
    stored.push_back({.cluster = file.clusters[one.cluster].name,
                      .request = one.request,
                      .shape = one.shape,
                      .resources = one.resources,
                      .resources_per_job = one.resources_per_job,
                      .memory_mb = one.memory_mb,
                      .walltime = one.walltime});
  }
  return stored;
}

std::vector<jdl::TaskRequest> known_requests(store::Transaction& transaction, grid::CampaignId campaign, const jdl::CampaignFile& file) {
  std::vector<jdl::TaskRequest> known;
  for (auto& one : store::stored_requests(transaction, campaign)) {
    const auto section = std::ranges::find(file.clusters, one.cluster, &jdl::ClusterSection::name);
    if (section == file.clusters.end()) continue;
    known.push_back({.cluster = static_cast<std::size_t>(section - file.clusters.begin()),
                     .request = one.request,
                     .shape = one.shape,
                     .resources = std::move(one.resources),
                     .resources_per_job = {},
                     .memory_mb = one.memory_mb,
                     .walltime = one.walltime});
  }
  return known;
}

store::NewCampaignCluster stored_section(const jdl::CampaignFile& file, const jdl::ClusterSection& section, grid::CampaignId campaign,
                                         const std::vector<jdl::ClusterLimits>& known) {
  const auto expanded = jdl::expand(section, campaign);
  store::NewCampaignCluster stored;
  stored.name = section.name;
  stored.priority = section.priority;
  stored.exec_file = jdl::stored_command(expanded.exec_file, file);
  stored.exec_directory = expanded.exec_directory;
  stored.resources = section.resources_text();
  stored.resources_per_job = section.resources.resources();
  const auto limits = std::ranges::find(known, section.name, &jdl::ClusterLimits::name);
  // The width of whole nodes follows the cluster's nodes (the SQL function requested_width).
  if (section.resources_expression.empty() && limits != known.end())
    stored.resources_per_job = grid::resources_on(section.resources, {}, limits->levels);
  if (section.resources_expression.empty()) stored.nodes_per_job = section.resources.nodes();
  stored.walltime = section.walltime;
  stored.properties = section.properties;
  stored.project = section.project;
  stored.job_types = fmt::format("{}", fmt::join(section.job_types, "\n"));
  stored.best_effort = section.kind == jdl::JobKind::best_effort;
  stored.max_jobs = section.max_jobs;
  stored.max_walltime = section.max_walltime;
  stored.output_directory = expanded.output_directory;
  stored.output_files = jdl::stored_output_files(section, file.parameter_names);
  stored.prologue = {expanded.prologue, section.prologue_walltime};
  stored.epilogue = {expanded.epilogue, section.epilogue_walltime};
  return stored;
}

void write_requests(store::Transaction& transaction, grid::CampaignId campaign, const jdl::CampaignFile& file,
                    const jdl::Requests* requests) {
  const auto input = requests == nullptr ? jdl::constant_input_mb(file) : requests->mean_input_mb();
  if (input) store::write_input(transaction, campaign, *input);
  if (requests != nullptr) store::write_requests(transaction, campaign, stored_requests(file, *requests));
}

}  // namespace gleaner::intake
