#pragma once
#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace gleaner::tests {

/// A PostgreSQL server of this test program alone, in a temporary folder, on a unix socket, without
/// TCP. It starts when it is first asked for, and is stopped and removed at the program's end; if
/// the program is killed, the kernel ends the server. Run by root, it belongs to `postgres`.
class PrivatePostgres {
 public:
  /// Starts it at the first call; throws std::runtime_error when it does not start.
  [[nodiscard]] static PrivatePostgres& instance();

  /// The conninfo of a new database that has all migrations.
  [[nodiscard]] std::string fresh_database();
  /// Those of all that were made so.
  [[nodiscard]] const std::vector<std::string>& migrated() const { return migrated_; }
  /// The conninfo of a new database that has none.
  [[nodiscard]] std::string empty_database();
  /// That of a new database with the tables of CiGri 3 (tests/db/cigri_database.sql). @param options  of CREATE DATABASE
  [[nodiscard]] std::string cigri_database(const std::string& options = {});
  /// Runs statements in such a database, over a connection whose end PostgreSQL has noticed when this function returns.
  void run_alone(const std::string& conninfo, const std::string& statements);
  /// Returns when no session is in the database.
  void wait_for_end_of_sessions(const std::string& of) const;

  /// Ends every session at once, and answers nobody until `start`.
  void stop();
  /// Returns when the server takes connections. Databases are as they were.
  void start();
  /// Starts it again, so that it listens on these addresses too, on PostgreSQL's own port: for a test with a network of its own.
  void listen_on(const std::string& addresses);
  /// One statement on the database `postgres`, outside of a transaction: ALTER SYSTEM, pg_reload_conf(). Also while the server takes no
  /// writes by default.
  void administer(const std::string& statement);

  PrivatePostgres(const PrivatePostgres&) = delete;
  PrivatePostgres& operator=(const PrivatePostgres&) = delete;

 private:
  PrivatePostgres();
  ~PrivatePostgres();
  void initialize();
  [[nodiscard]] std::string conninfo(const std::string& database) const;
  [[nodiscard]] std::string create_database(const std::string& options);

  std::filesystem::path folder_;
  std::string addresses_;  ///< none: the unix socket alone
  pid_t server_ = -1;
  int databases_ = 0;
  bool has_template_ = false;
  std::vector<std::string> migrated_;
};

}  // namespace gleaner::tests
