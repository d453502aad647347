#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/db/api_fixture.hpp"

/// The gain by temporal_grouping, as the API states it.
namespace gleaner::tests {
namespace {

class GroupingAdvice : public ApiTest {
 protected:
  static std::string stats_of(std::int64_t id) { return fmt::format("/v1/campaigns/{}/stats", id); }
};

TEST_F(GroupingAdvice, Stats_SayWhatPoolsWouldGain_WhereTheConfigurationAdvises) {
  const auto id = a_campaign_of(480);
  sql("UPDATE campaigns SET jdl = jdl || '{\"temporal_grouping\": \"advise\"}'");
  EXPECT_TRUE(get(stats_of(id)).json["grouping_gain"].IsNull()) << "nothing is measured";
  sql("INSERT INTO campaign_forecasts (campaign_id, made_at, end_at, method) SELECT id, now(), now() + interval '240 s', 'throughput' FROM campaigns");
  sql("UPDATE campaign_clusters SET measured = 20, command_s = 20, held_s = 160");
  const auto gain = get(stats_of(id));
  ASSERT_TRUE(gain.json["grouping_gain"].IsObject()) << gain.body;
  EXPECT_DOUBLE_EQ(gain.json["grouping_gain"]["task_seconds"].GetDouble(), 1);
  EXPECT_DOUBLE_EQ(gain.json["grouping_gain"]["job_seconds"].GetDouble(), 8);
  EXPECT_NEAR(gain.json["grouping_gain"]["end_seconds"].GetDouble(), 240, 10);
  EXPECT_NEAR(gain.json["grouping_gain"]["grouped_end_seconds"].GetDouble(), 37, 3);
  sql("UPDATE campaigns SET jdl = jdl || '{\"temporal_grouping\": \"false\"}'");
  EXPECT_TRUE(get(stats_of(id)).json["grouping_gain"].IsNull()) << "its user decided";
}

}  // namespace
}  // namespace gleaner::tests
