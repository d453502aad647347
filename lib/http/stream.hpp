#pragma once
#include <chrono>
#include <cstddef>
#include <functional>
#include <limits>
#include <span>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/system/error_code.hpp>
#include <boost/system/system_error.hpp>

#include "lib/http/file_descriptor.hpp"
#include "lib/http/server.hpp"
#include "lib/http/tls.hpp"

namespace gleaner::http {

/// A connection in the form that Beast requires (SyncReadStream and SyncWriteStream), plain or TLS. The socket is non-blocking, and each
/// wait is bounded by the last call of `within` or `at_a_pace`.
class Stream {
 public:
  enum class Wait { late, over };
  /// @param stop_fd  readable when the server stops: a wait then ends soon
  /// @param on_wait  called during a wait when all waits together exceed Deadlines::patience (late), and at the end of that wait (over)
  Stream(FileDescriptor fd, const Deadlines& deadlines, int stop_fd, std::function<void(Wait)> on_wait)
      : fd_{std::move(fd)}, deadlines_{deadlines}, stop_fd_{stop_fd}, on_wait_{std::move(on_wait)} {
    within(deadlines.head);
  }

  /// Bounds all further waits together by this time.
  void within(std::chrono::milliseconds time);
  /// Requires the least rate for all further reads and writes. Only waits count.
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

  /// After this many more bytes, writes fail.
  void limit_writing(std::size_t bytes) { may_write_ = bytes; }

  /// Gives the socket and its TLS session away. The rest is closed.
  [[nodiscard]] std::pair<FileDescriptor, TlsSession> release() { return {std::move(fd_), std::move(tls_)}; }
  /// Closes the connection at once.
  void close();
  /// Sends the end of the data and waits for the client's for a moment, so that sent data is not lost.
  void await_end();
  /// Closes the connection with a TCP RST.
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
  bool late_ = false;                 ///< on_wait_ was called for this wait
  std::chrono::nanoseconds kept_{0};  ///< total wait, without waits between requests
  Clock::time_point until_{};         ///< of `within`
  bool paced_ = false;
  std::chrono::nanoseconds waited_{0};  ///< total wait at a pace
  std::chrono::nanoseconds paused_{0};  ///< wait since the last byte, at a pace
  std::size_t bytes_ = 0;               ///< transferred at a pace
  TlsSession tls_;
  std::size_t may_write_ = std::numeric_limits<std::size_t>::max();
};

}  // namespace gleaner::http
