#include "sim/gridlocal/local_grid.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <fstream>
#include <ranges>

#include <unistd.h>

#include "lib/process/child.hpp"
#include "lib/process/exit_code.hpp"
#include "sim/gridlocal/database.hpp"
#include "sim/gridlocal/registration.hpp"
#include "sim/gridlocal/services.hpp"

namespace gleaner::gridlocal {
namespace {

namespace fs = std::filesystem;
using process::Error;
using process::ExitCode;

/// A lock: one `up` or `down` at a time per place.
class Lock {
 public:
  explicit Lock(const Place& place) {
    std::error_code failed;
    fs::create_directories(place.root(), failed);
    if (failed) throw Error{ExitCode::failure, fmt::format("{} cannot be made: {}", place.root().string(), failed.message())};
    descriptor_ = ::open(place.lock().c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (descriptor_ < 0)
      throw Error{ExitCode::failure, fmt::format("{} cannot be written: {}", place.lock().string(), std::strerror(errno))};
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
      throw Error{ExitCode::try_again, fmt::format("another gridlocal is at work in {}", place.root().string())};
    }
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  ~Lock() { ::close(descriptor_); }

 private:
  int descriptor_ = -1;
};

bool accepts_connections(const fs::path& socket_path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, socket_path.c_str(), sizeof address.sun_path - 1);
  const int descriptor = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const bool connected = descriptor >= 0 && ::connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  if (descriptor >= 0) ::close(descriptor);
  return connected;
}

/// The notification socket on which a program reports that it is ready.
class ReadySocket {
 public:
  ReadySocket() {
    descriptor_ = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    // The kernel chooses an abstract address: no file, no collision of names.
    socklen_t size = sizeof address.sun_family;
    const bool bound = descriptor_ >= 0 && ::bind(descriptor_, reinterpret_cast<const sockaddr*>(&address), size) == 0;
    size = sizeof address;
    if (!bound || ::getsockname(descriptor_, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
      throw Error{ExitCode::failure, fmt::format("no socket for a program's readiness: {}", std::strerror(errno))};
    }
    name_ = "@" + std::string(address.sun_path + 1, size - sizeof address.sun_family - 1);
  }
  ReadySocket(const ReadySocket&) = delete;
  ReadySocket& operator=(const ReadySocket&) = delete;
  ~ReadySocket() { ::close(descriptor_); }

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] bool received() {
    std::array<char, 1024> message{};
    for (ssize_t got = 0; (got = ::recv(descriptor_, message.data(), message.size(), 0)) > 0;) {
      const std::string text(message.data(), static_cast<std::size_t>(got));
      ready_ = ready_ || ("\n" + text + "\n").find("\nREADY=1\n") != std::string::npos;
    }
    return ready_;
  }

 private:
  int descriptor_ = -1;
  std::string name_;
  bool ready_ = false;
};

int stop_signal(const Service& service) {
  // SIGINT is PostgreSQL's fast shutdown; the others stop cleanly on SIGTERM.
  return service.name == kDatabaseService ? SIGINT : SIGTERM;
}

void stop_all(Services& services, const std::vector<Service>& which) {
  for (const auto& service : which | std::views::reverse) services.stop(service, stop_signal(service));
}

void start_api(const Place& place, Services& services) {
  if (services.is_running("gridapi")) return;
  fs::create_directories(place.api_socket().parent_path());
  services.start("gridapi", program_command(place, "gridapi", {}), [&] { return accepts_connections(place.api_socket()); });
}

void start_until_ready(const Place& place, Services& services, const std::string& name) {
  if (services.is_running(name)) return;
  ReadySocket ready;
  auto command = program_command(place, name, {});
  command.environment.emplace_back("NOTIFY_SOCKET", ready.name());
  services.start(name, std::move(command), [&] { return ready.received(); });
}

void start_everything(const Place& place, const Options& options, Services& services) {
  start_database(place, services);
  write_configuration(place);
  migrate(place);
  const auto clusters =
      options.clusters_file ? read_clusters(place, *options.clusters_file) : start_minioar(place, services, options.minioar);
  register_clusters(place, clusters);
  start_api(place, services);
  start_until_ready(place, services, "herald");
  start_until_ready(place, services, "almighty");
}

bool is_newer(const Service& service, const std::vector<Service>& before) {
  return std::ranges::none_of(before, [&](const Service& old) { return old.pid == service.pid && old.started == service.started; });
}

}  // namespace

std::string up(const Place& place, const Options& options) {
  check_place(place);
  for (const auto* name : {"gridctl", "gridapi", "herald", "almighty"}) (void)program(name);
  const Lock lock{place};
  fs::permissions(place.root(),
                  fs::perms::owner_all | fs::perms::group_read | fs::perms::group_exec | fs::perms::others_read | fs::perms::others_exec);
  Services services{place};
  if (status(place).all_running) return fmt::format("the grid in {} is up already", place.root().string());
  const auto before = services.all();
  try {
    start_everything(place, options, services);
  } catch (...) {
    auto started = services.all();
    std::erase_if(started, [&](const Service& service) { return !is_newer(service, before); });
    stop_all(services, started);
    throw;
  }
  return fmt::format("the grid in {} is up; to use it: eval \"$({} env --state={})\"", place.root().string(), program("gridlocal"),
                     place.root().string());
}

std::string down(const Place& place, Leftovers leftovers) {
  if (!fs::exists(place.root())) return fmt::format("there is no grid in {}", place.root().string());
  if (!fs::exists(place.lock()))
    throw Error{ExitCode::usage, fmt::format("{} was not made by gridlocal: it is left alone", place.root().string())};
  const Lock lock{place};
  Services services{place};
  const auto running = services.all();
  stop_all(services, running);
  if (leftovers == Leftovers::remove) fs::remove_all(place.root());
  return fmt::format("the grid in {} is down{}", place.root().string(), leftovers == Leftovers::keep ? ", its files are kept" : "");
}

Status status(const Place& place) {
  const auto services = Services{place}.all();
  Status result;
  // almighty starts last: without it, `up` was interrupted.
  result.all_running = std::ranges::any_of(services, [](const Service& service) { return service.name == "almighty"; }) &&
                       std::ranges::all_of(services, is_alive);
  for (const auto& service : services) {
    result.text += fmt::format("{:<20} {:<8} pid {:<8} {}\n", service.name, is_alive(service) ? "running" : "dead", service.pid,
                               place.log_of(service.name).string());
  }
  if (services.empty()) result.text = fmt::format("there is no grid in {}\n", place.root().string());
  return result;
}

std::string environment(const Place& place) {
  return fmt::format("export GLEANER_CONFIG='{}'\nexport PATH='{}':\"$PATH\"\n", place.configuration().string(), program_folder().string());
}

}  // namespace gleaner::gridlocal
