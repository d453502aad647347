#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/process/child.hpp"
#include "sim/world/virtual_clock.hpp"

namespace gleaner::world {

/// The world's PostgreSQL, of this process alone, with the schema of production and the world's time: its functions now() and
/// clock_timestamp() are found before PostgreSQL's own by the search_path of every connection, and read a sequence, which no transaction
/// rolls back. All below the folder; nothing is written to a disk.
class WorldDatabase {
 public:
  enum class Statements { uncounted, counted };
  /// Throws process::Error if PostgreSQL does not start. `statements`: counted: by pg_stat_statements.
  WorldDatabase(const std::filesystem::path& folder, const VirtualClock& clock, Statements statements = Statements::uncounted);
  ~WorldDatabase();

  /// Gives the database the world's time, if it has moved.
  void set_time();
  /// The same, if it has moved by 10 ms or more: the clocks of two hosts differ by more.
  void follow_time();
  /// As autovacuum does at moments of its own.
  void vacuum();

  using Row = std::vector<std::optional<std::string>>;
  /// Runs a statement over a connection of the world's own, which no fault meets.
  std::vector<Row> query(const std::string& statement);
  /// The first field of the first row; empty: null, or no row.
  [[nodiscard]] std::string value(const std::string& statement);
  [[nodiscard]] std::int64_t number(const std::string& statement);

  /// For the connections of one of production's programs.
  [[nodiscard]] std::string conninfo_of(std::string_view program) const;
  /// Returns when none of a program's connections is left: those that were dropped hold no lock any more.
  void await_end_of(std::string_view program);

 private:
  struct Connection;
  void prepare(Statements statements);

  const VirtualClock& clock_;
  std::optional<process::Child> server_;
  std::string conninfo_;
  std::unique_ptr<Connection> connection_;
  std::optional<grid::Instant> time_;
  std::string tables_;  ///< of production, with commas
};

}  // namespace gleaner::world
