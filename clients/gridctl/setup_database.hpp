#pragma once
#include <optional>
#include <string>
#include <vector>

/// The roles and the database of a first installation, made by psql: what they need is a superuser of PostgreSQL, whom no program of the
/// grid is afterwards.
namespace gleaner::gridctl {

struct WantedDatabase {
  std::string name;
  std::string owner;                     ///< the role, and the user, that the services run as
  std::string administrator;             ///< who runs gridctl, and may then act as the owner; may be the owner
  std::optional<std::string> superuser;  ///< a superuser's connection; empty: the user `postgres` of this machine
  std::string server;                    ///< for that user: where the server is, such as `port=5433`; empty: at the usual place
};

/// Makes what is missing, and returns a sentence for each thing that it made. Throws process::Error with what to do.
[[nodiscard]] std::vector<std::string> make_database(const WantedDatabase& wanted);

/// The name after `dbname=`; empty: the conninfo has none.
[[nodiscard]] std::optional<std::string> database_name(const std::string& conninfo);

/// Whether the database is reached by a socket of this machine: the conninfo names no host, or a folder.
[[nodiscard]] bool is_local(const std::string& conninfo);

/// The host and the port of a conninfo that is local, as in it.
[[nodiscard]] std::string server_of(const std::string& conninfo);

}  // namespace gleaner::gridctl
