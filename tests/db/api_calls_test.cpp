#include <gmock/gmock.h>

#include "lib/store/calls.hpp"
#include "tests/db/api_fixture.hpp"

/// Hooks of OAR's server say that jobs began or ended.
namespace gleaner::tests {
namespace {

using ::testing::HasSubstr;

class ApiCalls : public ApiTest {
 protected:
  [[nodiscard]] process::Config configuration() const override {
    auto config = ApiTest::configuration();
    config.api_callers = {"bob"};
    return config;
  }
  ApiAnswer call(const std::string& user, const std::string& cluster) {
    return as(user, {.method = "POST", .target = "/v1/clusters/" + cluster + "/calls"});
  }
  std::string waiting() {
    store::Database own{database()};
    auto transaction = own.begin();
    std::string text;
    for (const auto& one : store::calls(transaction)) text += one.waits ? "waits " : "answered ";
    return text;
  }
};

TEST_F(ApiCalls, Document002_ACall_WakesTheConductor_AndWaitsUntilAPollThatBeganLaterHasItsAnswer) {
  EXPECT_EQ(waiting(), "") << "nothing is read where nobody calls";
  store::Database conductor{database()};
  conductor.listen(store::kWakeUp);
  conductor.listen(store::kCall);
  const auto answer = call("bob", "alpha");
  ASSERT_EQ(answer.status, 202) << answer.body;
  EXPECT_EQ(conductor.wait_for_notification(std::chrono::minutes{1}), store::kCall);
  EXPECT_THAT(waiting(), HasSubstr("waits"));
  const auto answered_by = [&](std::string_view began) {
    store::Database own{database()};
    store::transact(own, std::nullopt, [&](store::Transaction& transaction) {
      const auto at = sql(fmt::format("SELECT micros(called_at {}) FROM cluster_calls", began));
      const auto cluster = sql("SELECT cluster_id FROM cluster_calls");
      store::answer_calls(transaction, grid::ClusterId{std::stoll(cluster)}, grid::Instant{std::chrono::microseconds{std::stoll(at)}});
    });
  };
  answered_by("- interval '1 ms'");
  EXPECT_THAT(waiting(), HasSubstr("waits")) << "the jobs may have ended after that poll";
  EXPECT_EQ(conductor.wait_for_notification(std::chrono::minutes{1}), store::kCall) << "so that the next poll comes soon";
  answered_by("+ interval '1 ms'");
  EXPECT_THAT(waiting(), HasSubstr("answered"));
  EXPECT_FALSE(conductor.wait_for_notification(std::chrono::milliseconds{0}));
  ASSERT_EQ(call("boss", "alpha").status, 202) << "administrators may, too";
}

TEST_F(ApiCalls, WhoMayNot_AndAClusterThatThereIsNot_AreRefused_AndWakeNobody) {
  store::Database conductor{database()};
  conductor.listen(store::kCall);
  const auto refused = call("alice", "alpha");
  EXPECT_EQ(refused.status, 403);
  EXPECT_THAT(refused.body, HasSubstr("alice may not call for a cluster: that is for administrators, and for the users of api_callers"));
  EXPECT_EQ(call("bob", "alpa").status, 404);
  EXPECT_EQ(as("bob", {.method = "GET", .target = "/v1/clusters/alpha/calls"}).status, 405);
  EXPECT_FALSE(conductor.wait_for_notification(std::chrono::milliseconds{0}));
  EXPECT_EQ(waiting(), "");
}

}  // namespace
}  // namespace gleaner::tests
