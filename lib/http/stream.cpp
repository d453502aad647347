#include "lib/http/stream.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include <boost/asio/error.hpp>

namespace gleaner::http {

namespace {
constexpr int kCloseReads = 256;

int milliseconds(std::chrono::milliseconds time) { return static_cast<int>(std::min<long long>(time.count(), 1'000'000'000)); }

boost::system::error_code last_error() { return {errno, boost::system::system_category()}; }

/// SSL calls count bytes with an int.
int clamped(std::size_t size) { return static_cast<int>(std::min<std::size_t>(size, 1U << 30U)); }
}  // namespace

void Stream::within(std::chrono::milliseconds time) {
  paced_ = false;
  until_ = Clock::now() + time;
}

void Stream::at_a_pace() {
  paced_ = true;
  waited_ = paused_ = std::chrono::nanoseconds{0};
  bytes_ = 0;
}

std::chrono::nanoseconds Stream::remaining() const {
  if (!paced_) return until_ - Clock::now();
  const auto rate = static_cast<double>(std::max<std::size_t>(deadlines_.least_rate, 1));
  const std::chrono::duration<double> earned{static_cast<double>(bytes_) / rate};
  const auto in_all = std::min<std::chrono::nanoseconds>(
      deadlines_.longest, deadlines_.pause + std::chrono::duration_cast<std::chrono::nanoseconds>(
                                                 std::min(earned, std::chrono::duration<double>{deadlines_.longest})));
  return std::min<std::chrono::nanoseconds>(in_all - waited_, deadlines_.pause - paused_);
}

std::size_t Stream::passed(std::size_t bytes) {
  bytes_ += bytes;
  paused_ = std::chrono::nanoseconds{0};
  return bytes;
}

bool Stream::wait(short events, boost::system::error_code& ec) {
  const auto begin = Clock::now();
  const bool ready = wait_since(begin, events, ec);
  const auto gone = Clock::now() - begin;
  waited_ += gone;
  paused_ += gone;
  kept_ += gone;
  if (std::exchange(late_, false)) on_wait_(Wait::over);
  return ready;
}

/// The time until this wait becomes late; without limit once it is.
std::chrono::nanoseconds Stream::patience_left(std::chrono::nanoseconds gone) {
  const std::chrono::nanoseconds left = deadlines_.patience - kept_ - gone;
  if (left.count() > 0) return left;
  if (!std::exchange(late_, true)) on_wait_(Wait::late);
  return std::chrono::nanoseconds::max();
}

bool Stream::wait_since(Clock::time_point begin, short events, boost::system::error_code& ec) {
  // Before the server stops, its stop ends a wait; afterwards only a short time is left.
  bool stopping = false;
  while (true) {
    std::array<pollfd, 2> items{pollfd{fd_.get(), events, 0}, pollfd{stopping ? -1 : stop_fd_, POLLIN, 0}};
    const auto gone = Clock::now() - begin;
    auto left = remaining() - (paced_ ? gone : Clock::duration{0});
    if (stopping) left = std::min<std::chrono::nanoseconds>(left, deadlines_.closing - gone);
    const auto nap = std::min<std::chrono::nanoseconds>(left, patience_left(gone));
    const int count =
        left.count() <= 0 ? 0 : ::poll(items.data(), items.size(), milliseconds(std::chrono::ceil<std::chrono::milliseconds>(nap)));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      ec = last_error();
      return false;
    }
    if (count > 0 && items[0].revents == 0) {
      stopping = true;
      continue;
    }
    if (count > 0) return true;
    if (nap < left) continue;
    ec = boost::asio::error::timed_out;
    return false;
  }
}

bool Stream::wait_for_tls(int result, boost::system::error_code& ec) {
  switch (SSL_get_error(tls_.get(), result)) {
    case SSL_ERROR_WANT_READ: return wait(POLLIN, ec);
    case SSL_ERROR_WANT_WRITE: return wait(POLLOUT, ec);
    case SSL_ERROR_ZERO_RETURN: ec = boost::asio::error::eof; return false;
    default: ec = boost::asio::error::connection_reset; return false;
  }
}

bool Stream::handshake(SSL_CTX* context) {
  within(deadlines_.handshake);
  tls_.reset(SSL_new(context));
  SSL_set_fd(tls_.get(), fd_.get());
  boost::system::error_code ec;
  while (true) {
    const int result = SSL_accept(tls_.get());
    if (result == 1) return true;
    if (!wait_for_tls(result, ec)) return false;
  }
}

Stream::Wake Stream::wait_readable() {
  if (tls_ && SSL_pending(tls_.get()) > 0) return Wake::readable;
  std::array<pollfd, 2> items{pollfd{fd_.get(), POLLIN, 0}, pollfd{stop_fd_, POLLIN, 0}};
  int count = 0;
  do {
    count = ::poll(items.data(), items.size(), milliseconds(deadlines_.idle));
  } while (count < 0 && errno == EINTR);
  if (items[0].revents != 0) return Wake::readable;
  return items[1].revents != 0 ? Wake::stopped : Wake::idle;
}

std::size_t Stream::read_bytes(std::span<char> into, boost::system::error_code& ec) {
  ec = {};
  while (true) {
    if (tls_) {
      const int count = SSL_read(tls_.get(), into.data(), clamped(into.size()));
      if (count > 0) return passed(static_cast<std::size_t>(count));
      if (!wait_for_tls(count, ec)) return 0;
      continue;
    }
    const auto count = ::recv(fd_.get(), into.data(), into.size(), 0);
    if (count > 0) return passed(static_cast<std::size_t>(count));
    if (count == 0) {
      ec = boost::asio::error::eof;
      return 0;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN && errno != EWOULDBLOCK) {
      ec = last_error();
      return 0;
    }
    if (!wait(POLLIN, ec)) return 0;
  }
}

std::size_t Stream::write_bytes(std::span<const char> from, boost::system::error_code& ec) {
  ec = {};
  from = from.first(std::min(from.size(), may_write_));
  if (from.empty()) {
    ec = boost::asio::error::operation_aborted;
    return 0;
  }
  while (true) {
    if (tls_) {
      const int count = SSL_write(tls_.get(), from.data(), clamped(from.size()));
      if (count > 0) return may_write_ -= static_cast<std::size_t>(count), passed(static_cast<std::size_t>(count));
      if (!wait_for_tls(count, ec)) return 0;
      continue;
    }
    const auto count = ::send(fd_.get(), from.data(), from.size(), MSG_NOSIGNAL);
    if (count >= 0) return may_write_ -= static_cast<std::size_t>(count), passed(static_cast<std::size_t>(count));
    if (errno == EINTR) continue;
    if (errno != EAGAIN && errno != EWOULDBLOCK) {
      ec = last_error();
      return 0;
    }
    if (!wait(POLLOUT, ec)) return 0;
  }
}

void Stream::close() {
  if (tls_) SSL_shutdown(tls_.get());
  fd_.reset();
}

void Stream::await_end() {
  if (tls_) SSL_shutdown(tls_.get());
  ::shutdown(fd_.get(), SHUT_WR);
  std::array<char, 16 * 1024> scratch{};
  const auto until = Clock::now() + deadlines_.closing;
  for (int reads = 0; reads < kCloseReads; ++reads) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
    pollfd item{fd_.get(), POLLIN, 0};
    if (left.count() <= 0 || ::poll(&item, 1, milliseconds(left)) <= 0) break;
    if (::recv(fd_.get(), scratch.data(), scratch.size(), 0) <= 0) break;
  }
}

void Stream::close_with_reset() {
  const linger none{1, 0};
  ::setsockopt(fd_.get(), SOL_SOCKET, SO_LINGER, &none, sizeof none);
  fd_.reset();
}

}  // namespace gleaner::http
