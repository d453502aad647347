#pragma once
#include <csignal>

namespace gleaner::minioar {

/// Where the supervisor finds the lock that it inherits.
constexpr int kLockDescriptor = 3;
/// Real-time signals whose value is the signal to pass on.
[[nodiscard]] inline int signal_to_first() { return SIGRTMIN; }
[[nodiscard]] inline int signal_to_all() { return SIGRTMIN + 1; }

}  // namespace gleaner::minioar
