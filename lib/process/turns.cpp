#include "lib/process/turns.hpp"

#include <fmt/format.h>
#include <malloc.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

#include <unistd.h>

#include "lib/process/child.hpp"
#include "lib/process/exit_code.hpp"
#include "lib/process/stop.hpp"
#include "lib/text/numbers.hpp"

namespace gleaner::process {
namespace {

constexpr std::string_view kDone = "done";

std::int64_t term_of(std::string_view message) {
  const auto term = text::whole_number(message);
  if (!term) throw Error{ExitCode::usage, fmt::format("{}: '{}' is not the number of a lease's term", kTurnsVariable, message)};
  return *term;
}

}  // namespace

void keep_freed_memory() {
  constexpr int kMegabyte = 1 << 20;
  ::mallopt(M_MMAP_THRESHOLD, 16 * kMegabyte);
  ::mallopt(M_TRIM_THRESHOLD, 64 * kMegabyte);
}

std::optional<std::int64_t> next_turn() {
  while (!stop_requested()) {
    std::array watched{pollfd{STDIN_FILENO, POLLIN, 0}, pollfd{stop_descriptor(), POLLIN, 0}};
    if (::poll(watched.data(), watched.size(), -1) < 0 || watched[0].revents == 0) continue;
    std::array<char, kMessageBytes> message{};
    const auto got = ::recv(STDIN_FILENO, message.data(), message.size(), MSG_DONTWAIT);
    if (got > 0) return term_of({message.data(), static_cast<std::size_t>(got)});
    if (got == 0 || errno == ECONNRESET) return std::nullopt;
    if (errno != EINTR && errno != EAGAIN)
      throw Error{ExitCode::usage,
                  fmt::format("{} is set, and stdin is not the conductor's socket: {}", kTurnsVariable, std::strerror(errno))};
  }
  return std::nullopt;
}

void end_turn() {
  // If the conductor is gone, the next turn notices it.
  while (::send(STDIN_FILENO, kDone.data(), kDone.size(), MSG_NOSIGNAL) < 0 && errno == EINTR) {
  }
}

}  // namespace gleaner::process
