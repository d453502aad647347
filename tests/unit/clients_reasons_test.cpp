#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "clients/gridstat/views.hpp"

/// The output of gridstat --why --since.
namespace gleaner::clients {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

gridstat::Setting past_setting() {
  gridstat::Setting setting;
  setting.screen = {.is_limited = false};
  setting.now = grid::from_unix(1'800'000'000);  // 2027-01-15 08:00:00 UTC
  return setting;
}

Json past(const std::string& shares, const std::string& items, double undecided = 0) {
  return Json::parse(
             fmt::format(R"j({{"clusters": [{{"cluster_name": "alpha", "from": "2027-01-15T07:00:00Z", "until": "2027-01-15T08:00:00Z",)j"
                         R"j( "seconds": 3600.0, "undecided_seconds": {}, "shares": [{}]}}], "items": [{}]}})j",
                         undecided, shares, items))
      .value();
}

TEST(PastReasons, AreSharesOfTheTime_AndTheLastChanges) {
  const auto text = gridstat::reasons_view(
      past(
          R"j({"words": "full", "seconds": 2197.5}, {"words": "limit 7 (user u01)", "seconds": 1398.5}, {"words": "paused", "seconds": 4.0})j",
          R"j({"cluster_name": "alpha", "since": "2027-01-15T07:58:00Z", "until": null, "seconds": 120.0, "words": "full", "summed": false},)j"
          R"j({"cluster_name": null, "since": "2027-01-15T07:57:56Z", "until": "2027-01-15T07:58:00Z", "seconds": 4.0, "words": "paused", "summed": false},)j"
          R"j({"cluster_name": "alpha", "since": "2027-01-15T07:00:00Z", "until": "2027-01-15T07:58:00Z", "seconds": 9.0, "words": "long ago", "summed": true})j"),
      past_setting());
  EXPECT_THAT(text, HasSubstr("(1 h): 61 % full, 38 % limit 7 (user u01), under 1 % paused\n"));
  EXPECT_THAT(text, AllOf(HasSubstr("2 min, still"), HasSubstr("the campaign"), HasSubstr("4 s"), Not(HasSubstr("long ago"))));
}

TEST(PastReasons, HaveTheTimeInWhichNothingWasDecided_AndNoShareOfAllWhereThereIsAnother) {
  const auto text = gridstat::reasons_view(past(R"j({"words": "full", "seconds": 3599.0})j", "", 1), past_setting());
  EXPECT_THAT(text, HasSubstr("99 % full, under 1 % nothing decided on it\n"));
  EXPECT_THAT(gridstat::reasons_view(past(R"j({"words": "full", "seconds": 3600.0})j", ""), past_setting()), HasSubstr(": 100 % full\n"));
}

TEST(PastReasons, WithControlCharacters_AreNotObeyed) {
  const auto text = gridstat::reasons_view(past(R"j({"words": "limit 7 (user \u001b[31m)", "seconds": 3600.0})j", ""), past_setting());
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(PastReasons, OfACampaignThatWasNeverDecidedOn_SaySo) {
  EXPECT_EQ(gridstat::reasons_view(Json::parse(R"j({"clusters": [], "items": []})j").value(), past_setting()),
            "Nothing was decided on it since then.\n");
}

TEST(PastReasons, AsATable_AreAllPeriods) {
  const auto table = gridstat::reasons_table(
      {12},
      {past("",
            R"j({"cluster_name": "alpha", "since": "2027-01-15T07:58:00Z", "until": null, "seconds": 120.5, "reason": "limit_reached",)j"
            R"j( "subject": "limit 7 (user u01)", "words": "limit 7 (user u01)", "summed": false})j")});
  EXPECT_EQ(
      terminal::render_csv(table),
      "campaign,cluster,since,until,seconds,reason,subject,summed\n12,alpha,2027-01-15T07:58:00Z,,120.5,limit_reached,limit 7 (user u01),"
      "false\n");
}

}  // namespace
}  // namespace gleaner::clients
