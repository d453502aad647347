#pragma once
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lib/oar/access.hpp"

namespace gleaner::contract {

/// An OAR, real or small, that the suite talks to.
class Backend {
 public:
  virtual ~Backend() = default;
  /// As the grid: the identity header is believed. `reader` is the first user.
  [[nodiscard]] virtual const oar::Access& access() const = 0;
  /// Two accounts of the cluster.
  [[nodiscard]] virtual const std::string& user() const = 0;
  [[nodiscard]] virtual const std::string& other_user() const = 0;

  /// Whether jobs that end while OAR's server is dead report it when it is there again, or too late for their walltime.
  enum class Reports { heard, missed };
  /// OAR's server dies; its API goes on.
  virtual void kill_server(Reports reports) = 0;
  virtual void start_server() = 0;
  /// The next deaths of the server catch a job while it is launched, or while it ends, with some luck. Nothing on a backend where that is
  /// sure: there it is arranged.
  enum class Moment { launching, finishing };
  [[nodiscard]] virtual bool arrange(Moment moment) = 0;
  /// The site's script that runs before each command (PASSIVE_JOB_HOOK_EXEC_FILE, of OAR 2.6) fails, until mend().
  virtual void break_hook() = 0;
  /// Mends what only an administrator can: jobs that are Finishing for ever, the hook, nodes that are Suspected.
  virtual void mend() = 0;
  /// Whether it is a real OAR, which takes its time.
  [[nodiscard]] virtual bool is_real() const = 0;
};

/// All backends: minioar as OAR 2.5 and as OAR 2.6, the OAR of this machine, and one of 2.6.
inline constexpr std::array<std::string_view, 4> kBackends{"minioar", "minioar-2.6", "oar", "oar-2.6"};

/// The backends that GLEANER_CONTRACT_BACKENDS asks for, with commas between them; both of minioar when it is not set.
[[nodiscard]] std::vector<std::string> asked_backends();

/// Starts or finds the backend. Throws, with what to do, when it cannot be had: a backend that was
/// asked for is never left out.
///
/// oar, oar-2.6: the first cluster of the testbed whose clusters.json is in GLEANER_CONTRACT_OAR, GLEANER_CONTRACT_OAR26.
/// minioar: a process of its own from GLEANER_BIN_DIR, which ends with the object.
[[nodiscard]] std::unique_ptr<Backend> make_backend(const std::string& name);

}  // namespace gleaner::contract
