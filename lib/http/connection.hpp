#pragma once
#include <functional>

#include "lib/http/server.hpp"
#include "lib/http/stream.hpp"

namespace gleaner::http {

/// What all the connections of a server share.
struct ConnectionContext {
  const ServerOptions& options;
  const Handler& handler;
  SSL_CTX* tls;  ///< null: plain
  int stop_fd;   ///< readable when the server stops
  /// Told before and after each wait for a request.
  std::function<void(int fd)> on_idle;
  std::function<void(int fd)> on_busy;
};

/// Answers the requests of one connection until it ends; closes it. Throws nothing.
void serve_connection(FileDescriptor socket, const ConnectionContext& context) noexcept;

}  // namespace gleaner::http
