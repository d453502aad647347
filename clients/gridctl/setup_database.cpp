#include "clients/gridctl/setup_database.hpp"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>

#include "lib/process/child.hpp"
#include "lib/process/exit_code.hpp"
#include "lib/process/values.hpp"

namespace gleaner::gridctl {
namespace {

using process::Error;
using process::ExitCode;

constexpr const char* kSuperuser = "postgres";
constexpr std::chrono::minutes kPatience{1};

/// A name that stands in SQL between double quotes as it is.
void check_plain(const std::string& name, std::string_view what) {
  const bool is_plain = !name.empty() && name.size() <= 63 &&
                        std::ranges::all_of(name, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.'; });
  if (!is_plain) throw Error{ExitCode::usage, fmt::format("'{}' is no name for {}: letters, digits, '_', '-' and '.' are", name, what)};
}

class Superuser {
 public:
  explicit Superuser(std::optional<std::string> connection) : connection_{std::move(connection)} {
    if (connection_) {
      if (process::holds_password(*connection_))
        throw Error{ExitCode::usage, "--postgres: a password in an option can be read by others: put it into ~/.pgpass"};
      return;
    }
    if (::geteuid() != 0)
      throw Error{
          ExitCode::refused,
          "roles and a database are made by a superuser of PostgreSQL: run it as root, or name the connection of one by --postgres"};
    const auto* user = ::getpwnam(kSuperuser);
    if (user == nullptr)
      throw Error{ExitCode::unavailable,
                  "there is no PostgreSQL on this machine: 'apt install postgresql', or name a superuser's connection by --postgres"};
    user_ = user->pw_uid;
  }

  /// What the statement prints, with its line end.
  [[nodiscard]] std::string run(const std::string& statement) const {
    auto captured = process::capture({.arguments = {"psql", "-w", "-X", "-q", "-t", "-A", "-v", "ON_ERROR_STOP=1", "-d",
                                                    connection_.value_or("dbname=postgres"), "-c", statement},
                                      .as_user = user_,
                                      .directory = "/"},
                                     kPatience);
    if (!captured) throw Error{ExitCode::unavailable, captured.error() + ": 'apt install postgresql-client'"};
    const auto said = std::string{process::trim(captured->output)};
    if (captured->end.succeeded()) return said;
    throw Error{ExitCode::unavailable,
                fmt::format("PostgreSQL refuses '{}': {}\nIs it started ('systemctl start postgresql')? Another connection of a superuser "
                            "is named by --postgres",
                            statement, said)};
  }

 private:
  std::optional<std::string> connection_;
  std::optional<uid_t> user_;
};

}  // namespace

std::vector<std::string> make_database(const WantedDatabase& wanted) {
  check_plain(wanted.name, "a database");
  check_plain(wanted.owner, "a role");
  check_plain(wanted.administrator, "a role");
  const Superuser superuser{wanted.superuser};
  const auto exists = [&](std::string_view table, std::string_view column, const std::string& name) {
    // Warnings of the server may stand beside the answer.
    const auto said = superuser.run(fmt::format("SELECT 'found:' || count(*) FROM {} WHERE {} = '{}'", table, column, name));
    return said.find("found:1") != std::string::npos;
  };
  std::vector<std::string> made;
  if (!exists("pg_roles", "rolname", wanted.owner)) {
    static_cast<void>(superuser.run(fmt::format("CREATE ROLE \"{}\" LOGIN", wanted.owner)));
    made.push_back(fmt::format("the role {}", wanted.owner));
  }
  if (wanted.administrator != wanted.owner && !exists("pg_roles", "rolname", wanted.administrator)) {
    static_cast<void>(superuser.run(fmt::format("CREATE ROLE \"{}\" LOGIN", wanted.administrator)));
    made.push_back(fmt::format("the role {}", wanted.administrator));
  }
  if (!exists("pg_database", "datname", wanted.name)) {
    static_cast<void>(superuser.run(fmt::format("CREATE DATABASE \"{}\" OWNER \"{}\"", wanted.name, wanted.owner)));
    made.push_back(fmt::format("the database {}", wanted.name));
  }
  if (wanted.administrator != wanted.owner) {
    // What the administrator makes in this database belongs to the services' role. A superuser needs no grant.
    static_cast<void>(superuser.run(fmt::format("GRANT \"{1}\" TO \"{0}\"; ALTER ROLE \"{0}\" IN DATABASE \"{2}\" SET role = '{1}'",
                                                wanted.administrator, wanted.owner, wanted.name)));
  }
  return made;
}

std::optional<std::string> database_name(const std::string& conninfo) {
  constexpr std::string_view kName{"dbname="};
  const auto at = conninfo.find(kName);
  if (at == std::string::npos) return std::nullopt;
  const auto begin = at + kName.size();
  return conninfo.substr(begin, conninfo.find(' ', begin) - begin);
}

bool is_local(const std::string& conninfo) {
  const auto lacks = [&](std::string_view part) { return conninfo.find(part) == std::string::npos; };
  return lacks("://") && lacks("host=") && lacks("hostaddr=");
}

}  // namespace gleaner::gridctl
