#pragma once
#include <string>
#include <vector>

#include "lib/process/child.hpp"
#include "sim/gridlocal/clusters.hpp"
#include "sim/gridlocal/place.hpp"

namespace gleaner::gridlocal {

/// Writes the place's gleaner.conf.
void write_configuration(const Place& place);

/// A program of the grid with this place's configuration, whatever the environment says.
[[nodiscard]] process::Command program_command(const Place& place, const std::string& name, const std::vector<std::string>& arguments);

/// Brings the database's schema up to date. Throws process::Error.
void migrate(const Place& place);

/// Makes the grid know these clusters at their present addresses, and who this machine's user is
/// there. Throws process::Error.
void register_clusters(const Place& place, const std::vector<LocalCluster>& clusters);

}  // namespace gleaner::gridlocal
