#pragma once
#include "lib/process/run.hpp"

namespace gleaner::gridsub {

/// Submits campaigns, or pauses, resumes, retries or fixes some, as the command line requests.
process::Outcome gridsub(const process::Context& context);

}  // namespace gleaner::gridsub
