#include "lib/process/stop.hpp"

#include <poll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <system_error>

#include <unistd.h>

namespace gleaner::process {
namespace {

std::atomic<bool> g_requested{false};

int descriptor() {
  static const int created = [] {
    const int event = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (event < 0) throw std::system_error{errno, std::generic_category(), "eventfd"};
    return event;
  }();
  return created;
}

// A handler must not initialize a static variable, so this is done before the signals are caught.
int g_descriptor = -1;

void on_signal(int) {
  const int saved = errno;
  g_requested.store(true);
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(g_descriptor, &one, sizeof one);
  errno = saved;
}

}  // namespace

bool stop_requested() { return g_requested.load(); }

int stop_descriptor() { return descriptor(); }

bool wait_for_stop(Duration limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!stop_requested()) {
    const auto left = std::chrono::ceil<Duration>(end - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    pollfd watched{descriptor(), POLLIN, 0};
    ::poll(&watched, 1, static_cast<int>(std::min<std::int64_t>(left.count(), 1 << 30)));
  }
  return true;
}

void catch_stop_signals() {
  g_descriptor = descriptor();
  struct sigaction action {};
  action.sa_handler = on_signal;
  ::sigemptyset(&action.sa_mask);
  // Without SA_RESTART a blocking call returns, and its loop notices the request.
  ::sigaction(SIGTERM, &action, nullptr);
  ::sigaction(SIGINT, &action, nullptr);
}

}  // namespace gleaner::process
