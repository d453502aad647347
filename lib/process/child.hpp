#pragma once
#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include "lib/process/config.hpp"

namespace gleaner::process {

/// A program to start. It has a process group of its own, stdin from /dev/null by default, no other open descriptor, default signal
/// actions, and this process's environment with `environment` added.
struct Command {
  std::vector<std::string> arguments;  ///< [0] is searched for in PATH if it has no slash
  std::vector<std::pair<std::string, std::string>> environment{};
  std::filesystem::path input{};   ///< stdin is read from it; empty: /dev/null
  std::filesystem::path output{};  ///< stdout and stderr are appended to it; empty: as ours
  std::filesystem::path errors{};  ///< stderr alone is appended to it; empty: it goes with stdout
  enum class Lifetime { ends_with_us, survives_us } lifetime = Lifetime::ends_with_us;
  std::optional<uid_t> as_user{};  ///< root only: the program runs as this user and its groups
  std::filesystem::path directory{};
  bool conversation = false;  ///< stdin is a socket to this process: see Child::send and Child::receive
};

/// How a child ended: by itself with a status, or by a signal.
struct ChildEnd {
  int exit_status = 0;  ///< meaningful when `signal` is 0
  int signal = 0;
  [[nodiscard]] bool succeeded() const { return exit_status == 0 && signal == 0; }
  /// `exit status 3`, `killed by signal 9 (Killed)`.
  [[nodiscard]] std::string text() const;
};

/// The longest message of a conversation.
inline constexpr std::size_t kMessageBytes = 256;

/// One child process. Unless it was started to survive us, processes that it leaves in its group are killed when its end is noticed, and
/// the whole group is killed when this object is destroyed before that.
class Child {
 public:
  /// Starts the program; the error names it and the reason.
  [[nodiscard]] static tl::expected<Child, std::string> start(const Command& command);

  Child(Child&& other) noexcept;
  Child& operator=(Child&& other) noexcept;
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child();

  [[nodiscard]] pid_t pid() const { return pid_; }
  /// Readable once the child has ended: for poll(2).
  [[nodiscard]] int descriptor() const { return descriptor_; }

  /// Waits for the child's end, at most `limit` (0: no wait); empty: it still runs.
  [[nodiscard]] std::optional<ChildEnd> wait(Duration limit);
  /// Sends a message to the child; false when it has closed the socket. Requires Command::conversation.
  [[nodiscard]] bool send(const std::string& message) const;
  /// The child's next message, at most kMessageBytes of it; empty: the child ended, or the limit (0: no wait) was reached, first.
  [[nodiscard]] std::optional<std::string> receive(Duration limit);
  /// Sends a signal to the child's group; no effect once its end was noticed.
  void signal_group(int signal) const;
  /// Sends SIGTERM to the group, and SIGKILL after `patience`; returns how the child ended.
  ChildEnd stop(Duration patience);

 private:
  Child(pid_t pid, int descriptor, int conversation, Command::Lifetime lifetime);
  void release() noexcept;

  pid_t pid_ = -1;
  int descriptor_ = -1;
  int conversation_ = -1;
  Command::Lifetime lifetime_ = Command::Lifetime::ends_with_us;
  std::optional<ChildEnd> end_;
};

/// The streams that capture() exchanges with a program.
struct Exchange {
  std::optional<std::string_view> input{};  ///< stdin reads it, whatever the user that the program runs as may read; empty: Command::input
  enum class Errors { with_output, apart } errors = Errors::with_output;
};

/// A program's output on stdout and stderr together, unless they are kept apart (at most `kCapturedBytes` of each), and its end.
struct Captured {
  ChildEnd end;
  std::string output;
  std::string errors{};  ///< stderr, with Exchange::Errors::apart
};
inline constexpr std::size_t kCapturedBytes = 1 << 20;

/// Runs a program to its end and captures its output. An error when it cannot be started or does not end within `limit` (its group is then
/// killed).
[[nodiscard]] tl::expected<Captured, std::string> capture(Command command, Duration limit, const Exchange& exchange = {});

}  // namespace gleaner::process
