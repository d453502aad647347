#pragma once
#include "lib/process/config.hpp"

namespace gleaner::process {

/// True once SIGTERM or SIGINT has arrived (in programs that request this, see Interruption). From then on, a program finishes the present
/// step and begins no other.
[[nodiscard]] bool stop_requested();

/// A descriptor that stays readable once a stop is requested: for poll(2).
[[nodiscard]] int stop_descriptor();

/// Waits until a stop is requested or the time is over; true after a stop.
bool wait_for_stop(Duration limit);

/// Makes SIGTERM and SIGINT request a stop.
void catch_stop_signals();

}  // namespace gleaner::process
