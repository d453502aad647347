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
  enum class Clients {
    known,   ///< each must present a certificate of the authority
    anybody  ///< who presents a certificate must have it of the authority
  };
  std::string certificate;
  std::string key;
  std::optional<std::string> client_authority;  ///< whose certificates of clients are verified; empty: clients are not asked for one
  Clients clients = Clients::known;
};

/// Time limits for clients. A connection that exceeds one is closed, with a 408 where a request can be answered.
struct Deadlines {
  std::chrono::milliseconds idle{60'000};        ///< between two requests
  std::chrono::milliseconds handshake{10'000};   ///< total time of TLS
  std::chrono::milliseconds head{15'000};        ///< of a request, from its first byte to its last
  std::chrono::milliseconds pause{20'000};       ///< without a byte of a body that we wait for, or of an answer that the client takes
  std::size_t least_rate = 4096;                 ///< bytes a second of a body or an answer, after the first pause
  std::chrono::milliseconds longest{1'800'000};  ///< total wait for one body, or one answer
  std::chrono::milliseconds patience{
      2'000};  ///< that a connection's client is waited for in all; beyond, it is closed when others wait for a thread (Phase::late)
  std::chrono::milliseconds closing{
      2'000};  ///< for what a client still sends when it has its answer, and for what it still sends or takes when the server stops
};

struct ServerOptions {
  std::optional<TcpEndpoint> tcp;
  std::optional<UnixEndpoint> unix_socket;
  std::optional<TlsFiles> tls;
  std::size_t max_connections = 64;  ///< each has a thread; beyond that number, idle ones are closed, and new ones wait (Workers)
  std::size_t max_of_peer = 0;       ///< of these, for one address (one /64 of IPv6), or one user on a unix socket; 0: all
  std::size_t max_waiting = 512;     ///< connections that wait for a thread
  Deadlines deadlines;
  std::size_t header_limit = 64 * 1024;              ///< bytes of a request's head
  std::function<void(std::string_view)> on_problem;  ///< exceptions of the handler; called from any thread
  /// Makes the answer where the handler makes none: what came is no request (400), came too slowly (408), has a coded body (415) or too
  /// long a head (431), or the handler has thrown an exception (500). Without it, that is plain text.
  std::function<Response(unsigned status, std::string_view message)> refusal;
};

/// An HTTP/1.1 server with keep-alive, and one thread for each connection.
class Server {
 public:
  /// Listens, and answers from then on. The error names the endpoint or file that cannot be used, and the reason.
  [[nodiscard]] static tl::expected<std::unique_ptr<Server>, std::string> start(ServerOptions options, Handler handler);

  /// Calls stop().
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// The TCP port; 0: no TCP endpoint.
  [[nodiscard]] std::uint16_t port() const;
  /// "http://127.0.0.1:8080", without a slash at the end; empty: no TCP endpoint.
  [[nodiscard]] std::string url() const;

  /// Accepts no more connections, and closes idle ones. May be called from a signal handler.
  void request_stop() noexcept;
  /// Calls request_stop, then waits for the requests in progress. Removes the unix socket.
  void stop();

 private:
  struct Parts;
  explicit Server(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace gleaner::http
