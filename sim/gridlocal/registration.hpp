#pragma once
#include <string>
#include <vector>

#include "lib/process/child.hpp"
#include "sim/gridlocal/clusters.hpp"
#include "sim/gridlocal/place.hpp"

namespace gleaner::gridlocal {

/// Writes the place's gleaner.conf.
void write_configuration(const Place& place);

/// A command that runs a program of the grid with this place's configuration, independent of the environment.
[[nodiscard]] process::Command program_command(const Place& place, const std::string& name, const std::vector<std::string>& arguments);

/// Migrates the database to the present schema. Throws process::Error.
void migrate(const Place& place);

/// Registers these clusters at their present addresses, and the login of this machine's user there. Throws process::Error.
void register_clusters(const Place& place, const std::vector<LocalCluster>& clusters);

}  // namespace gleaner::gridlocal
