#pragma once
#include <optional>
#include <string>

#include "lib/store/database.hpp"

namespace gleaner::fleet {

/// A module's connection, kept from turn to turn.
class KeptDatabase {
 public:
  /// The connection; a new one when there is none yet, when the server has ended it, or when the configuration names another
  /// database now. Throws as Database and check_schema do.
  [[nodiscard]] store::Database& open(const std::string& conninfo);

 private:
  std::optional<store::Database> database_;
  std::string conninfo_;
};

}  // namespace gleaner::fleet
