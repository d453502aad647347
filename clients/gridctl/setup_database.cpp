#include "clients/gridctl/setup_database.hpp"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <sstream>

#include "lib/process/child.hpp"
#include "lib/process/exit_code.hpp"
#include "lib/process/options.hpp"
#include "lib/process/values.hpp"
#include "lib/store/migrations.hpp"

namespace gleaner::gridctl {
namespace {

using process::Error;
using process::ExitCode;

constexpr const char* kSuperuser = "postgres";
constexpr std::chrono::minutes kPatience{1};

/// A name that needs no quotes in a conninfo, and that `\echo` prints as it is.
void check_plain(const std::string& name, std::string_view what) {
  const bool is_plain = !name.empty() && name.size() <= 63 &&
                        std::ranges::all_of(name, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.'; });
  if (!is_plain) throw Error{ExitCode::usage, fmt::format("'{}' is no name for {}: letters, digits, '_', '-' and '.' are", name, what)};
}

/// The value after `key=`, up to a blank; empty: the conninfo has none.
std::optional<std::string> value_of(const std::string& conninfo, std::string_view key) {
  const auto at = conninfo.find(key);
  if (at == std::string::npos) return std::nullopt;
  const auto begin = at + key.size();
  return conninfo.substr(begin, conninfo.find(' ', begin) - begin);
}

class Superuser {
 public:
  explicit Superuser(const WantedDatabase& wanted) : connection_{wanted.superuser.value_or("dbname=postgres " + wanted.server)} {
    if (wanted.superuser) {
      if (process::holds_password(connection_))
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

  /// Gives psql the script of the first installation, and returns the lines that it prints.
  [[nodiscard]] std::string run(const WantedDatabase& wanted) const {
    const auto variable = [](std::string_view name, const std::string& value) { return fmt::format("{}={}", name, value); };
    auto captured = process::capture(
        {.arguments = {"psql", "-w", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-v", variable("owner", wanted.owner), "-v",
                       variable("administrator", wanted.administrator), "-v", variable("name", wanted.name), "-d", connection_},
         .as_user = user_,
         .directory = "/"},
        kPatience, {.input = store::setup_script(), .errors = process::Exchange::Errors::apart});
    if (!captured) throw Error{ExitCode::unavailable, captured.error() + ": 'apt install postgresql-client'"};
    if (captured->end.succeeded()) return std::move(captured->output);
    throw Error{ExitCode::unavailable,
                fmt::format("PostgreSQL refuses to make the roles and the database: {}\nIs it started ('systemctl start postgresql')? "
                            "Another connection of a superuser is named by --postgres",
                            process::trim(captured->errors))};
  }

 private:
  std::string connection_;
  std::optional<uid_t> user_;
};

}  // namespace

std::vector<std::string> make_database(const WantedDatabase& wanted) {
  check_plain(wanted.name, "a database");
  check_plain(wanted.owner, "a role");
  check_plain(wanted.administrator, "a role");
  std::istringstream lines{Superuser{wanted}.run(wanted)};
  std::vector<std::string> made;
  for (std::string line; std::getline(lines, line);) made.push_back(line);
  return made;
}

std::optional<std::string> database_name(const std::string& conninfo) { return value_of(conninfo, "dbname="); }

bool is_local(const std::string& conninfo) {
  const auto lacks = [&](std::string_view part) { return conninfo.find(part) == std::string::npos; };
  return lacks("://") && lacks("hostaddr=") && value_of(conninfo, "host=").value_or("/").starts_with('/');
}

std::string server_of(const std::string& conninfo) {
  std::string server;
  for (const std::string_view key : {"host=", "port="}) {
    if (const auto value = value_of(conninfo, key)) server += fmt::format("{}{} ", key, *value);
  }
  return server;
}

}  // namespace gleaner::gridctl
