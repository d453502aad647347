#include "lib/http/server.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <cstring>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "lib/http/connection.hpp"
#include "lib/http/listen.hpp"
#include "lib/http/signals_blocked.hpp"
#include "lib/http/workers.hpp"

namespace gleaner::http {

namespace {
/// Period of the search for a connection to close while others wait, in ms.
constexpr int kRelieveMs = 100;
}  // namespace

struct Server::Parts {
  ServerOptions options;
  Handler handler;
  TlsContext tls;
  std::vector<FileDescriptor> listeners;
  FileDescriptor stop_event;
  ConnectionContext context;
  Workers workers;
  std::thread acceptor;

  Parts(ServerOptions given, Handler how, TlsContext with)
      : options{std::move(given)},
        handler{std::move(how)},
        tls{std::move(with)},
        stop_event{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)},
        context{options, handler, tls.get(), stop_event.get()},
        workers{{options.max_connections, options.max_of_peer, options.max_waiting}, [this](ConnectionId id, FileDescriptor socket) {
                  serve_connection(std::move(socket), context, [this, id](Phase phase) { workers.enter(id, phase); });
                }} {}

  void accept_all() {
    std::vector<pollfd> items;
    for (const auto& listener : listeners) items.push_back({listener.get(), POLLIN, 0});
    items.push_back({stop_event.get(), POLLIN, 0});
    while (true) {
      if (::poll(items.data(), items.size(), workers.relieve() ? kRelieveMs : -1) < 0) continue;
      if (items.back().revents != 0) return;
      for (const auto& item : items) {
        if (item.revents != 0) accept_one(item.fd);
      }
    }
  }

  void accept_one(int listener) {
    FileDescriptor socket{::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)};
    if (socket.valid()) {
      auto peer = peer_key(socket.get());
      workers.take(std::move(socket), std::move(peer));
    } else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) {
      if (options.on_problem) options.on_problem(fmt::format("cannot accept a connection: {}", std::strerror(errno)));
      pollfd stop{stop_event.get(), POLLIN, 0};
      ::poll(&stop, 1, 100);
    }
  }
};

Server::Server(std::unique_ptr<Parts> parts) : parts_{std::move(parts)} {}

Server::~Server() { stop(); }

tl::expected<std::unique_ptr<Server>, std::string> Server::start(ServerOptions options, Handler handler) {
  TlsContext tls;
  if (options.tls) {
    auto made = tls_context(*options.tls);
    if (!made) return tl::unexpected{made.error()};
    tls = std::move(*made);
  }
  std::vector<FileDescriptor> listeners;
  if (options.tcp) {
    auto listener = listen_on(*options.tcp);
    if (!listener) return tl::unexpected{listener.error()};
    listeners.push_back(std::move(*listener));
  }
  if (options.unix_socket) {
    auto listener = listen_on(*options.unix_socket);
    if (!listener) return tl::unexpected{listener.error()};
    listeners.push_back(std::move(*listener));
  }
  if (listeners.empty()) return tl::unexpected{std::string{"nothing to listen on: neither a TCP nor a unix endpoint is given"}};
  auto parts = std::make_unique<Parts>(std::move(options), std::move(handler), std::move(tls));
  parts->listeners = std::move(listeners);
  const SignalsBlocked blocked;
  parts->acceptor = std::thread{[&each = *parts] { each.accept_all(); }};
  return std::unique_ptr<Server>{new Server{std::move(parts)}};
}

std::uint16_t Server::port() const { return parts_->options.tcp ? parts_->options.tcp->port : std::uint16_t{0}; }

std::string Server::url() const {
  const auto& tcp = parts_->options.tcp;
  if (!tcp) return {};
  const bool v6 = tcp->address.find(':') != std::string::npos;
  return fmt::format("{}://{}{}{}:{}", parts_->tls ? "https" : "http", v6 ? "[" : "", tcp->address, v6 ? "]" : "", tcp->port);
}

void Server::request_stop() noexcept {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(parts_->stop_event.get(), &one, sizeof one);
}

void Server::stop() {
  if (!parts_->acceptor.joinable()) return;
  request_stop();
  parts_->acceptor.join();
  parts_->listeners.clear();
  parts_->workers.finish();
  if (parts_->options.unix_socket) ::unlink(parts_->options.unix_socket->path.c_str());
}

}  // namespace gleaner::http
