// The behaviour of the clients when the API misbehaves, and when it is not there.
#include "clients/api_client.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <set>
#include <thread>

#include <fmt/format.h>

#include "lib/http/server.hpp"
#include "lib/process/exit_code.hpp"
#include "tests/unit/api_under_test.hpp"

namespace gleaner::clients {
namespace {

using process::Error;
using process::ExitCode;
using ::testing::HasSubstr;
using tests::answer;
using tests::ApiUnderTest;

class TextBody final : public BodySource {
 public:
  explicit TextBody(std::string text) : text_{std::move(text)} {}
  void rewind() override { given_ = 0; }
  std::size_t read(std::span<char> buffer) override {
    const auto size = std::min(buffer.size(), text_.size() - given_);
    std::memcpy(buffer.data(), text_.data() + given_, size);
    given_ += size;
    return size;
  }

 private:
  std::string text_;
  std::size_t given_ = 0;
};

ExitCode code_of(const std::function<void()>& work, std::string* message = nullptr) {
  try {
    work();
  } catch (const Error& error) {
    if (message != nullptr) *message = error.what();
    return error.code();
  }
  return ExitCode::ok;
}

TEST(ApiClient, AnswerOfASubmissionLost_SendsTheSameAgain_UnderTheSameKey) {
  std::set<std::string> keys;
  std::set<std::string> bodies;
  std::atomic<int> requests{0};
  const ApiUnderTest api{[&](const http::Request& request) {
    keys.insert(std::string{request.headers.find("Idempotency-Key").value_or("")});
    bodies.insert(request.body->read_all(1 << 20).value());
    auto response = answer(201, R"({"id": 7})");
    if (++requests <= 2) response.mishap = {.only_first_bytes = 10, .ending = http::Mishap::Ending::close};
    return response;
  }};
  ApiClient client{api.config()};
  TextBody body{"{\"jdl\":\"\"}\n\"0\"\n\"1\"\n"};
  EXPECT_EQ(client.submit(body).json["id"].whole(), 7);
  EXPECT_EQ(requests, 3);
  EXPECT_EQ(keys.size(), 1U);
  EXPECT_EQ(bodies.size(), 1U);
  EXPECT_FALSE(keys.begin()->empty());
}

TEST(ApiClient, AnswerOfAQuestionLost_IsAskedForAgain) {
  std::atomic<int> requests{0};
  const ApiUnderTest api{[&](const http::Request&) {
    auto response = answer(200, R"({"id": 7})");
    if (++requests <= 2) response.mishap = {.only_first_bytes = requests == 1 ? 0U : 10U, .ending = http::Mishap::Ending::close};
    return response;
  }};
  EXPECT_EQ(ApiClient{api.config()}.get("/v1/campaigns/7").json["id"].whole(), 7);
  EXPECT_EQ(requests, 3);
}

TEST(ApiClient, AnswersThatAreAlwaysLost_AreAnErrorInTheEnd) {
  const ApiUnderTest api{[](const http::Request&) {
    auto response = answer(200, "{}");
    response.mishap = {.only_first_bytes = 10, .ending = http::Mishap::Ending::close};
    return response;
  }};
  ApiClient client{api.config()};
  EXPECT_EQ(code_of([&] { (void)client.get("/v1/campaigns/7"); }), ExitCode::unavailable);
}

TEST(ApiClient, TwoSubmissions_HaveTwoKeys) { EXPECT_NE(new_idempotency_key(), new_idempotency_key()); }

TEST(ApiClient, DatabaseAwayForAMoment_IsWaitedForByASubmission) {
  std::atomic<int> requests{0};
  const ApiUnderTest api{[&](const http::Request& request) {
    (void)request.body->read_all(1 << 20);
    return ++requests == 1 ? answer(503, R"({"status":503,"title":"","message":"no database"})") : answer(201, R"({"id": 8})");
  }};
  ApiClient client{api.config()};
  TextBody body{"{}\n"};
  EXPECT_EQ(client.submit(body).json["id"].whole(), 8);
}

TEST(ApiClient, RefusedSubmission_IsNotSentAgain) {
  std::atomic<int> requests{0};
  const ApiUnderTest api{[&](const http::Request& request) {
    (void)request.body->read_all(1 << 20);
    ++requests;
    return answer(
        400,
        R"({"status":400,"title":"Bad request","message":"m","problems":[{"line":1,"column":2,"path":"p","value":"","message":"m"}]})");
  }};
  ApiClient client{api.config()};
  TextBody body{"{}\n"};
  EXPECT_EQ(client.submit(body).json["problems"].items().size(), 1U);
  EXPECT_EQ(requests, 1);
}

TEST(ApiClient, LargeBody_ArrivesWhole) {
  std::string text(5'000'000, 'x');
  std::size_t arrived = 0;
  const ApiUnderTest api{[&](const http::Request& request) {
    arrived = request.body->read_all(10'000'000).value().size();
    return answer(201, R"({"id": 9})");
  }};
  ApiClient client{api.config()};
  TextBody body{std::move(text)};
  EXPECT_EQ(client.submit(body).status, 201);
  EXPECT_EQ(arrived, 5'000'000U);
}

TEST(ApiClient, EachStatus_HasItsExitCode_AndTheApisOwnWords) {
  const ApiUnderTest api{[](const http::Request& request) {
    const auto status = static_cast<unsigned>(std::stoi(request.path.substr(1)));
    return answer(status, fmt::format(R"({{"status":{},"code":"word","title":"t","message":"the reason"}})", status));
  }};
  ApiClient client{api.config()};
  const std::vector<std::pair<int, ExitCode>> expected{{200, ExitCode::ok},      {202, ExitCode::ok},      {400, ExitCode::usage},
                                                       {401, ExitCode::refused}, {403, ExitCode::refused}, {404, ExitCode::not_found},
                                                       {409, ExitCode::refused}, {500, ExitCode::failure}, {503, ExitCode::unavailable}};
  for (const auto& [status, code] : expected) {
    std::string message{"the reason"};
    EXPECT_EQ(code_of([&] { (void)client.get(fmt::format("/{}", status)); }, &message), code) << status;
    EXPECT_THAT(message, HasSubstr("the reason")) << status;
  }
}

TEST(ApiClient, PathThatTheApiDoesNotKnow_IsNothingThatIsMissing_ButAnApiOfAnotherVersion) {
  for (const auto* body : {R"({"status":404,"code":"no_such_path","title":"Not found","message":"GET /v1/x not found"})",
                           R"({"status":404,"title":"Not found","message":"GET /v1/x not found"})", "<h1>Not found</h1>"}) {
    const ApiUnderTest api{[&](const http::Request&) { return answer(404, body); }};
    ApiClient client{api.config()};
    std::string message;
    EXPECT_EQ(code_of([&] { (void)client.get("/v1/x"); }, &message), ExitCode::failure) << body;
    EXPECT_THAT(message, HasSubstr("the API is not of this program's version")) << body;
    EXPECT_EQ(code_of([&] { client.remove("/v1/x"); }), ExitCode::failure) << body;
  }
}

/// Which may wait for a cluster itself, as long as these say.
TEST(ApiClient, WaitsForTheApi_LongerThanTheApiWaitsForClusters) {
  constexpr std::chrono::milliseconds kOfClusters{20};
  const ApiUnderTest api{[&](const http::Request&) {
    std::this_thread::sleep_for(5 * kOfClusters);  // the length of an answer
    return answer(200, "{}");
  }};
  auto config = api.config();
  config.request_timeout = config.submit_timeout = kOfClusters;
  ApiClient client{config};
  EXPECT_EQ(client.get("/v1/x").status, 200);
}

TEST(ApiClient, NobodyListens_IsUnavailable_AndTheMessageNamesTheStart) {
  process::Config config;
  config.api = "unix:/nonexistent/gleaner.socket";
  config.connect_timeout = std::chrono::seconds{1};
  config.api_timeout = std::chrono::seconds{1};
  ApiClient client{config};
  std::string message;
  EXPECT_EQ(code_of([&] { (void)client.get("/v1/campaigns"); }, &message), ExitCode::unavailable);
  EXPECT_THAT(message, HasSubstr("gleaner-api"));
  TextBody body{"{}\n"};
  EXPECT_EQ(code_of([&] { (void)client.submit(body); }), ExitCode::unavailable);
}

}  // namespace
}  // namespace gleaner::clients
