#include "tests/db/fake_receivers.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include <openssl/evp.h>

namespace gleaner::tests {
namespace {

std::string small(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

std::string without_quoted_printable(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '=' && text.substr(i + 1, 2) == "\r\n") i += 2;
    else if (text[i] == '=' && i + 2 < text.size()) {
      result += static_cast<char>(std::stoi(text.substr(i + 1, 2), nullptr, 16));
      i += 2;
    } else if (text[i] != '\r') result += text[i];
  }
  return result;
}

std::string from_base64(const std::string& text) {
  std::string result(text.size(), '\0');
  const auto size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(result.data()), reinterpret_cast<const unsigned char*>(text.data()),
                                    static_cast<int>(text.size()));
  result.resize(static_cast<std::size_t>(std::max(0, size)));
  std::ranges::replace(result, '\0', ' ');
  return result;
}

void read_headers(const std::string& head, std::map<std::string, std::string>& headers) {
  for (std::size_t at = 0; at < head.size();) {
    const auto end = std::min(head.find("\r\n", at), head.size());
    const auto line = head.substr(at, end - at);
    if (const auto colon = line.find(": "); colon != std::string::npos) headers[small(line.substr(0, colon))] = line.substr(colon + 2);
    at = end + 2;
  }
}

}  // namespace

/// A connection that ends with the receiver.
struct Receiver::Connection {
  int socket;
  int stop;
  SSL* tls = nullptr;
  std::string buffer{};

  ~Connection() {
    if (tls != nullptr) SSL_free(tls);
    ::close(socket);
  }
  bool wait() const {
    if (tls != nullptr && SSL_pending(tls) > 0) return true;
    std::array<pollfd, 2> both{{{socket, POLLIN, 0}, {stop, POLLIN, 0}}};
    return ::poll(both.data(), 2, -1) > 0 && both[1].revents == 0;
  }
  bool more() {
    if (!wait()) return false;
    std::array<char, 4096> bytes{};
    const auto size = tls != nullptr ? SSL_read(tls, bytes.data(), static_cast<int>(bytes.size()))
                                     : static_cast<int>(::recv(socket, bytes.data(), bytes.size(), 0));
    if (size <= 0) return false;
    buffer.append(bytes.data(), static_cast<std::size_t>(size));
    return true;
  }
  bool until(const std::string& mark, std::string& text) {
    auto at = buffer.find(mark);
    while (at == std::string::npos) {
      if (!more()) return false;
      at = buffer.find(mark);
    }
    text = buffer.substr(0, at);
    buffer.erase(0, at + mark.size());
    return true;
  }
  void say(const std::string& text) {
    if (tls != nullptr) SSL_write(tls, text.data(), static_cast<int>(text.size()));
    else ::send(socket, text.data(), text.size(), MSG_NOSIGNAL);
  }
};

Receiver::Receiver(Kind kind) : kind_{kind}, stop_event_{::eventfd(0, EFD_CLOEXEC)} { come_back(); }

Receiver::~Receiver() {
  go_away();
  ::close(stop_event_);
}

void Receiver::encrypt_with(const std::string& certificate, const std::string& key) {
  tls_.reset(SSL_CTX_new(TLS_server_method()));
  if (SSL_CTX_use_certificate_chain_file(tls_.get(), certificate.c_str()) != 1 ||
      SSL_CTX_use_PrivateKey_file(tls_.get(), key.c_str(), SSL_FILETYPE_PEM) != 1)
    throw std::runtime_error{"the certificate cannot be used"};
}

void Receiver::come_back() {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int yes = 1;
  ::setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port_);
  socklen_t size = sizeof address;
  if (::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(listener_, 64) != 0 ||
      ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0)
    throw std::runtime_error{"no port is free"};
  port_ = ntohs(address.sin_port);
  acceptor_ = std::thread{[this] { accept_all(); }};
}

void Receiver::go_away() {
  if (!acceptor_.joinable()) return;
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(stop_event_, &one, sizeof one);
  acceptor_.join();
  for (auto& thread : threads_) thread.join();
  threads_.clear();
  std::uint64_t count = 0;
  [[maybe_unused]] const auto read = ::read(stop_event_, &count, sizeof count);
  ::close(listener_);
}

