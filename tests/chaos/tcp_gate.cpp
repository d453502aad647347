#include "tests/chaos/tcp_gate.hpp"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <mutex>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "lib/http/file_descriptor.hpp"

namespace gleaner::tests {
namespace {

using http::FileDescriptor;
constexpr int kTick = 50;  ///< milliseconds between checks whether the gate closes

sockaddr_in address_of(const std::string& host, int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  ::inet_pton(AF_INET, host.c_str(), &address.sin_addr);
  return address;
}

FileDescriptor open_socket() { return FileDescriptor{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)}; }

bool send_all(int to, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto sent = ::send(to, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

/// Nothing at the end of the stream.
std::string receive(int from) {
  std::string bytes(65536, '\0');
  const auto got = ::recv(from, bytes.data(), bytes.size(), 0);
  bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return bytes;
}

bool is_submission(std::string_view request) {
  // OAR 2 has `/jobs.json`, OAR 3 `/jobs`.
  const auto line = request.substr(0, request.find("\r\n"));
  return line.starts_with("POST ") && (line.find("/jobs.json ") != std::string_view::npos || line.find("/jobs ") != std::string_view::npos);
}

}  // namespace

struct TcpGate::Implementation {
  std::string host;
  int port = 0;
  std::string path;
  FileDescriptor listener;
  int own_port = 0;
  std::atomic<bool> closing{false};
  std::mutex mutex;
  std::vector<std::thread> threads;  // of connections; guarded
  Instead instead = Instead::end_of_file;
  int to_lose = 0;
  int lost = 0;
  std::chrono::milliseconds late_by{};
  std::thread acceptor;

  void accept_connections();
  void carry(FileDescriptor client);
  [[nodiscard]] bool take_loss(std::string_view request);
  void spoil(const FileDescriptor& client, const std::string& answer);
  [[nodiscard]] bool readable(int descriptor) const;
};

bool TcpGate::Implementation::readable(int descriptor) const {
  pollfd watched{descriptor, POLLIN, 0};
  return ::poll(&watched, 1, kTick) > 0;
}

void TcpGate::Implementation::accept_connections() {
  while (!closing) {
    if (!readable(listener.get())) continue;
    FileDescriptor client{::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC)};
    if (client.get() < 0) continue;
    const std::lock_guard lock{mutex};
    threads.emplace_back([this, held = std::move(client)]() mutable { carry(std::move(held)); });
  }
}

bool TcpGate::Implementation::take_loss(std::string_view request) {
  const std::lock_guard lock{mutex};
  if (to_lose == 0 || !is_submission(request)) return false;
  --to_lose;
  return true;
}

void TcpGate::Implementation::spoil(const FileDescriptor& client, const std::string& answer) {
  constexpr std::string_view kError =
      "HTTP/1.1 500 Internal Server Error\r\nContent-Type: application/json\r\nContent-Length: 65\r\nConnection: close\r\n\r\n"
      R"({"code":500,"title":"Oar server error","message":"Job is killed"})";
  Instead how{};
  std::chrono::milliseconds delay{};
  {
    const std::lock_guard lock{mutex};
    ++lost;
    how = instead;
    delay = late_by;
  }
  if (how == Instead::reset) {
    const linger at_once{1, 0};
    ::setsockopt(client.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  } else if (how == Instead::error_500) {
    static_cast<void>(send_all(client.get(), kError));
  } else if (how == Instead::late) {
    for (const auto end = std::chrono::steady_clock::now() + delay; !closing && std::chrono::steady_clock::now() < end;)
      std::this_thread::sleep_for(std::chrono::milliseconds{kTick});
    static_cast<void>(send_all(client.get(), answer));
  }
}

void TcpGate::Implementation::carry(FileDescriptor client) {
  const auto backend = open_socket();
  const auto address = address_of(host, port);
  if (::connect(backend.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return;
  bool losing = false;
  while (!closing) {
    std::array<pollfd, 2> watched{{{client.get(), POLLIN, 0}, {backend.get(), POLLIN, 0}}};
    if (::poll(watched.data(), watched.size(), kTick) <= 0) continue;
    if (watched[1].revents != 0) {
      const auto answer = receive(backend.get());
      const bool is_interim = answer.starts_with("HTTP/1.1 100");
      if (losing && !is_interim) return spoil(client, answer);
      if (answer.empty() || !send_all(client.get(), answer)) return;
    }
    if (watched[0].revents != 0) {
      const auto request = receive(client.get());
      losing = losing || take_loss(request);
      // A client that gives up does not take its request back: the cluster's answer is still waited for.
      if (request.empty() && losing) ::shutdown(backend.get(), SHUT_WR);
      if (request.empty() || !send_all(backend.get(), request)) return;
    }
  }
}

TcpGate::TcpGate(const std::string& backend_url) : implementation_{std::make_unique<Implementation>()} {
  auto& gate = *implementation_;
  const auto begin = backend_url.find("//") + 2;
  const auto slash = std::min(backend_url.find('/', begin), backend_url.size());
  const auto colon = backend_url.find(':', begin);
  gate.host = backend_url.substr(begin, colon - begin);
  gate.port = std::stoi(backend_url.substr(colon + 1, slash - colon - 1));
  gate.path = backend_url.substr(slash);
  gate.listener = open_socket();
  auto address = address_of("127.0.0.1", 0);
  socklen_t size = sizeof address;
  const bool listens = ::bind(gate.listener.get(), reinterpret_cast<const sockaddr*>(&address), size) == 0 &&
                       ::listen(gate.listener.get(), 64) == 0 &&
                       ::getsockname(gate.listener.get(), reinterpret_cast<sockaddr*>(&address), &size) == 0;
  if (!listens) throw std::runtime_error{"the gate cannot listen"};
  gate.own_port = ntohs(address.sin_port);
  gate.acceptor = std::thread{[&gate] { gate.accept_connections(); }};
}

TcpGate::~TcpGate() {
  implementation_->closing = true;
  implementation_->acceptor.join();
  for (auto& thread : implementation_->threads) thread.join();
}

std::string TcpGate::url() const { return fmt::format("http://127.0.0.1:{}{}", implementation_->own_port, implementation_->path); }

void TcpGate::lose(Instead instead, int count, std::chrono::milliseconds late_by) {
  const std::lock_guard lock{implementation_->mutex};
  implementation_->instead = instead;
  implementation_->to_lose = count;
  implementation_->late_by = late_by;
}

int TcpGate::lost() const {
  const std::lock_guard lock{implementation_->mutex};
  return implementation_->lost;
}

}  // namespace gleaner::tests
