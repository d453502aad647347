#include "lib/process/child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <poll.h>
#include <pwd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

// glibc 2.36 declares these functions without C linkage.
extern "C" {
#include <sys/pidfd.h>
}

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <map>

#include <unistd.h>

#include "lib/process/values.hpp"

namespace gleaner::process {
namespace {

std::string what(int error) { return std::strerror(error); }

/// All data for the child, made before fork: between fork and exec no memory may be allocated.
struct Prepared {
  std::vector<std::string> environment_texts;
  std::vector<char*> arguments;
  std::vector<char*> environment;
  std::string program;
  std::vector<gid_t> groups;
  std::optional<std::pair<uid_t, gid_t>> user;
};

std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  const char* path = std::getenv("PATH");
  std::string_view rest{path == nullptr ? "/usr/bin:/bin" : path};
  while (!rest.empty()) {
    const auto colon = rest.find(':');
    const auto candidate = fmt::format("{}/{}", rest.substr(0, colon), name);
    if (::access(candidate.c_str(), X_OK) == 0) return candidate;
    rest = colon == std::string_view::npos ? std::string_view{} : rest.substr(colon + 1);
  }
  return name;
}

void prepare_environment(const Command& command, Prepared& into) {
  std::map<std::string, std::string, std::less<>> merged;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text{*entry};
    const auto equals = text.find('=');
    if (equals != std::string_view::npos)
      merged.insert_or_assign(std::string{text.substr(0, equals)}, std::string{text.substr(equals + 1)});
  }
  for (const auto& [name, value] : command.environment) merged.insert_or_assign(name, value);
  for (const auto& [name, value] : merged) into.environment_texts.push_back(name + '=' + value);
  for (auto& text : into.environment_texts) into.environment.push_back(text.data());
  into.environment.push_back(nullptr);
}

void prepare_user(uid_t uid, Prepared& into) {
  const passwd* user = ::getpwuid(uid);
  if (user == nullptr) return;
  into.user = {user->pw_uid, user->pw_gid};
  int count = 64;
  into.groups.resize(static_cast<std::size_t>(count));
  if (::getgrouplist(user->pw_name, user->pw_gid, into.groups.data(), &count) < 0) {
    into.groups.resize(static_cast<std::size_t>(count));
    ::getgrouplist(user->pw_name, user->pw_gid, into.groups.data(), &count);
  }
  into.groups.resize(static_cast<std::size_t>(count));
}

Prepared prepare(const Command& command) {
  Prepared prepared;
  for (const auto& argument : command.arguments) prepared.arguments.push_back(const_cast<char*>(argument.c_str()));
  prepared.arguments.push_back(nullptr);
  prepared.program = find_program(command.arguments.at(0));
  prepare_environment(command, prepared);
  if (command.as_user) prepare_user(*command.as_user, prepared);
  return prepared;
}

void reset_signals() {
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int signal : {SIGPIPE, SIGTERM, SIGINT, SIGHUP, SIGCHLD}) ::signal(signal, SIG_DFL);
}

bool become(const Prepared& prepared) {
  if (!prepared.user) return true;
  return ::setgroups(prepared.groups.size(), prepared.groups.data()) == 0 && ::setgid(prepared.user->second) == 0 &&
         ::setuid(prepared.user->first) == 0;
}

bool redirect(const Command& command, int conversation) {
  const int input = conversation >= 0 ? conversation : ::open(command.input.empty() ? "/dev/null" : command.input.c_str(), O_RDONLY);
  if (input < 0 || ::dup2(input, STDIN_FILENO) < 0) return false;
  const auto append_to = [](const std::filesystem::path& path) { return ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT, 0640); };
  if (!command.output.empty()) {
    const int output = append_to(command.output);
    if (output < 0 || ::dup2(output, STDOUT_FILENO) < 0 || ::dup2(output, STDERR_FILENO) < 0) return false;
  }
  if (command.errors.empty()) return true;
  const int errors = append_to(command.errors);
  return errors >= 0 && ::dup2(errors, STDERR_FILENO) >= 0;
}

/// The child's side; never returns. A failure is reported through `report` as an errno.
[[noreturn]] void become_program(const Command& command, const Prepared& prepared, pid_t parent, int report, int conversation) {
  reset_signals();
  const bool survives = command.lifetime == Command::Lifetime::survives_us;
  const bool grouped = survives ? ::setsid() > 0 : ::setpgid(0, 0) == 0;
  bool ready = grouped && redirect(command, conversation) && become(prepared);
  if (ready && !command.directory.empty()) ready = ::chdir(command.directory.c_str()) == 0;
  if (ready && !survives) {
    // After setuid, which clears the setting. The parent may be gone already.
    ready = ::prctl(PR_SET_PDEATHSIG, SIGKILL) == 0;
    if (::getppid() != parent) ::_exit(127);
  }
  if (ready) {
    // `report` keeps its close-on-exec: a successful exec closes it, and the parent notices.
    ::close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
    ::execve(prepared.program.c_str(), prepared.arguments.data(), prepared.environment.data());
  }
  const int error = errno;
  [[maybe_unused]] const auto written = ::write(report, &error, sizeof error);
  ::_exit(127);
}

