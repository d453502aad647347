#pragma once
#include <stdexcept>
#include <string>

namespace gleaner::process {

/// The exit statuses of every program of the project.
enum class ExitCode : int {
  ok = 0,            ///< done as asked
  failure = 1,       ///< an error that is none of those below
  usage = 2,         ///< a wrong command line or configuration; nothing was done
  not_found = 3,     ///< what was named does not exist
  refused = 4,       ///< not allowed, or not valid in the present state
  unavailable = 5,   ///< the database, the API or a cluster cannot be reached
  not_written = 74,  ///< done as asked, but stdout cannot be written
  try_again = 75     ///< another process holds the lease, or took it: the work is that process's
};

/// An error that ends the program with a code of its own. The message states what happened, where, and the remedy; `run` prints it, unless
/// it is empty, and returns the code.
class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message) : std::runtime_error{message}, code_{code} {}
  [[nodiscard]] ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

}  // namespace gleaner::process
