#include "lib/http/server.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "lib/http/connection.hpp"
#include "lib/http/listen.hpp"

namespace gleaner::http {

namespace {

/// Threads of the server take no signal: they are for the program's own.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

/// Threads that serve connections, made as they are needed, up to a bound.
class Workers {
 public:
  Workers(std::size_t most, std::function<void(FileDescriptor)> serve) : most_{std::max<std::size_t>(most, 1)}, serve_{std::move(serve)} {}

  void take(FileDescriptor socket) {
    const std::lock_guard lock{mutex_};
    waiting_.push_back(std::move(socket));
    if (waiting_.size() <= free_) {
      changed_.notify_one();
    } else if (threads_.size() < most_) {
      const SignalsBlocked blocked;
      ++free_;
      threads_.emplace_back([this] { work(); });
    } else if (!idle_.empty()) {
      evict(idle_.front());
      idle_.pop_front();
    }
  }

  void idle(int fd) {
    const std::lock_guard lock{mutex_};
    if (threads_.size() < most_ || waiting_.size() <= evicted_ + free_) {
      idle_.push_back(fd);
    } else {
      evict(fd);
    }
  }
  void busy(int fd) {
    const std::lock_guard lock{mutex_};
    std::erase(idle_, fd);
  }

  void finish() {
    {
      const std::lock_guard lock{mutex_};
      ending_ = true;
      waiting_.clear();
    }
    changed_.notify_all();
    for (auto& thread : threads_) thread.join();
    threads_.clear();
  }

 private:
  /// What it has sent already is still read; the socket is its worker's to close.
  void evict(int fd) {
    ::shutdown(fd, SHUT_RD);
    ++evicted_;
  }

  void work() {
    std::unique_lock lock{mutex_};
    while (true) {
      changed_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
      --free_;
      if (waiting_.empty()) return;
      auto socket = std::move(waiting_.front());
      waiting_.pop_front();
      if (evicted_ > 0) --evicted_;
      lock.unlock();
      serve_(std::move(socket));
      lock.lock();
      ++free_;
    }
  }

  const std::size_t most_;
  const std::function<void(FileDescriptor)> serve_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<FileDescriptor> waiting_;
  std::deque<int> idle_;
  std::vector<std::thread> threads_;
  std::size_t free_ = 0;     ///< workers that wait for a connection, or are about to
  std::size_t evicted_ = 0;  ///< workers that will soon take one of the waiting
  bool ending_ = false;
};

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
        context{options, handler, tls.get(), stop_event.get(), [this](int fd) { workers.idle(fd); }, [this](int fd) { workers.busy(fd); }},
        workers{options.max_connections, [this](FileDescriptor socket) { serve_connection(std::move(socket), context); }} {}

  void accept_all() {
    std::vector<pollfd> items;
    for (const auto& listener : listeners) items.push_back({listener.get(), POLLIN, 0});
    items.push_back({stop_event.get(), POLLIN, 0});
    while (true) {
      if (::poll(items.data(), items.size(), -1) < 0) continue;
      if (items.back().revents != 0) return;
      for (const auto& item : items) {
        if (item.revents != 0) accept_one(item.fd);
      }
    }
  }

  void accept_one(int listener) {
    FileDescriptor socket{::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)};
    if (socket.valid()) {
      workers.take(std::move(socket));
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
