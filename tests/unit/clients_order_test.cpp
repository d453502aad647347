#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "clients/gridstat/views.hpp"

/// The output of gridstat --order.
namespace gleaner::clients {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

Json an_order(const std::string& name) {
  return Json::parse(R"j({"campaign_order": "priority,fairshare", "places": 2, "since": "2027-01-15T07:00:00Z", "items": [
    {"place": 1, "class": {"number": 1, "type": "default", "project_priority": 4, "group_priority": 2, "priority": 2, "clusters": "affinity"},
     "campaign_id": 12, "name": ")j" +
                     name + R"j(", "user": "u01", "submission_time": "2027-01-15T06:00:00Z",
     "sentence": "its place in the order: fair share of u01: 0.1"},
    {"place": 2, "class": {"number": 2, "type": "lowest_priority", "project_priority": null, "group_priority": null, "priority": null, "clusters": "all"},
     "campaign_id": null, "name": null, "user": null, "submission_time": null, "sentence": null}], "total": 2})j")
      .value();
}

std::string shown(const Json& order) {
  gridstat::Setting setting;
  setting.screen = {.is_limited = false};
  setting.now = grid::from_unix(1'800'000'000);
  return terminal::render_human(gridstat::order_table(order, setting), setting.screen);
}

TEST(OrderTable, HasAPlaceALine_WithItsClass_AndItsFiguresOnce) {
  const auto text = shown(an_order("sweep"));
  EXPECT_THAT(text, HasSubstr("group priority 2, priority 2, its affinities"));
  EXPECT_THAT(text, AllOf(HasSubstr("12  sweep"), HasSubstr("fair share of u01: 0.1"), Not(HasSubstr("its place in"))));
  EXPECT_THAT(text, Not(HasSubstr("project priority"))) << "nobody gave one";
  EXPECT_THAT(text, AllOf(HasSubstr("lowest"), HasSubstr("(of another user)")));
}

TEST(OrderTable, WithControlCharacters_DoesNotObeyThem) { EXPECT_THAT(shown(an_order("\\u001b[31m")), Not(HasSubstr("\x1b"))); }

TEST(OrderTable, BeforeAnythingIsPlanned_IsEmpty_AndStatesWhy) {
  EXPECT_EQ(shown(Json::parse(R"j({"campaign_order": null, "items": []})j").value()), "Nothing was planned yet.\n");
}

}  // namespace
}  // namespace gleaner::clients
