#pragma once
#include <atomic>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <openssl/ssl.h>

namespace gleaner::tests {

/// How a receiver treats the messages that come.
enum class Manner {
  takes,
  refuses_for_now,   ///< 451, 503
  refuses,           ///< 550, 403
  loses_the_answer,  ///< it takes the message whole, and closes the connection
  never_ends,        ///< it takes the message and says so, but its answer to QUIT, or the end of its page, never comes
  is_silent          ///< it takes the connection, and says nothing
};

/// A mail server or a web server of a test, on a port of its own, which keeps what it took.
class Receiver {
 public:
  enum class Kind { mail, web };
  explicit Receiver(Kind kind);
  ~Receiver();
  Receiver(const Receiver&) = delete;
  Receiver& operator=(const Receiver&) = delete;

  struct Message {
    std::string to;     ///< recipients, or the path
    std::string login;  ///< of AUTH PLAIN, user and password with a blank between them
    bool encrypted = false;
    std::map<std::string, std::string> headers;  ///< in small letters
    std::string body;                            ///< of mail: with its quoted-printable undone
    std::string raw;                             ///< as it came
  };

  void behave(Manner manner) { manner_ = manner; }
  /// Mail: offers STARTTLS with this certificate.
  void encrypt_with(const std::string& certificate, const std::string& key);
  /// Nobody answers at its port.
  void go_away();
  void come_back();

  [[nodiscard]] std::string port() const { return std::to_string(port_); }
  [[nodiscard]] std::vector<Message> taken() const;
  [[nodiscard]] int connections() const { return connections_; }

 private:
  struct Connection;
  void listen_on_port();
  void accept_all();
  void serve_mail(Connection& connection);
  void serve_web(Connection& connection);
  void keep(Message message);

  Kind kind_;
  std::atomic<Manner> manner_{Manner::takes};
  std::uint16_t port_ = 0;
  int listener_ = -1;
  int stop_event_ = -1;
  std::atomic<int> connections_{0};
  std::thread acceptor_;
  std::list<std::thread> threads_;
  std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)> tls_{nullptr, SSL_CTX_free};
  mutable std::mutex mutex_;
  std::vector<Message> taken_;
};

}  // namespace gleaner::tests
