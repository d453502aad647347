#pragma once
#include <memory>
#include <string>

#include "clients/gridsub/parameters.hpp"
#include "lib/process/run.hpp"

/// gridsub --rerun-failed: a new campaign of the failed tasks of another one.
namespace gleaner::gridsub {

/// The parameters of the failed tasks of the campaign that --rerun-failed names, kept on disk. Throws process::Error: `usage` for options
/// that do not go with it, `not_found`, and `refused` when no task has failed.
[[nodiscard]] std::unique_ptr<ParameterFile> failed_parameters(const process::Context& context);

/// The campaign file without its own parameters. One that is no JSON is unchanged.
[[nodiscard]] std::string without_parameters(const std::string& campaign_file);

}  // namespace gleaner::gridsub
