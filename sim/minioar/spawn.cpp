#include "sim/minioar/spawn.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>

namespace gleaner::minioar {

namespace {

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (const auto& text : texts) out.push_back(const_cast<char*>(text.c_str()));  // NOLINT: the C interface
  out.push_back(nullptr);
  return out;
}

class Actions {
 public:
  Actions() {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
  }
  ~Actions() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  Actions(const Actions&) = delete;
  Actions& operator=(const Actions&) = delete;

  void prepare(const SpawnRequest& request) {
    if (!request.directory.empty()) posix_spawn_file_actions_addchdir_np(&actions_, request.directory.c_str());
    for (const int fd : {0, 1, 2}) {
      const auto given = [fd](const auto& pair) { return pair.second == fd; };
      if (std::none_of(request.descriptors.begin(), request.descriptors.end(), given)) {
        posix_spawn_file_actions_addopen(&actions_, fd, "/dev/null", O_RDWR, 0);
      }
    }
    for (const auto& [ours, its] : request.descriptors) posix_spawn_file_actions_adddup2(&actions_, ours, its);
    sigset_t all;
    sigfillset(&all);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    sigset_t blocked;
    sigemptyset(&blocked);
    for (const int signal : request.blocked_signals) sigaddset(&blocked, signal);
    posix_spawnattr_setsigmask(&attributes_, &blocked);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSID);
  }
  [[nodiscard]] const posix_spawn_file_actions_t* files() const { return &actions_; }
  [[nodiscard]] const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

}  // namespace

std::optional<pid_t> spawn(const SpawnRequest& request) {
  Actions actions;
  actions.prepare(request);
  const auto arguments = pointers(request.arguments);
  const auto environment = pointers(request.environment);
  pid_t pid = 0;
  const int error =
      ::posix_spawn(&pid, request.program.c_str(), actions.files(), actions.attributes(), arguments.data(), environment.data());
  if (error != 0) {
    errno = error;
    return std::nullopt;
  }
  return pid;
}

std::optional<CommandOutput> run_and_read(SpawnRequest request) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
  request.descriptors = {{ends[1], 1}, {ends[1], 2}};
  const auto pid = spawn(request);
  ::close(ends[1]);
  CommandOutput result{};
  std::array<char, 4096> buffer{};
  ssize_t count = 0;
  while (pid && ((count = ::read(ends[0], buffer.data(), buffer.size())) > 0 || (count < 0 && errno == EINTR))) {
    if (count > 0) result.output.append(buffer.data(), static_cast<std::size_t>(count));
  }
  ::close(ends[0]);
  if (!pid) return std::nullopt;
  while (::waitpid(*pid, &result.status, 0) < 0 && errno == EINTR) {
  }
  return result;
}

}  // namespace gleaner::minioar
