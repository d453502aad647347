#pragma once
#include "lib/jdl/campaign_file.hpp"
#include "lib/jdl/tree.hpp"

/// The three fields for the source of the parameters. For lib/jdl only.
namespace gleaner::jdl {

/// Reads params, param_file and nb_jobs of the campaign's level; more than one is a problem, except that params leaves the others aside.
/// Moves the parameters out of the tree.
[[nodiscard]] ParamSource read_source(Document& document, Findings& findings);

}  // namespace gleaner::jdl
