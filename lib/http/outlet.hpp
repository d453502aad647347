#pragma once
#include <cstddef>
#include <optional>
#include <string_view>

#include "lib/http/file_descriptor.hpp"
#include "lib/http/tls.hpp"

namespace gleaner::http {

/// A connection whose answer has begun and has no end of its own. It has no thread: nothing here waits. Its destructor closes it. Not for
/// two threads at once.
class Outlet {
 public:
  Outlet(FileDescriptor fd, TlsSession tls) : fd_{std::move(fd)}, tls_{std::move(tls)} {}
  ~Outlet();
  Outlet(const Outlet&) = delete;
  Outlet& operator=(const Outlet&) = delete;

  /// For poll(2): readable when `skip_input` has work, writable when `write` has room.
  [[nodiscard]] int fd() const { return fd_.get(); }

  /// The number of bytes that were taken, possibly 0; what was not taken has to come first at the next call. Empty: the connection is over.
  [[nodiscard]] std::optional<std::size_t> write(std::string_view data);

  /// Drops what the client has sent. False: the client has closed the connection, or sends without end.
  [[nodiscard]] bool skip_input();

 private:
  FileDescriptor fd_;
  TlsSession tls_;
  bool is_over_ = false;
};

}  // namespace gleaner::http
