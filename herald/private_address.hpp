#pragma once
#include <sys/socket.h>

namespace gleaner::herald {

/// Whether an address belongs to the public Internet: not loopback, private, link-local, shared (RFC 6598), reserved, documentation or
/// multicast, nor an IPv6 address that stands for such an IPv4 address. An address of another family is not.
[[nodiscard]] bool is_public(const sockaddr* address, socklen_t size);

}  // namespace gleaner::herald
