#pragma once
#include <chrono>

#include "lib/grid/settle.hpp"
#include "lib/process/config.hpp"
#include "lib/store/events.hpp"

/// The configured limits of attempts, and the length of brakes.
namespace gleaner::runner {

[[nodiscard]] inline grid::Limits limits_of(const process::Config& config) {
  return {.attempts = config.max_attempts,
          .charged = config.max_charged_attempts,
          .retries = config.max_retries,
          .walltime_factor = config.walltime_retry_factor};
}

[[nodiscard]] inline store::BrakeLength brake_of(const process::Config& config) {
  return {std::chrono::duration_cast<grid::Seconds>(config.brake_time), std::chrono::duration_cast<grid::Seconds>(config.brake_time_max)};
}

}  // namespace gleaner::runner