void Receiver::accept_all() {
  while (true) {
    std::array<pollfd, 2> both{{{listener_, POLLIN, 0}, {stop_event_, POLLIN, 0}}};
    if (::poll(both.data(), 2, -1) <= 0 || both[1].revents != 0) return;
    const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) continue;
    ++connections_;
    threads_.emplace_back([this, socket] {
      Connection connection{.socket = socket, .stop = stop_event_};
      if (manner_ == Manner::is_silent) {
        while (connection.more()) {
        }
      } else if (kind_ == Kind::mail) serve_mail(connection);
      else serve_web(connection);
    });
  }
}

std::vector<Receiver::Message> Receiver::taken() const {
  const std::lock_guard lock{mutex_};
  return taken_;
}

void Receiver::keep(Message message) {
  const std::lock_guard lock{mutex_};
  taken_.push_back(std::move(message));
}

void Receiver::serve_mail(Connection& connection) {
  Message message;
  connection.say("220 fake ESMTP\r\n");
  for (std::string line; connection.until("\r\n", line);) {
    const auto command = small(line);
    if (command.starts_with("ehlo")) {
      const bool offers = tls_ != nullptr && connection.tls == nullptr;
      connection.say(offers ? "250-fake\r\n250 STARTTLS\r\n" : "250-fake\r\n250 AUTH PLAIN\r\n");
    } else if (command == "starttls" && tls_ != nullptr) {
      connection.say("220 go\r\n");
      connection.tls = SSL_new(tls_.get());
      SSL_set_fd(connection.tls, connection.socket);
      if (SSL_accept(connection.tls) != 1) return;
      message.encrypted = true;
    } else if (command.starts_with("auth plain")) {
      auto secret = line.size() > 11 ? line.substr(11) : std::string{};
      if (secret.empty()) {
        connection.say("334 \r\n");
        if (!connection.until("\r\n", secret)) return;
      }
      message.login = from_base64(secret);
      connection.say("235 ok\r\n");
    } else if (command.starts_with("rcpt to:")) {
      if (manner_ == Manner::refuses) connection.say("550 no such user\r\n");
      else {
        message.to += line.substr(8);
        connection.say("250 ok\r\n");
      }
    } else if (command == "data") {
      connection.say("354 go\r\n");
      if (!connection.until("\r\n.\r\n", message.raw)) return;
      if (manner_ == Manner::refuses_for_now) {
        connection.say("451 later\r\n");
        continue;
      }
      const auto head = message.raw.find("\r\n\r\n");
      read_headers(message.raw.substr(0, head), message.headers);
      message.body = head == std::string::npos ? "" : without_quoted_printable(message.raw.substr(head + 4));
      const auto login = message.login;
      keep(message);
      if (manner_ == Manner::loses_the_answer) return;
      connection.say("250 taken\r\n");
      message = Message{};
      message.login = login;
      message.encrypted = connection.tls != nullptr;
    } else if (command == "quit") {
      while (manner_ == Manner::never_ends && connection.more()) {
      }
      connection.say("221 bye\r\n");
      return;
    } else {
      connection.say("250 ok\r\n");
    }
  }
}

void Receiver::serve_web(Connection& connection) {
  Message message;
  std::string head;
  if (!connection.until("\r\n\r\n", head)) return;
  message.raw = head;
  message.to = head.substr(0, head.find(" HTTP/"));
  read_headers(head, message.headers);
  const auto size = std::stoul(message.headers.contains("content-length") ? message.headers["content-length"] : "0");
  while (connection.buffer.size() < size) {
    if (!connection.more()) return;
  }
  message.body = connection.buffer.substr(0, size);
  if (manner_ == Manner::refuses_for_now) return connection.say("HTTP/1.1 503 Later\r\nContent-Length: 0\r\n\r\n");
  if (manner_ == Manner::refuses) return connection.say("HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n");
  keep(message);
  if (manner_ == Manner::never_ends) {
    connection.say("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok");
    while (connection.more()) {
    }
  }
  if (manner_ == Manner::takes) connection.say("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
}

}  // namespace gleaner::tests
