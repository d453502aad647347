#pragma once
#include <cstdint>
#include <optional>

namespace gleaner::process {

/// In the environment of a module that its conductor keeps from cycle to cycle: its stdin is a socket (Command::conversation), on
/// which it is told the lease's term for each turn, and answers when a turn went well. A turn that went wrong ends the process.
inline constexpr const char* kTurnsVariable = "GLEANER_TURNS";

/// Lets this process keep what it frees, up to 64 MB, for the next turn. Each turn takes and frees the same megabytes; else it gives them
/// back to the system each time, and takes them page by page again.
void keep_freed_memory();

/// Waits for the next turn: its term. Nothing when the conductor is gone or a stop is requested. Throws Error (usage) when stdin is
/// no such socket, or what it says no term.
[[nodiscard]] std::optional<std::int64_t> next_turn();

/// Tells the conductor that the turn is over.
void end_turn();

}  // namespace gleaner::process
