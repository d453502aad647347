#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "lib/http/message.hpp"

namespace gleaner::http {

struct TcpEndpoint {
  std::string address = "127.0.0.1";  ///< numeric, IPv4 or IPv6
  std::uint16_t port = 0;             ///< 0: a free one
};

struct UnixEndpoint {
  std::string path;
  unsigned mode = 0600;
};

/// For the TCP endpoint. The files are PEM.
struct TlsFiles {
  std::string certificate;
  std::string key;
  std::optional<std::string> client_authority;  ///< when set, clients must show a certificate of it
};

struct ServerOptions {
  std::optional<TcpEndpoint> tcp;
  std::optional<UnixEndpoint> unix_socket;
  std::optional<TlsFiles> tls;
  std::size_t max_connections = 64;             ///< each has a thread; beyond, the longest idle one is closed
  std::chrono::milliseconds idle_limit{60'000}; ///< without a byte, between requests or within one
  std::size_t header_limit = 64 * 1024;         ///< bytes of a request's head
  std::function<void(std::string_view)> on_problem;  ///< exceptions of the handler; called from any thread
};

/// An HTTP/1.1 server, with keep-alive, one thread a connection.
class Server {
 public:
  /// Listens, and answers from now on. The error says which endpoint or file cannot be used and why.
  [[nodiscard]] static tl::expected<std::unique_ptr<Server>, std::string> start(ServerOptions options, Handler handler);

  /// Stops.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// The TCP port; 0 without a TCP endpoint.
  [[nodiscard]] std::uint16_t port() const;
  /// "http://127.0.0.1:8080", without a slash at the end; empty without a TCP endpoint.
  [[nodiscard]] std::string url() const;

  /// Accepts nothing more; idle connections close. May be called from a signal handler.
  void request_stop() noexcept;
  /// request_stop, then waits for the requests in progress. Removes the unix socket.
  void stop();

 private:
  struct Parts;
  explicit Server(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace gleaner::http
