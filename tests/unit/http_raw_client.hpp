#pragma once
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "lib/http/server.hpp"

namespace gleaner::http {

/// A client that sends exactly the given bytes.
class RawClient {
 public:
  /// @param from  the last number of its own address, 127.0.0.x
  explicit RawClient(std::uint16_t port, std::uint32_t from = 1) : fd_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)} {
    sockaddr_in own{};
    own.sin_family = AF_INET;
    own.sin_addr.s_addr = htonl(INADDR_LOOPBACK - 1 + from);
    ::bind(fd_, reinterpret_cast<const sockaddr*>(&own), sizeof own);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = ::connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }
  explicit RawClient(const std::string& path) : fd_{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)} {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    connected_ = ::connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }
  ~RawClient() { ::close(fd_); }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  [[nodiscard]] bool connected() const { return connected_; }
  /// False once the server has closed.
  bool send(std::string_view text) const {
    return ::send(fd_, text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size());
  }
  void end() const { ::shutdown(fd_, SHUT_WR); }
  /// Everything until the end of file; errno reports a reset.
  [[nodiscard]] std::string read_to_end() {
    std::string all;
    char buffer[4096];
    ssize_t count = 0;
    while ((count = ::recv(fd_, buffer, sizeof buffer, 0)) > 0) all.append(buffer, static_cast<std::size_t>(count));
    error_ = count < 0 ? errno : 0;
    return all;
  }
  [[nodiscard]] std::string read_until(std::string_view mark) const {
    std::string all;
    char byte = 0;
    while (all.find(mark) == std::string::npos && ::recv(fd_, &byte, 1, 0) == 1) all += byte;
    return all;
  }
  /// Whether anything has come.
  [[nodiscard]] bool has_answer() const {
    char byte = 0;
    return ::recv(fd_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
  }
  [[nodiscard]] int error() const { return error_; }

 private:
  int fd_;
  bool connected_ = false;
  int error_ = 0;
};

inline std::unique_ptr<Server> serve(Handler handler, ServerOptions options = {}) {
  if (!options.tcp && !options.unix_socket) options.tcp = TcpEndpoint{};
  auto server = Server::start(std::move(options), std::move(handler));
  if (!server) throw std::runtime_error{server.error()};
  return std::move(*server);
}

inline Response text(std::string body, unsigned status = 200) {
  Response response;
  response.status = status;
  response.body = std::move(body);
  return response;
}

inline std::string ask(const Server& server, std::string_view request) {
  RawClient client{server.port()};
  client.send(request);
  return client.read_to_end();
}

inline constexpr std::string_view kGet = "GET /a/b?x=1%202&y HTTP/1.1\r\nHost: h\r\nX_REMOTE_IDENT: someone\r\nConnection: close\r\n\r\n";

}  // namespace gleaner::http
