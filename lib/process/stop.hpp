#pragma once
#include "lib/process/config.hpp"

namespace gleaner::process {

/// True once SIGTERM or SIGINT has come (in programs that ask for it, see Interruption). From then on: finish the step in hand, begin no
/// other.
[[nodiscard]] bool stop_requested();

/// A descriptor that becomes readable, for good, when a stop is requested: for poll(2).
[[nodiscard]] int stop_descriptor();

/// Waits until a stop is requested or the time is over; true when it was a stop.
bool wait_for_stop(Duration limit);

/// SIGTERM and SIGINT request a stop.
void catch_stop_signals();

}  // namespace gleaner::process
