#pragma once
#include <optional>
#include <string>

#include "lib/process/config.hpp"
#include "lib/store/database.hpp"

namespace gleaner::fleet {

/// How long a connection of ours waits for what, as configured.
[[nodiscard]] store::ConnectionLimits connection_limits(const process::Config& config);

/// A module's connection, kept from turn to turn.
class KeptDatabase {
 public:
  /// The connection; a new one when there is none yet, when the server has ended it, or when the configuration names another
  /// database, or other limits, now. Throws as Database and check_schema do.
  [[nodiscard]] store::Database& open(const std::string& conninfo, const store::ConnectionLimits& limits = {});
  [[nodiscard]] store::Database& open(const process::Config& config) { return open(config.database, connection_limits(config)); }

 private:
  std::optional<store::Database> database_;
  std::string conninfo_;  ///< with the limits
};

}  // namespace gleaner::fleet
