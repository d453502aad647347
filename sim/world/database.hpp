#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/process/child.hpp"
#include "sim/world/rows.hpp"
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

  /// Runs a query of sql/world over a connection of the world's own, which no fault meets: `query(sql::oracle_tasks{})`.
  template <class Query>
  Rows<Query> query(const Query& query) {
    return Rows<Query>{run(std::string{Query::kText}, query.parameters())};
  }

  /// For the connections of one of production's programs.
  [[nodiscard]] std::string conninfo_of(std::string_view program) const;
  /// Whether any program is within a transaction.
  [[nodiscard]] bool has_open_transactions();
  /// Whether a program has changed anything in its present transaction.
  [[nodiscard]] bool has_written(std::string_view program);
  /// Writes production's tables and rows into the file, as SQL (pg_dump), with rows in the tables that were empty: no world goes on after
  /// it. Throws process::Error.
  void dump(const std::filesystem::path& file);
  /// Returns when none of a program's connections is left: those that were dropped hold no lock any more.
  void await_end_of(std::string_view program);

 private:
  using Texts = std::vector<std::vector<std::optional<std::string>>>;
  class Connection;
  void prepare(Statements statements);
  Texts run(const std::string& statement, sql::Parameters parameters = {});

  const std::filesystem::path folder_;
  const VirtualClock& clock_;
  std::optional<process::Child> server_;
  std::string conninfo_;
  std::unique_ptr<Connection> connection_;
  std::optional<grid::Instant> time_;
  std::string tables_;  ///< of production, with commas
};

}  // namespace gleaner::world
