#pragma once
#include <stdexcept>
#include <string>

namespace gleaner::process {

/// What every program of the project tells its caller by its exit status.
enum class ExitCode : int {
  ok = 0,           ///< done as asked
  failure = 1,      ///< an error that is none of those below
  usage = 2,        ///< a wrong command line or configuration; nothing was done
  not_found = 3,    ///< what was named does not exist
  refused = 4,      ///< not allowed, or not valid in the present state
  unavailable = 5,  ///< the database, the API or a cluster cannot be reached
  try_again = 75    ///< somebody else holds the lease, or holds it now: the work is theirs
};

/// An error that ends the program with a code of its own. The message says what happened, where,
/// and what to do; `run` prints it and returns the code.
class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message) : std::runtime_error{message}, code_{code} {}
  [[nodiscard]] ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

}  // namespace gleaner::process
