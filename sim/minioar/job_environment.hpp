#pragma once
#include <string>
#include <vector>

#include "sim/minioar/executor.hpp"

namespace gleaner::minioar {

/// The environment that OAR gives a job, without ours.
[[nodiscard]] std::vector<std::string> job_environment(const Job& job, const std::string& home, const Execution& execution);

/// The environment of a user's login on the front end, where commands are parsed.
[[nodiscard]] std::vector<std::string> login_environment(const std::string& user, const std::string& home);

/// Makes the lines of $OAR_NODEFILE (a node's name for each resource) and $OAR_RESOURCE_PROPERTIES_FILE.
void fill_node_files(const Job& job, const std::vector<Resource>& resources, Execution& execution);

}  // namespace gleaner::minioar
