#include "lib/http/listen.hpp"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pwd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include <fmt/format.h>

namespace gleaner::http {

namespace {

constexpr int kBacklog = 512;

std::string reason() { return std::strerror(errno); }

std::string user_name(uid_t uid) {
  passwd entry{};
  passwd* found = nullptr;
  std::vector<char> buffer(16 * 1024);
  if (::getpwuid_r(uid, &entry, buffer.data(), buffer.size(), &found) != 0 || found == nullptr) return {};
  return found->pw_name;
}

std::uint16_t bound_port(int fd) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  if (address.ss_family == AF_INET6) return ntohs(reinterpret_cast<const sockaddr_in6&>(address).sin6_port);
  return ntohs(reinterpret_cast<const sockaddr_in&>(address).sin_port);
}

bool answers(const sockaddr_un& address) {
  FileDescriptor probe{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  return probe.valid() && ::connect(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

}  // namespace

tl::expected<FileDescriptor, std::string> listen_on(TcpEndpoint& endpoint) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE;
  addrinfo* found = nullptr;
  const auto port = std::to_string(endpoint.port);
  if (const int code = ::getaddrinfo(endpoint.address.c_str(), port.c_str(), &hints, &found); code != 0) {
    return tl::unexpected{fmt::format("cannot listen on {}: {} (a numeric address is needed)", endpoint.address, ::gai_strerror(code))};
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner{found, ::freeaddrinfo};
  FileDescriptor fd{::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
  const int on = 1;
  ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (!fd.valid() || ::bind(fd.get(), found->ai_addr, found->ai_addrlen) != 0 || ::listen(fd.get(), kBacklog) != 0) {
    return tl::unexpected{fmt::format("cannot listen on {} port {}: {}", endpoint.address, port, reason())};
  }
  endpoint.port = bound_port(fd.get());
  return fd;
}

tl::expected<FileDescriptor, std::string> listen_on(const UnixEndpoint& endpoint) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (endpoint.path.size() >= sizeof address.sun_path) {
    return tl::unexpected{fmt::format("cannot listen on {}: the path is longer than {} bytes", endpoint.path, sizeof address.sun_path - 1)};
  }
  endpoint.path.copy(address.sun_path, sizeof address.sun_path - 1);
  struct stat status {};
  if (::lstat(endpoint.path.c_str(), &status) == 0) {
    if (!S_ISSOCK(status.st_mode)) return tl::unexpected{fmt::format("cannot listen on {}: it exists and is no socket", endpoint.path)};
    if (answers(address)) return tl::unexpected{fmt::format("cannot listen on {}: a server answers there already", endpoint.path)};
    ::unlink(endpoint.path.c_str());
  }
  FileDescriptor fd{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
  // The mode is set before listen, so that no client connects in between.
  if (!fd.valid() || ::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::chmod(endpoint.path.c_str(), endpoint.mode) != 0 || ::listen(fd.get(), kBacklog) != 0) {
    return tl::unexpected{fmt::format("cannot listen on {}: {}", endpoint.path, reason())};
  }
  return fd;
}

std::string peer_key(int fd) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  ::getpeername(fd, reinterpret_cast<sockaddr*>(&address), &size);
  if (address.ss_family == AF_INET) return fmt::format("v4 {}", reinterpret_cast<const sockaddr_in&>(address).sin_addr.s_addr);
  if (address.ss_family == AF_INET6) {
    constexpr std::size_t kNetwork = 8;
    const auto& whole = reinterpret_cast<const sockaddr_in6&>(address).sin6_addr;
    // An IPv4 client of a dual-stack socket is counted by its IPv4 address.
    const auto* bytes = reinterpret_cast<const char*>(whole.s6_addr);
    return "v6 " + (IN6_IS_ADDR_V4MAPPED(&whole) ? std::string(bytes, sizeof whole.s6_addr) : std::string(bytes, kNetwork));
  }
  ucred credentials{};
  socklen_t length = sizeof credentials;
  ::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &length);
  return fmt::format("user {}", credentials.uid);
}

Peer peer_of(int fd) {
  Peer peer;
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  ::getpeername(fd, reinterpret_cast<sockaddr*>(&address), &size);
  if (address.ss_family == AF_INET || address.ss_family == AF_INET6) {
    char host[NI_MAXHOST] = "";
    char port[NI_MAXSERV] = "";
    ::getnameinfo(reinterpret_cast<const sockaddr*>(&address), size, host, sizeof host, port, sizeof port, NI_NUMERICHOST | NI_NUMERICSERV);
    peer.address = fmt::format("{}:{}", host, port);
    return peer;
  }
  peer.address = "unix";
  ucred credentials{};
  socklen_t length = sizeof credentials;
  if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0) {
    peer.process = Peer::Process{credentials.uid, credentials.gid, credentials.pid, user_name(credentials.uid)};
  }
  return peer;
}

}  // namespace gleaner::http
