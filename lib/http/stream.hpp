#pragma once
#include <chrono>
#include <cstddef>
#include <functional>
#include <limits>
#include <span>

#include <boost/asio/buffer.hpp>
#include <boost/system/error_code.hpp>
#include <boost/system/system_error.hpp>

#include "lib/http/file_descriptor.hpp"
#include "lib/http/server.hpp"
#include "lib/http/tls.hpp"

namespace gleaner::http {

/// A connection as Beast wants it (SyncReadStream and SyncWriteStream), plain or TLS. The socket is
/// non-blocking, and each wait is bounded: first as `within` or `at_a_pace` said last.
class Stream {
 public:
  enum class Wait { late, over };
  /// @param stop_fd  readable when the server stops: what is waited for then ends soon
  /// @param on_wait  called in a wait as soon as all waits together exceed Deadlines::patience (late), and at its end (over)
  Stream(FileDescriptor fd, const Deadlines& deadlines, int stop_fd, std::function<void(Wait)> on_wait)
      : fd_{std::move(fd)}, deadlines_{deadlines}, stop_fd_{stop_fd}, on_wait_{std::move(on_wait)} {
    within(deadlines.head);
  }

  /// From now on: so long in all, however many waits it takes.
  void within(std::chrono::milliseconds time);
  /// From now on: what is read or written comes at the least rate. Only waits count.
  void at_a_pace();

  /// The server's side of a TLS handshake; false when it fails.
  [[nodiscard]] bool handshake(SSL_CTX* context);

  enum class Wake { readable, stopped, idle };
  /// Waits for the first byte of a request, or for the server to stop.
  [[nodiscard]] Wake wait_readable();

  template <class Buffers>
  std::size_t read_some(const Buffers& buffers, boost::system::error_code& ec) {
    for (auto it = boost::asio::buffer_sequence_begin(buffers); it != boost::asio::buffer_sequence_end(buffers); ++it) {
      const boost::asio::mutable_buffer buffer{*it};
      if (buffer.size() > 0) return read_bytes({static_cast<char*>(buffer.data()), buffer.size()}, ec);
    }
    return 0;
  }
  template <class Buffers>
  std::size_t read_some(const Buffers& buffers) {
    return or_throw([&](auto& ec) { return read_some(buffers, ec); });
  }
  template <class Buffers>
  std::size_t write_some(const Buffers& buffers, boost::system::error_code& ec) {
    for (auto it = boost::asio::buffer_sequence_begin(buffers); it != boost::asio::buffer_sequence_end(buffers); ++it) {
      const boost::asio::const_buffer buffer{*it};
      if (buffer.size() > 0) return write_bytes({static_cast<const char*>(buffer.data()), buffer.size()}, ec);
    }
    return 0;
  }
  template <class Buffers>
  std::size_t write_some(const Buffers& buffers) {
    return or_throw([&](auto& ec) { return write_some(buffers, ec); });
  }

  /// After so many more bytes, writing fails.
  void limit_writing(std::size_t bytes) { may_write_ = bytes; }

  /// Ends at once.
  void close();
  /// Says the end and waits a moment for the client's, so that what was sent is not lost.
  void await_end();
  /// Ends with a TCP RST.
  void close_with_reset();

  [[nodiscard]] int fd() const { return fd_.get(); }
  [[nodiscard]] const SSL* tls() const { return tls_.get(); }

 private:
  template <class Operation>
  static std::size_t or_throw(Operation operation) {
    boost::system::error_code ec;
    const auto count = operation(ec);
    if (ec) throw boost::system::system_error{ec};
    return count;
  }
  std::size_t read_bytes(std::span<char> into, boost::system::error_code& ec);
  std::size_t write_bytes(std::span<const char> from, boost::system::error_code& ec);
  [[nodiscard]] bool wait(short events, boost::system::error_code& ec);
  [[nodiscard]] bool wait_since(std::chrono::steady_clock::time_point begin, short events, boost::system::error_code& ec);
  [[nodiscard]] std::chrono::nanoseconds patience_left(std::chrono::nanoseconds gone);
  [[nodiscard]] std::chrono::nanoseconds remaining() const;
  std::size_t passed(std::size_t bytes);
  [[nodiscard]] bool wait_for_tls(int result, boost::system::error_code& ec);

  using Clock = std::chrono::steady_clock;
  FileDescriptor fd_;
  const Deadlines& deadlines_;
  int stop_fd_;
  std::function<void(Wait)> on_wait_;
  bool late_ = false;                 ///< on_wait_ knows that this wait is
  std::chrono::nanoseconds kept_{0};  ///< that we waited in all, between requests apart
  Clock::time_point until_{};         ///< of `within`
  bool paced_ = false;
  std::chrono::nanoseconds waited_{0};  ///< in all, at a pace
  std::chrono::nanoseconds paused_{0};  ///< since the last byte, at a pace
  std::size_t bytes_ = 0;               ///< that have passed at a pace
  TlsSession tls_;
  std::size_t may_write_ = std::numeric_limits<std::size_t>::max();
};

}  // namespace gleaner::http
