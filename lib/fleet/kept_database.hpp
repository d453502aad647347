#pragma once
#include <optional>
#include <string>

#include "lib/process/config.hpp"
#include "lib/store/database.hpp"

namespace gleaner::fleet {

/// The configured time limits of connections to the database.
[[nodiscard]] store::ConnectionLimits connection_limits(const process::Config& config);

/// A module's connection, kept between turns.
class KeptDatabase {
 public:
  /// Returns the connection. Opens a new one when there is none, when the server has closed it, or when the configuration names another
  /// database or other limits. Throws as Database and check_schema do.
  [[nodiscard]] store::Database& open(const std::string& conninfo, const store::ConnectionLimits& limits = {});
  [[nodiscard]] store::Database& open(const process::Config& config) { return open(config.database, connection_limits(config)); }

 private:
  std::optional<store::Database> database_;
  std::string conninfo_;  ///< includes the limits
};

}  // namespace gleaner::fleet
