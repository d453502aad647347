#pragma once
#include "lib/process/run.hpp"
#include "lib/terminal/output.hpp"

namespace gleaner::gridsub {

/// `--local N`: runs task N of a campaign file on this machine, with the wrapper, the environment and the command line of a job, and
/// without the grid. The outcome has the exit status of the task, kWalltimeOver after its walltime, or 128 + n after the signal n. Throws
/// process::Error if there is nothing to run.
[[nodiscard]] process::Outcome run_local(const process::Context& context, terminal::Output& output);

/// As that of timeout(1).
inline constexpr int kWalltimeOver = 124;

}  // namespace gleaner::gridsub
