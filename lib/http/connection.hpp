#pragma once
#include <functional>

#include "lib/http/server.hpp"
#include "lib/http/stream.hpp"
#include "lib/http/workers.hpp"

namespace gleaner::http {

/// Shared by all connections of a server.
struct ConnectionContext {
  const ServerOptions& options;
  const Handler& handler;
  SSL_CTX* tls;  ///< null: plain
  int stop_fd;   ///< readable when the server stops
};

/// Answers the requests of one connection until it ends; closes it. Throws nothing.
/// @param enter  called with each phase that it enters; slow at first, busy before its socket is closed
void serve_connection(FileDescriptor socket, const ConnectionContext& context, const std::function<void(Phase)>& enter) noexcept;

}  // namespace gleaner::http
