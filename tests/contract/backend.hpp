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
