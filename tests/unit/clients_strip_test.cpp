#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "clients/gridstat/views.hpp"

/// The output of gridstat --strip.
namespace gleaner::clients {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

Json strip(std::int64_t total, std::int64_t width, const std::string& blocks, const std::string& others = "waiting") {
  return Json::parse(
             fmt::format(R"({{"total_tasks": {}, "block_tasks": {}, "others": "{}", "blocks": [{}]}})", total, width, others, blocks))
      .value();
}

gridstat::Setting wide(std::size_t width) {
  gridstat::Setting setting;
  setting.screen.width = width;
  return setting;
}

TEST(StripOfTasks, HasALetterForEachTask) {
  const auto text = gridstat::strip_view(
      strip(7, 1, R"({"first": 0, "tasks": 1, "done": 1}, {"first": 1, "tasks": 1, "failed": 1}, {"first": 2, "tasks": 1, "running": 1})"),
      wide(80));
  EXPECT_THAT(text, StartsWith("0 |DFR....|\n"));
  EXPECT_THAT(text, Not(HasSubstr("A character")));
}

TEST(StripOfTasks, AFailureAmongAThousand_IsSeen_AndASmallLetterStandsForAMixedBlock) {
  const auto text = gridstat::strip_view(
      strip(3000, 1000,
            R"({"first": 0, "tasks": 1000, "done": 999, "failed": 1}, {"first": 1000, "tasks": 1000, "done": 400, "waiting": 600})"),
      wide(80));
  EXPECT_THAT(text, StartsWith("   0 |fd.|\n"));
  EXPECT_THAT(text, HasSubstr("A character is 1000 tasks"));
}

TEST(StripOfTasks, FitsTheTerminal_InLinesOfWholeTens) {
  for (const std::size_t width : {20U, 40U, 80U, 300U}) {
    const auto text = gridstat::strip_view(strip(1'000'000, 1000, ""), wide(width));
    const auto line = text.substr(0, text.find('\n'));
    EXPECT_LE(line.size(), width);
    EXPECT_EQ((line.size() - std::string{"1000000 ||"}.size()) % 10, 0U) << line;
  }
}

TEST(StripOfTasks, OfACancelledCampaign_EndsInCancelledOnes) {
  EXPECT_THAT(gridstat::strip_view(strip(4, 1, R"({"first": 0, "tasks": 1, "done": 1})", "cancelled"), wide(80)), StartsWith("0 |DCCC|\n"));
}

TEST(StripOfTasks, AnAnswerThatMakesNoSense_DrawsWhatItCan) {
  EXPECT_THAT(gridstat::strip_view(strip(3, 0, R"({"first": 99, "tasks": 1, "done": 1}, {"first": -5, "tasks": 1, "done": 1})"), wide(80)),
              StartsWith("0 |...|\n"));
  EXPECT_THAT(gridstat::strip_view(strip(0, 1, ""), wide(80)), HasSubstr("D done"));
  EXPECT_LT(gridstat::strip_view(strip(1'000'000'000'000, 1, ""), wide(80)).size(), 20'000U);
}

}  // namespace
}  // namespace gleaner::clients
