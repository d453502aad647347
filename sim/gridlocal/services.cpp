#include "sim/gridlocal/services.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/syscall.h>

#include <algorithm>
#include <csignal>
#include <deque>
#include <fstream>
#include <sstream>

#include <unistd.h>

#include "lib/process/exit_code.hpp"
#include "lib/process/stop.hpp"
#include "lib/process/whole_file.hpp"
#include "lib/text/numbers.hpp"

namespace gleaner::gridlocal {
namespace {

namespace fs = std::filesystem;
using process::Duration;

constexpr Duration kReadyLimit = std::chrono::seconds{30};
constexpr Duration kStopLimit = std::chrono::seconds{15};
constexpr Duration kBetweenLooks = std::chrono::milliseconds{20};
constexpr std::size_t kTailLines = 15;

std::string boot_id() {
  std::string id;
  std::getline(std::ifstream{"/proc/sys/kernel/random/boot_id"} >> std::ws, id);
  return id;
}

/// The 22nd field of /proc/PID/stat; 0: there is no such process, or it is a zombie.
std::uint64_t start_of(pid_t pid) {
  std::ifstream file{fmt::format("/proc/{}/stat", pid)};
  std::string line;
  std::getline(file, line);
  const auto name_end = line.rfind(')');
  if (name_end == std::string::npos) return 0;
  std::istringstream fields{line.substr(name_end + 1)};
  std::string field;
  for (int number = 3; number <= 22 && fields >> field; ++number) {
    if (number == 3 && (field == "Z" || field == "X")) return 0;
  }
  return text::whole_number<std::uint64_t>(field).value_or(0);
}

/// A descriptor of exactly the recorded process, so that no signal reaches another one.
class Handle {
 public:
  explicit Handle(const Service& service) {
    const auto opened = static_cast<int>(::syscall(SYS_pidfd_open, service.pid, 0));
    if (opened < 0) return;
    descriptor_ = opened;
    // Checked after the opening, so that the check applies to the opened process.
    if (!is_alive(service)) close();
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { close(); }

  void signal(int number) const {
    if (descriptor_ >= 0) ::syscall(SYS_pidfd_send_signal, descriptor_, number, nullptr, 0);
  }
  [[nodiscard]] bool ends_within(Duration limit) const {
    if (descriptor_ < 0) return true;
    pollfd watched{descriptor_, POLLIN, 0};
    return ::poll(&watched, 1, static_cast<int>(limit.count())) == 1;
  }

 private:
  void close() {
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = -1;
  }
  int descriptor_ = -1;
};

}  // namespace

bool is_alive(const Service& service) {
  return service.pid > 0 && service.started != 0 && service.boot == boot_id() && start_of(service.pid) == service.started;
}

bool wait_until(Duration limit, const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end || process::wait_for_stop(kBetweenLooks)) return false;
  }
  return true;
}

Services::Services(Place place) : place_{std::move(place)} {}

std::vector<Service> Services::all() const {
  std::vector<Service> found;
  std::ifstream file{place_.services()};
  for (Service service; file >> service.name >> service.pid >> service.started >> service.boot;) found.push_back(service);
  return found;
}

bool Services::is_running(const std::string& name) const {
  return std::ranges::any_of(all(), [&](const Service& service) { return service.name == name && is_alive(service); });
}

void Services::record(const std::vector<Service>& services) const {
  std::string lines;
  for (const auto& service : services) lines += fmt::format("{} {} {} {}\n", service.name, service.pid, service.started, service.boot);
  process::write_whole_file(place_.services(), lines, 0644, process::our_files());
}

void Services::forget(const std::string& name) const {
  auto services = all();
  std::erase_if(services, [&](const Service& service) { return service.name == name; });
  record(services);
}

void Services::start(const std::string& name, process::Command command, const std::function<bool()>& ready) {
  const auto log = place_.log_of(name);
  fs::create_directories(log.parent_path());
  command.output = log;
  command.lifetime = process::Command::Lifetime::survives_us;
  auto child = process::Child::start(command);
  if (!child) throw process::Error{process::ExitCode::failure, child.error()};
  const Service service{name, child->pid(), start_of(child->pid()), boot_id()};
  forget(name);
  auto services = all();
  services.push_back(service);
  record(services);

  std::optional<process::ChildEnd> end;
  const bool is_ready = wait_until(kReadyLimit, [&] {
    end = child->wait(Duration{0});
    return end || ready();
  });
  if (is_ready && !end) return;
  const auto why = end                         ? fmt::format("ended at once ({})", end->text())
                   : process::stop_requested() ? "was interrupted"
                                               : "is not ready in time";
  if (!end) {
    child->signal_group(SIGKILL);
    (void)child->wait(kStopLimit);
  }
  forget(name);
  throw process::Error{process::ExitCode::failure, fmt::format("{} {}{}", name, why, log_tail(name))};
}

void Services::stop(const Service& service, int signal) {
  {
    const Handle process{service};
    process.signal(signal);
    if (!process.ends_within(kStopLimit)) {
      process.signal(SIGKILL);
      (void)process.ends_within(kStopLimit);
    }
  }
  forget(service.name);
}

std::string Services::log_tail(const std::string& name) const {
  std::ifstream file{place_.log_of(name)};
  std::deque<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    lines.push_back(line);
    if (lines.size() > kTailLines) lines.pop_front();
  }
  if (lines.empty()) return fmt::format(" (it wrote nothing to {})", place_.log_of(name).string());
  auto text = fmt::format("; the end of {}:", place_.log_of(name).string());
  for (const auto& line : lines) text += "\n  " + line;
  return text;
}

}  // namespace gleaner::gridlocal
