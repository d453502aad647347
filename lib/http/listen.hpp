#pragma once
#include <string>

#include <tl/expected.hpp>

#include "lib/http/file_descriptor.hpp"
#include "lib/http/server.hpp"

namespace gleaner::http {

/// A listening socket; the port in `endpoint` becomes the real one.
[[nodiscard]] tl::expected<FileDescriptor, std::string> listen_on(TcpEndpoint& endpoint);

/// A listening socket with its mode. A socket left by a dead server is replaced, a live one is an error.
[[nodiscard]] tl::expected<FileDescriptor, std::string> listen_on(const UnixEndpoint& endpoint);

/// Whose connection it is, for counting: an address without its port (the first half of one of IPv6, which
/// one host has to itself), or the user of a unix socket.
[[nodiscard]] std::string peer_key(int fd);

/// Who is connected there.
[[nodiscard]] Peer peer_of(int fd);

}  // namespace gleaner::http
