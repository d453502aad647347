#pragma once
#include "lib/process/run.hpp"

namespace gleaner::gridsub {

/// Submits campaigns, or holds, resumes, retries or fixes some, as the command line says.
process::Outcome gridsub(const process::Context& context);

}  // namespace gleaner::gridsub
