#pragma once
#include <chrono>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include <unistd.h>

#include <fmt/format.h>

#include "lib/http/server.hpp"
#include "lib/process/config.hpp"

namespace gleaner::tests {

/// An API that answers as the test wants.
class ApiUnderTest {
 public:
  explicit ApiUnderTest(http::Handler handler) {
    http::ServerOptions options;
    options.unix_socket = http::UnixEndpoint{path_, 0600};
    auto started = http::Server::start(std::move(options), std::move(handler));
    if (!started) throw std::runtime_error{started.error()};
    server_ = std::move(*started);
  }
  ~ApiUnderTest() { server_->stop(); }
  ApiUnderTest(const ApiUnderTest&) = delete;
  ApiUnderTest& operator=(const ApiUnderTest&) = delete;

  /// The value of the key `api`.
  [[nodiscard]] std::string address() const { return "unix:" + path_; }
  [[nodiscard]] process::Config config() const {
    process::Config config;
    config.api = address();
    config.connect_timeout = std::chrono::seconds{5};
    config.api_timeout = std::chrono::seconds{30};
    return config;
  }

 private:
  std::string path_ = std::filesystem::temp_directory_path() / fmt::format("gleaner-clients-{}.socket", ::getpid());
  std::unique_ptr<http::Server> server_;
};

inline http::Response answer(unsigned status, std::string body) {
  http::Response response;
  response.status = status;
  response.body = std::move(body);
  return response;
}

}  // namespace gleaner::tests
