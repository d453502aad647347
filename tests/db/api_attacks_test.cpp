// One user's requests that hang, and another's that are answered meanwhile.
#include <gmock/gmock.h>

#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>

#include <fmt/format.h>

#include "lib/http/server.hpp"
#include "tests/db/answer_times.hpp"
#include "tests/db/api_fixture.hpp"
#include "tests/db/await.hpp"

namespace gleaner::tests {
namespace {

using testing::HasSubstr;

/// A cluster whose API takes requests and answers none, until it is released.
class HangingCluster {
 public:
  HangingCluster() {
    http::ServerOptions options;
    options.tcp = http::TcpEndpoint{};
    options.max_connections = 128;
    server_ = http::Server::start(options, [this](const http::Request&) {
                std::unique_lock lock{mutex_};
                ++hanging_;
                released_.wait(lock, [this] { return is_released_; });
                --hanging_;
                http::Response response;
                response.status = 404;
                return response;
              }).value();
  }
  ~HangingCluster() {
    release();
    server_->stop();
  }
  HangingCluster(const HangingCluster&) = delete;
  HangingCluster& operator=(const HangingCluster&) = delete;

  void release() {
    {
      const std::lock_guard lock{mutex_};
      is_released_ = true;
    }
    released_.notify_all();
  }
  [[nodiscard]] int hanging() {
    const std::lock_guard lock{mutex_};
    return hanging_;
  }
  [[nodiscard]] std::string url() const { return server_->url() + "/oarapi"; }

 private:
  std::mutex mutex_;
  std::condition_variable released_;
  bool is_released_ = false;
  int hanging_ = 0;
  std::unique_ptr<http::Server> server_;
};

/// Requests that are sent at once, and whose answers come or not.
class Crowd {
 public:
  void send(const std::string& address, const std::string& from, const ApiRequest& request, int count) {
    const auto text = text_of(request);
    for (int i = 0; i < count; ++i) {
      sockets_.push_back(connect_to(address, from));
      [[maybe_unused]] const auto sent = ::send(sockets_.back().get(), text.data(), text.size(), MSG_NOSIGNAL);
    }
  }
  /// Those whose answer has begun so.
  [[nodiscard]] int answered(std::string_view beginning) const {
    return static_cast<int>(std::ranges::count_if(sockets_, [&](const http::FileDescriptor& socket) {
      std::string got(beginning.size(), '\0');
      const auto size = ::recv(socket.get(), got.data(), got.size(), MSG_PEEK | MSG_DONTWAIT);
      return size == static_cast<ssize_t>(beginning.size()) && got == beginning;
    }));
  }
  [[nodiscard]] int size() const { return static_cast<int>(sockets_.size()); }

 private:
  std::vector<http::FileDescriptor> sockets_;
};

class Attack : public ApiTest {
 protected:
  [[nodiscard]] process::Config configuration() const override {
    auto config = ApiTest::configuration();
    config.request_timeout = std::chrono::hours{1};  // the cluster's requests end when the test wants it
    config.connect_timeout = std::chrono::hours{1};
    return config;
  }
  void SetUp() override {
    ApiTest::SetUp();
    campaign_ = a_campaign_of(1);
    sql("UPDATE clusters SET url = '" + cluster_.url() + "'");
    sql(fmt::format(
        "WITH l AS (INSERT INTO launches (campaign_id, cluster_id, state, term, jobs, resources, planned_at, settled_at, tag, login) "
        "SELECT {0}, id, 'accepted', 1, 1, 1, now(), now(), 'tag', 'alice' FROM clusters WHERE name = 'alpha' RETURNING id, cluster_id) "
        "INSERT INTO jobs (launch_id, campaign_id, cluster_id, task, attempt, state, remote_id, ending, started_at) "
        "SELECT id, {0}, cluster_id, 0, 1, 'terminated', 77, 'done', now() FROM l",
        campaign_));
    sql(fmt::format("UPDATE campaigns SET next_task = 1 WHERE id = {}", campaign_));
    for (const auto* state : {"launching", "submitted", "done"})
      sql(fmt::format("UPDATE tasks SET state = '{}', attempt = 1 WHERE campaign_id = {} AND number = 0", state, campaign_));
  }
  void TearDown() override {
    cluster_.release();
    ApiTest::TearDown();
  }

  /// 64 requests of alice's from two addresses, as many as there are threads; bob's and the health are answered while alice's hang.
  void attack(const std::string& target) {
    const ApiRequest request{.target = target, .headers = {token_header("alice")}};
    const auto answers_bob = [this] { ASSERT_EQ(as("bob", {.target = "/v1/campaigns"}).status, 200); };
    const auto alone = answer_times(answers_bob);
    Crowd crowd;
    for (const auto* from : {"127.0.0.2", "127.0.0.3"}) crowd.send(port(), from, request, 32);
    ASSERT_TRUE(await([&] { return cluster_.hanging() > 0; })) << "the attack reaches the cluster";
    const auto beside = answer_times(answers_bob);
    EXPECT_EQ(ask(port(), {.target = "/health"}).status, 200);
    show_beside(target, alone, beside);
    EXPECT_GT(cluster_.hanging(), 0) << "alice's requests hang still";
    EXPECT_LE(cluster_.hanging(), 8);
    EXPECT_TRUE(await([&] { return crowd.answered("HTTP/1.1 503") + crowd.answered("HTTP/1.1 200") + cluster_.hanging() >= crowd.size(); }))
        << "the rest is refused, or listed without the folder, and waits for nothing: " << crowd.answered("HTTP/1.1 503") << ", "
        << crowd.answered("HTTP/1.1 200") << ", " << cluster_.hanging();
  }

  std::int64_t campaign_ = 0;
  HangingCluster cluster_;
};

TEST_F(Attack, FilesOfAClusterThatHangs_64AtOnce_HoldAFewThreads_AndBobIsAnswered) {
  attack(fmt::format("/v1/campaigns/{}/outputs/0.1.out", campaign_));
  const auto refused = get(fmt::format("/v1/campaigns/{}/outputs/0.1.out", campaign_));
  EXPECT_EQ(refused.status, 503) << refused.body;
  EXPECT_EQ(refused.code(), "busy");
  EXPECT_EQ(refused.headers.at("retry-after"), "2");
  EXPECT_THAT(refused.message(), HasSubstr("try again in a few seconds"));
}

TEST_F(Attack, ListingsOfAClusterThatHangs_64AtOnce_HoldAFewThreads_AndBobIsAnswered) {
  attack(fmt::format("/v1/campaigns/{}/outputs", campaign_));
}

TEST_F(Attack, TheLastLinesOfAnOutput_64AtOnce_HoldAFewThreads_AndBobIsAnswered) {
  attack(fmt::format("/v1/campaigns/{}/tasks/0/stdout", campaign_));
}

}  // namespace
}  // namespace gleaner::tests
