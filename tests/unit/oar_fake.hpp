#pragma once
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/http/server.hpp"
#include "lib/oar/client.hpp"

/// A server that answers the client what a test wants.
namespace gleaner::oar {

using http::Mishap;
using http::Response;

inline Response json(unsigned status, std::string body) {
  Response response;
  response.status = status;
  response.headers.add("Content-Type", "application/json; charset=ISO-8859-1");
  response.body = std::move(body);
  return response;
}

inline Response html(unsigned status, std::string body) {
  auto response = json(status, std::move(body));
  response.headers = {};
  response.headers.add("Content-Type", "text/html");
  return response;
}

inline const std::string kVersion = R"_({"oar_version":"2.5.9 (Canicule)"})_";
inline const std::string kAccepted = R"({"id":7,"cmd_output":"OAR_JOB_ID=7\n"})";

/// A server on a port of its own; every request is noted.
class FakeOar {
 public:
  using Handler = std::function<Response(const http::Request&)>;
  explicit FakeOar(Handler handler, std::optional<http::TlsFiles> tls = std::nullopt) : handler_{std::move(handler)} {
    http::ServerOptions options;
    options.tcp = http::TcpEndpoint{};
    options.tls = std::move(tls);
    server_ = http::Server::start(options, [this](const http::Request& request) {
                (void)request.body->read_all(1 << 20);
                const std::lock_guard lock{mutex_};
                requests_.push_back(request.method + " " + request.target);
                return handler_(request);
              }).value();
  }
  [[nodiscard]] std::vector<std::string> requests() {
    const std::lock_guard lock{mutex_};
    return requests_;
  }
  [[nodiscard]] Access access() const {
    Access access;
    access.name = "fake";
    access.url = server_->url() + "/oarapi";
    access.authentication = Authentication::basic;
    access.login = "grid";
    access.secret = "open-sesame";
    access.reader = "reader";
    return access;
  }

 private:
  Handler handler_;
  std::mutex mutex_;
  std::vector<std::string> requests_;
  std::unique_ptr<http::Server> server_;
};

/// Short beside an answer that comes late (`kLate`), and long beside one that comes at once.
inline Limits short_limits() {
  Limits limits;
  limits.connect = std::chrono::seconds{10};
  limits.read = limits.submit = std::chrono::seconds{2};
  return limits;
}

constexpr std::chrono::minutes kLate{10};

inline SubmitRequest a_request() {
  SubmitRequest request;
  request.user = "griduser1";
  request.command = "true";
  return request;
}

inline Result<Submitted> submit_one(Client& client) {
  const auto request = a_request();
  return client.submit({&request, 1}).front();
}

template <class Kind, class T>
void expect(const Result<T>& result) {
  ASSERT_FALSE(result);
  EXPECT_TRUE(std::holds_alternative<Kind>(result.error())) << describe(result.error());
  EXPECT_THAT(describe(result.error()), ::testing::Not(::testing::HasSubstr("sesame")));
}

inline Response with(Response response, Mishap mishap) {
  response.mishap = mishap;
  return response;
}

}  // namespace gleaner::oar
