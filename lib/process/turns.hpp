#pragma once
#include <cstdint>
#include <optional>

namespace gleaner::process {

/// Set in the environment of a module that its conductor keeps from cycle to cycle. Its stdin is a socket (Command::conversation): it
/// receives the lease's term for each turn, and answers when a turn succeeded. If a turn fails, the process exits.
inline constexpr const char* kTurnsVariable = "GLEANER_TURNS";

/// Lets this process keep up to 64 MB of freed memory for the next turn. Each turn allocates and frees the same megabytes; otherwise each
/// turn would get them from the system again, page by page.
void keep_freed_memory();

/// Waits for the next turn and returns its term. Empty: the conductor is gone, or a stop is requested. Throws Error (usage) when stdin is
/// no such socket, or a message is no term.
[[nodiscard]] std::optional<std::int64_t> next_turn();

/// Reports to the conductor that the turn is over.
void end_turn();

}  // namespace gleaner::process
