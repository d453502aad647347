// The route of the order: places, their figures, and what others may see.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/db/api_fixture.hpp"

namespace gleaner::tests {
namespace {

using testing::HasSubstr;
using testing::Not;

class OrderRoute : public ApiTest {
 protected:
  /// Two campaigns: bob's with priority 2, then alice's; the figures of an order by fair share.
  void planned() {
    hers = a_campaign_of(3);
    his = a_campaign_of(3);
    sql(fmt::format("UPDATE campaigns SET user_name = 'bob', name = 'secret' WHERE id = {}", his));
    sql(fmt::format(
        "INSERT INTO campaign_order (campaign_order, classes, campaigns, campaign_classes, places, digest, since) VALUES ('priority,fairshare', "
        R"('[{{"type": "default", "project_priority": 4, "group_priority": 4, "priority": 2, "clusters": "all"}},)"
        R"({{"type": "default", "project_priority": 4, "group_priority": 4, "priority": 4, "clusters": "all"}}]', )"
        "'{{{}, {}}}', '{{1, 2}}', 2, 0, now())",
        his, hers));
    sql(R"(INSERT INTO decisions (campaign_id, cluster_id, stage, reason, figures, jobs, since) SELECT id, 0, 'prioritize', 'standing', jsonb_build_object('place',
        jsonb_build_object('order', 'fairshare', 'user', user_name, 'order_priority', 0.12, 'share', 0.25, 'usage', 0.13, 'usage_by_share', false), 'elsewhere', NULL, 'priority_effect', NULL),
        0, now() FROM campaigns)");
  }
  std::int64_t hers = 0, his = 0;
};

class OrderRouteOfOwn : public OrderRoute {
  [[nodiscard]] process::Config configuration() const override {
    auto config = OrderRoute::configuration();
    config.read_access = process::ReadAccess::own;
    return config;
  }
};

TEST_F(OrderRoute, HasEachPlace_WithItsClassAndItsFigures) {
  planned();
  const auto answer = get("/v1/order");
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_STREQ(answer.json["campaign_order"].GetString(), "priority,fairshare");
  EXPECT_EQ(answer.json["places"].GetInt(), 2);
  ASSERT_EQ(answer.json["items"].Size(), 2U);
  const auto& first = answer.json["items"][0];
  EXPECT_EQ(first["place"].GetInt(), 1);
  EXPECT_EQ(first["campaign_id"].GetInt64(), his);
  EXPECT_STREQ(first["user"].GetString(), "bob");
  EXPECT_EQ(first["class"]["number"].GetInt(), 1);
  EXPECT_EQ(first["class"]["priority"].GetInt(), 2);
  EXPECT_STREQ(first["sentence"].GetString(), "its place in the order: fair share of bob: 0.120 = share 0.250 - usage 0.130");
  EXPECT_DOUBLE_EQ(first["figures"]["place"]["usage"].GetDouble(), 0.13);
  EXPECT_EQ(answer.json["items"][1]["class"]["number"].GetInt(), 2);
}

TEST_F(OrderRoute, HasNoPlaces_BeforeAnythingIsPlanned) {
  const auto answer = get("/v1/order");
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_TRUE(answer.json["campaign_order"].IsNull());
  EXPECT_TRUE(answer.json["since"].IsNull());
  EXPECT_EQ(answer.json["items"].Size(), 0U);
}

TEST_F(OrderRoute, FindsACampaign_AndTheCallersOwn) {
  planned();
  const auto one = get(fmt::format("/v1/order?campaign={}", hers));
  ASSERT_EQ(one.json["items"].Size(), 1U) << one.body;
  EXPECT_EQ(one.json["items"][0]["place"].GetInt(), 2);
  const auto own = as("bob", {.target = "/v1/order?user=me"});
  ASSERT_EQ(own.json["items"].Size(), 1U) << own.body;
  EXPECT_EQ(own.json["items"][0]["campaign_id"].GetInt64(), his);
  EXPECT_EQ(get("/v1/order?campaign=none").status, 400);
  const auto page = get("/v1/order?limit=1");
  EXPECT_EQ(page.json["total"].GetInt(), 2);
  EXPECT_THAT(page.body, HasSubstr("\"next\""));
  EXPECT_EQ(get("/v1/order?offset=7").json["total"].GetInt(), 2);
}

TEST_F(OrderRouteOfOwn, Attack_ReadingOthers_FindsAPlaceAndNothingElse) {
  planned();
  const auto answer = get("/v1/order");
  ASSERT_EQ(answer.json["items"].Size(), 2U) << answer.body;
  EXPECT_TRUE(answer.json["items"][0]["campaign_id"].IsNull());
  EXPECT_TRUE(answer.json["items"][0]["figures"].IsNull());
  EXPECT_EQ(answer.json["items"][0]["place"].GetInt(), 1);
  EXPECT_THAT(answer.body, testing::AllOf(Not(HasSubstr("bob")), Not(HasSubstr("secret"))));
  EXPECT_EQ(answer.json["items"][1]["campaign_id"].GetInt64(), hers);
  EXPECT_EQ(get(fmt::format("/v1/order?campaign={}", his)).json["items"].Size(), 0U);
  EXPECT_EQ(get("/v1/order?user=bob").json["items"].Size(), 0U);
  EXPECT_EQ(as("boss", {.target = "/v1/order"}).json["items"][0]["campaign_id"].GetInt64(), his);
}

}  // namespace
}  // namespace gleaner::tests
