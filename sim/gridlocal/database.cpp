#include "sim/gridlocal/database.hpp"

#include <fmt/format.h>
#include <pwd.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>

#include <unistd.h>

#include "lib/process/child.hpp"
#include "lib/process/exit_code.hpp"

namespace gleaner::gridlocal {
namespace {

namespace fs = std::filesystem;
using process::Error;
using process::ExitCode;

constexpr const char* kPort = "5432";  // part of the socket's name: no TCP port is used
constexpr process::Duration kInitLimit = std::chrono::minutes{2};
constexpr process::Duration kQuestionLimit = std::chrono::seconds{5};

/// The newest version in Debian's folder of server programs, or the one on PATH.
std::string server_program(const std::string& name) {
  std::string newest = name;
  int version = 0;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator{"/usr/lib/postgresql", missing}) {
    const int number = std::atoi(entry.path().filename().c_str());
    const auto candidate = entry.path() / "bin" / name;
    if (number > version && ::access(candidate.c_str(), X_OK) == 0) {
      version = number;
      newest = candidate.string();
    }
  }
  return newest;
}

/// PostgreSQL refuses to run as root.
std::optional<uid_t> server_user() {
  if (::geteuid() != 0) return std::nullopt;
  const auto* user = ::getpwnam("postgres");
  if (user == nullptr)
    throw Error{ExitCode::failure, "root cannot run PostgreSQL, and there is no user 'postgres': install the package postgresql"};
  return user->pw_uid;
}

process::Command as_server_user(std::vector<std::string> arguments) {
  return {.arguments = std::move(arguments), .environment = {{"LC_ALL", "C.UTF-8"}}, .as_user = server_user(), .directory = "/"};
}

std::string output_of(process::Command command, process::Duration limit) {
  const auto name = fs::path{command.arguments.front()}.filename().string();
  const auto said = process::capture(std::move(command), limit);
  if (!said) throw Error{ExitCode::failure, said.error() + " (the package postgresql has it)"};
  if (!said->end.succeeded()) throw Error{ExitCode::failure, fmt::format("{} failed ({}):\n{}", name, said->end.text(), said->output)};
  return said->output;
}

}  // namespace

void make_database_files(const fs::path& folder) {
  if (fs::exists(folder / "data" / "PG_VERSION")) return;
  fs::remove_all(folder);
  fs::create_directories(folder);
  fs::permissions(folder, fs::perms::owner_all);
  if (const auto user = server_user(); user && ::chown(folder.c_str(), *user, static_cast<gid_t>(-1)) != 0) {
    throw Error{ExitCode::failure, fmt::format("{} cannot be given to the user 'postgres'", folder.string())};
  }
  // The folder's permissions decide who can connect.
  output_of(as_server_user({server_program("initdb"), "--no-sync", "--auth=trust", "--username=gleaner", "--encoding=UTF8", "--locale=C",
                            "--pgdata=" + (folder / "data").string()}),
            kInitLimit);
}

process::Command server_command(const fs::path& folder, const std::vector<std::string>& settings) {
  std::vector<std::string> arguments{server_program("postgres"), "-D", (folder / "data").string()};
  const auto set = [&](const std::string& setting) { arguments.insert(arguments.end(), {"-c", setting}); };
  for (const auto* setting : {"listen_addresses=", "timezone=UTC", "log_timezone=UTC"}) set(setting);
  set("unix_socket_directories=" + folder.string());
  set(std::string{"port="} + kPort);
  for (const auto& setting : settings) set(setting);
  return as_server_user(std::move(arguments));
}

std::string server_conninfo(const fs::path& folder) { return fmt::format("host={} port={} user=gleaner", folder.string(), kPort); }

namespace {

/// A client program, with the server's address independent of the environment.
process::Command client(const fs::path& folder, std::string name, const std::vector<std::string>& more) {
  std::vector<std::string> arguments{std::move(name), "-h", folder.string(), "-p", kPort, "-U", "gleaner"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return {.arguments = std::move(arguments)};
}

bool answers(const Place& place) {
  const auto said = process::capture(client(place.database(), server_program("pg_isready"), {"-q"}), kQuestionLimit);
  return said && said->end.succeeded();
}

bool has_database(const Place& place) {
  const auto names = output_of(client(place.database(), "psql", {"-lqtAX", "-d", "postgres"}), kQuestionLimit);
  return ("\n" + names).find("\ngleaner|") != std::string::npos;
}

}  // namespace

void start_database(const Place& place, Services& services) {
  make_database_files(place.database());
  if (!services.is_running(kDatabaseService)) {
    services.start(kDatabaseService, server_command(place.database(), {}), [&] { return answers(place); });
  }
  if (!has_database(place)) output_of(client(place.database(), "createdb", {"gleaner"}), kInitLimit);
}

void dump(const fs::path& folder, const std::string& database, const std::vector<std::string>& options) {
  std::vector<std::string> more{"-d", database};
  more.insert(more.end(), options.begin(), options.end());
  output_of(client(folder, server_program("pg_dump"), more), kInitLimit);
}

std::string conninfo(const Place& place) { return server_conninfo(place.database()) + " dbname=gleaner"; }

}  // namespace gleaner::gridlocal
