#pragma once
#include "lib/process/run.hpp"

namespace gleaner::griddel {

/// Cancels campaigns, tasks or jobs, or pauses, resumes or purges campaigns, as the command line requests.
process::Outcome griddel(const process::Context& context);

}  // namespace gleaner::griddel
