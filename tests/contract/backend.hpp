#pragma once
#include <memory>
#include <string>
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
  /// Ends what only an administrator can: jobs that are Finishing for ever.
  virtual void mend() = 0;
};

/// The backends that GLEANER_CONTRACT_BACKENDS asks for: `minioar`, `oar`, or both with a comma;
/// minioar when it is not set.
[[nodiscard]] std::vector<std::string> asked_backends();

/// Starts or finds the backend. Throws, with what to do, when it cannot be had: a backend that was
/// asked for is never left out.
///
/// oar: the first cluster of the testbed whose clusters.json is in GLEANER_CONTRACT_OAR.
/// minioar: a process of its own from GLEANER_BIN_DIR, which ends with the object.
[[nodiscard]] std::unique_ptr<Backend> make_backend(const std::string& name);

}  // namespace gleaner::contract