constexpr Duration kBetweenChecks{100};
constexpr std::int64_t kMostOutput = 64 << 20;

/// A file without a name. A child opens it before it becomes another user.
class MemoryFile {
 public:
  MemoryFile() : descriptor_{::memfd_create("exchange", MFD_CLOEXEC | MFD_ALLOW_SEALING)} {}
  ~MemoryFile() {
    if (!is_open()) return;
    // A process that the child has left behind may write on: from here on it fills no memory.
    [[maybe_unused]] const auto emptied = ::ftruncate(descriptor_, 0);
    ::fcntl(descriptor_, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_WRITE);
    ::close(descriptor_);
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  [[nodiscard]] bool is_open() const { return descriptor_ >= 0; }
  [[nodiscard]] std::string path() const { return fmt::format("/proc/self/fd/{}", descriptor_); }
  /// False: errno says why. Text of one write: a memory file takes it whole, or none where no memory is left.
  [[nodiscard]] bool write(std::string_view text) const {
    return is_open() && ::pwrite(descriptor_, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
  }
  [[nodiscard]] bool is_above(std::int64_t bytes) const {
    struct stat found {};
    return ::fstat(descriptor_, &found) == 0 && found.st_size > bytes;
  }
  /// Its beginning.
  [[nodiscard]] std::string text() const {
    std::string text(kCapturedBytes, '\0');
    const auto got = ::pread(descriptor_, text.data(), text.size(), 0);
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    return text;
  }

 private:
  int descriptor_;
};

ChildEnd end_of(const siginfo_t& info) { return info.si_code == CLD_EXITED ? ChildEnd{info.si_status, 0} : ChildEnd{0, info.si_status}; }

}  // namespace

std::string ChildEnd::text() const {
  return signal == 0 ? fmt::format("exit status {}", exit_status) : fmt::format("killed by signal {} ({})", signal, ::strsignal(signal));
}

tl::expected<Child, std::string> Child::start(const Command& command) {
  const auto prepared = prepare(command);
  if (command.as_user && !prepared.user)
    return tl::unexpected{fmt::format("{}: there is no user {}", command.arguments[0], *command.as_user)};
  std::array<int, 2> report{};
  if (::pipe2(report.data(), O_CLOEXEC) != 0)
    return tl::unexpected{fmt::format("{}: cannot be started: {}", command.arguments[0], what(errno))};
  std::array<int, 2> conversation{-1, -1};
  // A socket of messages: none is read in parts, nor two at once.
  if (command.conversation && ::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, conversation.data()) != 0) {
    const int socket_error = errno;
    for (const int descriptor : report) ::close(descriptor);
    return tl::unexpected{fmt::format("{}: cannot be started: {}", command.arguments[0], what(socket_error))};
  }
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid == 0) become_program(command, prepared, parent, report[1], conversation[1]);
  const int fork_error = errno;
  ::close(report[1]);
  if (command.conversation) ::close(conversation[1]);
  int error = 0;
  ssize_t got = 0;
  if (pid > 0) {
    do got = ::read(report[0], &error, sizeof error);
    while (got < 0 && errno == EINTR);
  }
  ::close(report[0]);
  if (pid < 0 || got > 0) {
    if (pid > 0) ::waitpid(pid, nullptr, 0);
    if (command.conversation) ::close(conversation[0]);
    return tl::unexpected{fmt::format("{}: cannot be started: {}", command.arguments[0], what(pid < 0 ? fork_error : error))};
  }
  const int descriptor = ::pidfd_open(pid, 0);
  return Child{pid, descriptor, conversation[0], command.lifetime};
}

Child::Child(pid_t pid, int descriptor, int conversation, Command::Lifetime lifetime)
    : pid_{pid}, descriptor_{descriptor}, conversation_{conversation}, lifetime_{lifetime} {}

Child::Child(Child&& other) noexcept
    : pid_{std::exchange(other.pid_, -1)},
      descriptor_{std::exchange(other.descriptor_, -1)},
      conversation_{std::exchange(other.conversation_, -1)},
      lifetime_{other.lifetime_},
      end_{other.end_} {}

