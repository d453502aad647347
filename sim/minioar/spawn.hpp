#pragma once
#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gleaner::minioar {

struct SpawnRequest {
  std::string program;
  std::vector<std::string> arguments;    ///< the program's name is the first
  std::vector<std::string> environment;  ///< all of it, NAME=value
  std::string directory;                 ///< empty: as it is
  /// Descriptors given to the child: (ours, its). 0, 1 and 2 are /dev/null unless given.
  std::vector<std::pair<int, int>> descriptors;
  std::vector<int> blocked_signals;  ///< the others are unblocked; none is ignored
};

/// Starts a process in a session of its own. Empty: it could not be started (see errno).
[[nodiscard]] std::optional<pid_t> spawn(const SpawnRequest& request);

struct CommandOutput {
  int status;          ///< as waitpid gives it
  std::string output;  ///< stdout and stderr
};
/// Runs a process to its end and collects what it prints.
[[nodiscard]] std::optional<CommandOutput> run_and_read(SpawnRequest request);

}  // namespace gleaner::minioar
