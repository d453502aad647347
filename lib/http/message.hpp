#pragma once
#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include "lib/http/uri.hpp"

namespace gleaner::http {

/// Header fields in the order of their arrival. Names are compared without case. Underscores are kept.
class Headers {
 public:
  void add(std::string name, std::string value) { fields_.emplace_back(std::move(name), std::move(value)); }
  /// The first field of that name.
  [[nodiscard]] std::optional<std::string_view> find(std::string_view name) const;
  /// All fields of that name, as one list with commas (RFC 9110, 5.3); empty: there is none.
  [[nodiscard]] std::optional<std::string> list(std::string_view name) const;
  [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& all() const { return fields_; }

 private:
  std::vector<std::pair<std::string, std::string>> fields_;
};

enum class BodyError { too_large, broken, timed_out };
[[nodiscard]] std::string_view describe(BodyError error);

/// The body of a request. It is read from the connection on demand.
class Body {
 public:
  virtual ~Body() = default;
  /// Reads at least one byte, or 0 at the end of the body. An error is final.
  [[nodiscard]] virtual tl::expected<std::size_t, BodyError> read(std::span<char> into) = 0;

  /// The rest of the body; `too_large` when it is longer than `limit` bytes.
  [[nodiscard]] tl::expected<std::string, BodyError> read_all(std::size_t limit);

  /// The next line without its end; empty at the end of the body. Memory is bounded by the longest line, and a line longer than `limit` is
  /// `too_large`. Not to be mixed with `read`.
  [[nodiscard]] tl::expected<std::optional<std::string>, BodyError> read_line(std::size_t limit);

 private:
  std::string pending_;
  std::size_t scanned_ = 0;
  bool ended_ = false;
};

/// The other end of a connection. For a unix socket the kernel identifies the process.
struct Peer {
  struct Process {
    uid_t uid;
    gid_t gid;
    pid_t pid;
    std::string user;  ///< the name of uid; empty: it has none
  };
  std::string address;                     ///< "127.0.0.1:40000", or "unix"
  std::optional<Process> process;          ///< unix sockets only
  std::optional<std::string> certificate;  ///< subject of the verified TLS client certificate
};

struct Request {
  std::string method;
  std::string target;  ///< as received
  std::string path;    ///< before the `?`, not decoded
  Query query;         ///< decoded
  Headers headers;
  Peer peer;
  Body* body;  ///< lives as long as the handler runs; never null

  /// The first parameter of that name.
  [[nodiscard]] std::optional<std::string_view> parameter(std::string_view name) const;
};

/// The destination of a streamed answer.
class Sink {
 public:
  virtual ~Sink() = default;
  /// False when the client has gone: further writes have no effect.
  [[nodiscard]] virtual bool write(std::string_view data) = 0;
};

class Outlet;

/// A deliberate fault of an answer, for tests of clients.
struct Mishap {
  enum class Ending { none, close, reset };
  std::chrono::milliseconds delay{0};           ///< before the first byte; a stop of the server ends it
  std::optional<std::size_t> only_first_bytes;  ///< of the head and the body, then the ending
  Ending ending = Ending::none;                 ///< close: the end of file; reset: a TCP RST
};

struct Response {
  unsigned status = 200;
  Headers headers;
  std::string body;
  /// When set, it writes the body (chunked), and `body` is ignored. It returns false to break the
  /// connection, so that the client sees an incomplete answer.
  std::function<bool(Sink&)> stream;
  /// When set, the head is sent, and the connection is passed on: whoever takes it writes the body, until either side closes it. The thread
  /// of the connection is free then. Not called if the client has gone, or asked for the head alone.
  std::function<void(std::unique_ptr<Outlet>)> pass_on;
  std::shared_ptr<void> kept;  ///< lives until the answer is sent, or passed on
  Mishap mishap;
};

/// Answers one request; runs in a thread of its connection. An exception becomes a 500.
using Handler = std::function<Response(const Request&)>;

}  // namespace gleaner::http