Child& Child::operator=(Child&& other) noexcept {
  if (this == &other) return *this;
  release();
  pid_ = std::exchange(other.pid_, -1);
  descriptor_ = std::exchange(other.descriptor_, -1);
  conversation_ = std::exchange(other.conversation_, -1);
  lifetime_ = other.lifetime_;
  end_ = other.end_;
  return *this;
}

Child::~Child() { release(); }

void Child::release() noexcept {
  if (pid_ > 0 && !end_ && lifetime_ == Command::Lifetime::ends_with_us) {
    signal_group(SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  if (descriptor_ >= 0) ::close(descriptor_);
  if (conversation_ >= 0) ::close(conversation_);
  pid_ = -1;
  descriptor_ = -1;
  conversation_ = -1;
}

std::optional<ChildEnd> Child::wait(Duration limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (!end_) {
    siginfo_t info{};
    // Wait without reaping first: until the child is reaped, its group id cannot be reused.
    if (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid_) {
      if (lifetime_ == Command::Lifetime::ends_with_us) ::kill(-pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
      end_ = end_of(info);
      break;
    }
    const auto left = std::chrono::ceil<Duration>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) break;
    pollfd watched{descriptor_, POLLIN, 0};
    ::poll(&watched, 1, static_cast<int>(std::min<std::int64_t>(left.count(), 1 << 30)));
  }
  return end_;
}

bool Child::send(const std::string& message) const {
  ssize_t sent = 0;
  do sent = ::send(conversation_, message.data(), message.size(), MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(message.size());
}

std::optional<std::string> Child::receive(Duration limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (!end_) {
    const auto left = std::max<std::int64_t>(std::chrono::ceil<Duration>(deadline - std::chrono::steady_clock::now()).count(), 0);
    // A child may close its stdin and continue: poll ignores descriptors below 0.
    std::array<pollfd, 2> watched{pollfd{conversation_, POLLIN, 0}, pollfd{descriptor_, POLLIN, 0}};
    const int ready = ::poll(watched.data(), watched.size(), static_cast<int>(std::min<std::int64_t>(left, 1 << 30)));
    if (watched[0].revents != 0) {
      std::string message(kMessageBytes, '\0');
      const auto got = ::recv(conversation_, message.data(), message.size(), MSG_DONTWAIT);
      if (got > 0) {
        message.resize(static_cast<std::size_t>(got));
        return message;
      }
      if (got == 0 || (errno != EINTR && errno != EAGAIN)) ::close(std::exchange(conversation_, -1));
    } else if (ready > 0 || left == 0) {
      break;
    }
  }
  return std::nullopt;
}

void Child::signal_group(int signal) const {
  if (pid_ > 0 && !end_) ::kill(-pid_, signal);
}

ChildEnd Child::stop(Duration patience) {
  signal_group(SIGTERM);
  if (!wait(patience)) {
    signal_group(SIGKILL);
    while (!wait(std::chrono::hours{1})) {
    }
  }
  return *end_;
}

tl::expected<Captured, std::string> capture(Command command, Duration limit, const Exchange& exchange) {
  const MemoryFile input;
  const MemoryFile output;
  const MemoryFile errors;
  const bool is_apart = exchange.errors == Exchange::Errors::apart;
  const bool is_given = !exchange.input || input.write(*exchange.input);
  if (!is_given || !output.is_open() || !errors.is_open())
    return tl::unexpected{fmt::format("{}: cannot be started: {}", command.arguments.at(0), what(errno))};
  if (exchange.input) command.input = input.path();
  command.output = output.path();
  if (is_apart) command.errors = errors.path();
  auto child = Child::start(command);
  if (!child) return tl::unexpected{child.error()};
  // Its output is kept in memory, so a program that never stops writing is stopped long before its time is over.
  const auto deadline = std::chrono::steady_clock::now() + limit;
  auto left = limit;
  auto end = child->wait(std::min(left, kBetweenChecks));
  while (!end && left.count() > 0) {
    if (output.is_above(kMostOutput) || errors.is_above(kMostOutput))
      return tl::unexpected{fmt::format("{}: stopped, as it wrote more than {}", command.arguments[0], format_size(kMostOutput))};
    left = std::chrono::ceil<Duration>(deadline - std::chrono::steady_clock::now());
    end = child->wait(std::min(left, kBetweenChecks));
  }
  if (!end) return tl::unexpected{fmt::format("{}: did not end within {}", command.arguments[0], format_duration(limit))};
  return Captured{*end, output.text(), is_apart ? errors.text() : std::string{}};
}

}  // namespace gleaner::process
