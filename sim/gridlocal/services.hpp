#pragma once
#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lib/process/child.hpp"
#include "sim/gridlocal/place.hpp"

namespace gleaner::gridlocal {

/// A process that an earlier run or this one started, and that outlives it. It is identified by its pid, its start time and the machine's
/// boot, so that another process with the same pid is not mistaken for it.
struct Service {
  std::string name;
  pid_t pid = -1;
  std::uint64_t started = 0;  ///< in kernel ticks since the boot
  std::string boot;
};

/// The services of one place, recorded in a file there, in the order of their starts.
class Services {
 public:
  explicit Services(Place place);

  [[nodiscard]] std::vector<Service> all() const;
  [[nodiscard]] bool is_running(const std::string& name) const;

  /// Starts `command` as the service `name`, with its output in its log, and waits until `ready` returns true. Throws process::Error with
  /// the last lines of the log if it cannot be started, exits, or is not ready in time; it is stopped then.
  void start(const std::string& name, process::Command command, const std::function<bool()>& ready);

  /// Stops the service with `signal`, or with SIGKILL if that takes too long, and removes its record.
  void stop(const Service& service, int signal);

  /// `\n<the log's name>:\n<its last lines>`, for the end of a message.
  [[nodiscard]] std::string log_tail(const std::string& name) const;

 private:
  void record(const std::vector<Service>& services) const;
  void forget(const std::string& name) const;

  Place place_;
};

/// Whether the recorded process still runs.
[[nodiscard]] bool is_alive(const Service& service);

/// Polls until `condition` holds (true), or the time is over or the user requests a stop (false).
[[nodiscard]] bool wait_until(process::Duration limit, const std::function<bool()>& condition);

}  // namespace gleaner::gridlocal
