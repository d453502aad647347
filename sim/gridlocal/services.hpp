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

/// A process that an earlier or this run started and that outlives it. It is known by its pid, its
/// start and the machine's boot, so that another process that got the same pid is never taken for it.
struct Service {
  std::string name;
  pid_t pid = -1;
  std::uint64_t started = 0;  ///< in the kernel's ticks since the boot
  std::string boot;
};

/// The services of one place, remembered in a file there, in the order of their starts.
class Services {
 public:
  explicit Services(Place place);

  [[nodiscard]] std::vector<Service> all() const;
  [[nodiscard]] bool is_running(const std::string& name) const;

  /// Starts `command` as the service `name`, its output in its log, and waits until `ready` says
  /// so. Throws process::Error with the last lines of the log when it cannot be started, ends, or
  /// is not ready in time; it runs no more then.
  void start(const std::string& name, process::Command command, const std::function<bool()>& ready);

  /// Stops it with `signal`, and by SIGKILL when that takes too long; forgets it.
  void stop(const Service& service, int signal);

  /// `\n<the log's name>:\n<its last lines>`, to put at the end of a message.
  [[nodiscard]] std::string log_tail(const std::string& name) const;

 private:
  void remember(const std::vector<Service>& services) const;
  void forget(const std::string& name) const;

  Place place_;
};

/// Whether the process that is remembered still runs.
[[nodiscard]] bool is_alive(const Service& service);

/// Asks again and again, until `condition` holds (true), or until the time is over, or the user
/// wants to stop.
[[nodiscard]] bool wait_until(process::Duration limit, const std::function<bool()>& condition);

}  // namespace gleaner::gridlocal
