#include "lib/http/stream.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include <boost/asio/error.hpp>

namespace gleaner::http {

namespace {
constexpr int kCloseWaitMs = 1000;
constexpr int kCloseReads = 256;

int milliseconds(std::chrono::milliseconds time) { return static_cast<int>(std::min<long long>(time.count(), 1'000'000'000)); }

boost::system::error_code last_error() { return {errno, boost::system::system_category()}; }

/// SSL calls count bytes with an int.
int clamped(std::size_t size) { return static_cast<int>(std::min<std::size_t>(size, 1U << 30U)); }
}  // namespace

bool Stream::wait(short events, boost::system::error_code& ec) {
  pollfd item{fd_.get(), events, 0};
  int count = 0;
  do {
    count = ::poll(&item, 1, milliseconds(idle_limit_));
  } while (count < 0 && errno == EINTR);
  if (count > 0) return true;
  ec = count == 0 ? boost::system::error_code{boost::asio::error::timed_out} : last_error();
  return false;
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
  tls_.reset(SSL_new(context));
  SSL_set_fd(tls_.get(), fd_.get());
  boost::system::error_code ec;
  while (true) {
    const int result = SSL_accept(tls_.get());
    if (result == 1) return true;
    if (!wait_for_tls(result, ec)) return false;
  }
}

Stream::Wake Stream::wait_readable(int stop_fd) {
  if (tls_ && SSL_pending(tls_.get()) > 0) return Wake::readable;
  std::array<pollfd, 2> items{pollfd{fd_.get(), POLLIN, 0}, pollfd{stop_fd, POLLIN, 0}};
  int count = 0;
  do {
    count = ::poll(items.data(), items.size(), milliseconds(idle_limit_));
  } while (count < 0 && errno == EINTR);
  if (items[0].revents != 0) return Wake::readable;
  return items[1].revents != 0 ? Wake::stopped : Wake::idle;
}

std::size_t Stream::read_bytes(std::span<char> into, boost::system::error_code& ec) {
  ec = {};
  while (true) {
    if (tls_) {
      const int count = SSL_read(tls_.get(), into.data(), clamped(into.size()));
      if (count > 0) return static_cast<std::size_t>(count);
      if (!wait_for_tls(count, ec)) return 0;
      continue;
    }
    const auto count = ::recv(fd_.get(), into.data(), into.size(), 0);
    if (count > 0) return static_cast<std::size_t>(count);
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
      if (count > 0) return may_write_ -= static_cast<std::size_t>(count), static_cast<std::size_t>(count);
      if (!wait_for_tls(count, ec)) return 0;
      continue;
    }
    const auto count = ::send(fd_.get(), from.data(), from.size(), MSG_NOSIGNAL);
    if (count >= 0) return may_write_ -= static_cast<std::size_t>(count), static_cast<std::size_t>(count);
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

void Stream::close_gently() {
  if (tls_) SSL_shutdown(tls_.get());
  ::shutdown(fd_.get(), SHUT_WR);
  std::array<char, 16 * 1024> scratch{};
  for (int reads = 0; reads < kCloseReads; ++reads) {
    pollfd item{fd_.get(), POLLIN, 0};
    if (::poll(&item, 1, kCloseWaitMs) <= 0) break;
    if (::recv(fd_.get(), scratch.data(), scratch.size(), 0) <= 0) break;
  }
  fd_.reset();
}

void Stream::close_with_reset() {
  const linger none{1, 0};
  ::setsockopt(fd_.get(), SOL_SOCKET, SO_LINGER, &none, sizeof none);
  fd_.reset();
}

}  // namespace gleaner::http
