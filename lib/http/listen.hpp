#pragma once
#include <string>

#include <tl/expected.hpp>

#include "lib/http/file_descriptor.hpp"
#include "lib/http/server.hpp"

namespace gleaner::http {

/// A listening socket; the port in `endpoint` becomes the real one.
[[nodiscard]] tl::expected<FileDescriptor, std::string> listen_on(TcpEndpoint& endpoint);

/// A listening socket with its mode. The socket of a dead server is replaced, that of a live one is an error.
[[nodiscard]] tl::expected<FileDescriptor, std::string> listen_on(const UnixEndpoint& endpoint);

/// The peer of a connection, for counting: an address without its port (of IPv6 the first half, which one host owns), or the user of a unix
/// socket.
[[nodiscard]] std::string peer_key(int fd);

/// The peer of a connection.
[[nodiscard]] Peer peer_of(int fd);

}  // namespace gleaner::http
