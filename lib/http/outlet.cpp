#include "lib/http/outlet.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include <openssl/err.h>

namespace gleaner::http {
namespace {

/// Reads of one call: a client of such an answer has nothing to say.
constexpr int kMostReads = 16;

/// Whether a call of TLS only has to be repeated later.
bool has_to_wait(const SSL* tls, int result) {
  const int error = SSL_get_error(tls, result);
  return error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE;
}

bool has_to_wait() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

}  // namespace

Outlet::~Outlet() {
  if (tls_ && !is_over_) SSL_shutdown(tls_.get());
}

std::optional<std::size_t> Outlet::write(std::string_view data) {
  if (is_over_) return std::nullopt;
  if (data.empty()) return 0;
  if (tls_) {
    ERR_clear_error();
    const int count = SSL_write(tls_.get(), data.data(), static_cast<int>(std::min<std::size_t>(data.size(), 1U << 30U)));
    if (count > 0) return static_cast<std::size_t>(count);
    if (has_to_wait(tls_.get(), count)) return 0;
  } else {
    const auto count = ::send(fd_.get(), data.data(), data.size(), MSG_NOSIGNAL);
    if (count >= 0) return static_cast<std::size_t>(count);
    if (has_to_wait()) return 0;
  }
  is_over_ = true;
  return std::nullopt;
}

bool Outlet::skip_input() {
  std::array<char, 4096> scratch{};
  for (int reads = 0; reads < kMostReads && !is_over_; ++reads) {
    if (tls_) {
      ERR_clear_error();
      const int count = SSL_read(tls_.get(), scratch.data(), static_cast<int>(scratch.size()));
      if (count > 0) continue;
      if (has_to_wait(tls_.get(), count)) return true;
    } else {
      const auto count = ::recv(fd_.get(), scratch.data(), scratch.size(), 0);
      if (count > 0) continue;
      if (count < 0 && has_to_wait()) return true;
    }
    is_over_ = true;
  }
  return false;
}

}  // namespace gleaner::http
