#include "sim/gridlocal/place.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cstdlib>

#include <unistd.h>

#include "lib/process/exit_code.hpp"

namespace gleaner::gridlocal {

namespace fs = std::filesystem;
using process::Error;
using process::ExitCode;

fs::path default_place() {
  if (const char* state = std::getenv("XDG_STATE_HOME"); state != nullptr && *state == '/') return fs::path{state} / "gleaner/local";
  if (::geteuid() == 0) return "/var/lib/gleaner/local";
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home != '/') throw Error{ExitCode::usage, "there is no $HOME: say where with --state DIRECTORY"};
  return fs::path{home} / ".local/state/gleaner/local";
}

void check_place(const Place& place) {
  const auto longest = place.database() / ".s.PGSQL.5432.lock";
  const auto most = sizeof(sockaddr_un::sun_path) - 1;
  if (longest.string().size() > most) {
    throw Error{ExitCode::usage,
                fmt::format("{} is too long for the unix sockets in it ({} bytes at most): choose a shorter one with --state",
                            place.root().string(), most - (longest.string().size() - place.root().string().size()))};
  }
  if (::geteuid() != 0) return;
  for (auto folder = place.root(); folder != folder.root_path(); folder = folder.parent_path()) {
    struct stat status {};
    if (::stat(folder.c_str(), &status) == 0 && (status.st_mode & S_IXOTH) == 0) {
      throw Error{ExitCode::usage,
                  fmt::format("{} cannot be entered by the user 'postgres', who runs the database: choose another place with --state",
                              folder.string())};
    }
  }
}

fs::path program_folder() { return fs::read_symlink("/proc/self/exe").parent_path(); }

std::string program(const std::string& name) {
  const auto path = program_folder() / name;
  if (::access(path.c_str(), X_OK) != 0)
    throw Error{ExitCode::failure,
                fmt::format("the program {0} is missing: 'tools/build {1}' builds it, and the package gleaner-{2} has it", path.string(),
                            name, name == "minioar" ? "tools" : "server")};
  return path.string();
}

}  // namespace gleaner::gridlocal
