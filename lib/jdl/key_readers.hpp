#pragma once
#include <string>
#include <vector>

#include "lib/jdl/keys.hpp"

/// The readers of keys, for the table in keys.cpp alone. Each sets the value, or adds problems.
namespace gleaner::jdl {

using CampaignReader = void(const Node& node, const std::string& path, CampaignLevel& into, Findings& findings);
using ClusterReader = void(const Node& node, const std::string& path, SectionLevel& into, Findings& findings);

// campaign_keys.cpp:
CampaignReader read_name, read_jobs_type, read_priority, read_scheduler, read_min_duration, read_retry_on, read_grouping, read_side_by_side,
    read_max_fails, read_notify, read_replicas, read_input_mb;
// checkpoint.cpp, dependencies.cpp, given.cpp, needs.cpp, inputs.cpp, input_from.cpp, named_words.cpp:
CampaignReader read_checkpoint, read_cluster_of_each, read_gives, read_given_key, read_needs_key, read_input_files, read_input_from,
    read_parameter_names;
// cluster_keys.cpp:
ClusterReader read_exec_file, read_exec_directory, read_memory, read_properties, read_project, read_job_types, read_type, read_test_mode;
void read_commands(const Node& node, const std::string& path, std::vector<std::string>& commands, Findings& findings);
// asked_keys.cpp, outputs.cpp:
ClusterReader read_resources, read_resource, read_walltime;
ClusterReader read_output_directory, read_output_files, read_output_destination, read_output_file, read_output_gathering;

}  // namespace gleaner::jdl
