#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>

#include <fmt/format.h>

#include "clients/gridstat/views.hpp"
#include "lib/terminal/text.hpp"
#include "tests/unit/utc_text.hpp"

/// The output of gridstat --history.
namespace gleaner::clients {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::int64_t kStart = 1'760'000'400;

Json campaign(const std::string& state, const std::string& end) {
  return Json::parse(fmt::format(R"({{"id": 12, "state": "{}", "end_time": {}}})", state, end)).value();
}

struct Made {
  std::int64_t after;  ///< seconds
  std::int64_t end;    ///< seconds after kStart
  std::int64_t earliest, latest;
};
std::vector<Json> forecasts(std::initializer_list<Made> all) {
  std::vector<Json> made;
  for (const auto& one : all)
    made.push_back(
        Json::parse(
            fmt::format(
                R"({{"forecast_time": "{}", "forecast_end": "{}", "forecast_end_earliest": "{}", "forecast_end_latest": "{}", "forecast_method": "throughput"}})",
                tests::utc(kStart + one.after), tests::utc(kStart + one.end), tests::utc(kStart + one.earliest),
                tests::utc(kStart + one.latest)))
            .value());
  return made;
}

gridstat::Setting at(std::int64_t after, std::size_t width = 80) {
  gridstat::Setting setting;
  setting.screen.width = width;
  setting.now = grid::from_unix(kStart + after);
  return setting;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream input{text};
  for (std::string line; std::getline(input, line);) lines.push_back(line);
  return lines;
}
std::string line_with(const std::string& text, const std::string& part) {
  for (const auto& line : lines_of(text)) {
    if (line.find(part) != std::string::npos) return line;
  }
  return {};
}

class ClientHistory : public ::testing::Test {
 protected:
  ClientHistory() { ::setenv("TZ", "UTC", 1); }

  const std::vector<Json> history_ = forecasts({{0, 7200, 3600, 14400}, {1200, 4200, 3000, 6000}, {2400, 5000, 4700, 5300}});
};

TEST_F(ClientHistory, OfACampaignThatEnded_ShowsHowFarOffEachForecastWas_AndHowManyIntervalsHeldTheEnd) {
  const auto text = gridstat::history_view(campaign("terminated", "\"" + tests::utc(kStart + 5400) + "\""), history_, at(9000));
  EXPECT_THAT(text, AllOf(HasSubstr("Campaign 12 is terminated"), HasSubstr("within the interval of 2 of 3 forecasts")));
  EXPECT_THAT(line_with(text, "2h00m"), AllOf(HasSubstr("2h00m (1h00m-4h00m)"), HasSubstr("+30m"), HasSubstr("throughput")));
  EXPECT_THAT(line_with(text, "50m (30m"), HasSubstr("-20m"));
  EXPECT_THAT(line_with(text, "43m"), HasSubstr("-6m40s"));
}

TEST_F(ClientHistory, OfACampaignThatRuns_ShowsNoError_AndNoEnd) {
  const auto text = gridstat::history_view(campaign("in_treatment", "null"), history_, at(3000));
  EXPECT_THAT(text, AllOf(Not(HasSubstr("Error")), Not(HasSubstr("ended")), HasSubstr("43m (38m-48m)")));
}

TEST_F(ClientHistory, Plot_HasTheEndsWithTheirIntervals_AndALineWhereTheCampaignEnded) {
  const auto text = gridstat::history_view(campaign("terminated", "\"" + tests::utc(kStart + 5400) + "\""), history_, at(9000));
  const auto plot = lines_of(text.substr(text.find("The end forecast (*")));
  ASSERT_EQ(plot.size(), 16U) << "a heading, 13 lines, the axis, its labels";
  EXPECT_THAT(plot[1], AllOf(HasSubstr("11:00:00 |***"), Not(HasSubstr("-")))) << "the greatest end; kStart is 09:00";
  EXPECT_THAT(plot[13], HasSubstr("10:10:00 |")) << "the least one";
  EXPECT_THAT(line_with(text, "ended |"), AllOf(HasSubstr("|-"), HasSubstr("-"), Not(HasSubstr(":"))));
  EXPECT_THAT(plot[15], AllOf(HasSubstr("09:00:00"), ::testing::EndsWith("10:30:00")));
  for (std::size_t line = 1; line < 14; ++line) EXPECT_THAT(plot[line], HasSubstr(" |"));
}

TEST_F(ClientHistory, Plot_HasTheScaleOfWhatRestsOnJobs_AndShowsAWalltimeBeyondIt) {
  auto bound = forecasts({{0, 900'000, 0, 900'000}});
  auto text = dump(bound[0], Layout::one_line);
  text.replace(text.find("throughput"), 10, "walltime");
  bound[0] = Json::parse(text).value();
  const auto alone = gridstat::history_view(campaign("in_treatment", "null"), bound, at(600));
  EXPECT_THAT(alone, AllOf(HasSubstr("|*"), Not(HasSubstr("|^"))));
  bound.insert(bound.end(), history_.begin() + 1, history_.end());
  const auto with_others = gridstat::history_view(campaign("in_treatment", "null"), bound, at(3000));
  EXPECT_THAT(with_others, AllOf(HasSubstr("10:23:20 |^^"), HasSubstr("10:10:00 |")));
}

TEST_F(ClientHistory, FitsTheScreen_WhateverItsTimesAre) {
  for (const std::size_t width : {80U, 120U}) {
    for (const std::int64_t now : {9000, 90'000'000}) {
      const auto text = gridstat::history_view(campaign("terminated", "\"" + tests::utc(kStart + 5400) + "\""), history_, at(now, width));
      for (const auto& line : lines_of(text)) EXPECT_LE(terminal::display_width(line), width) << line;
    }
  }
}

TEST_F(ClientHistory, OfOneForecast_OrOfNone_IsShownToo) {
  const auto one = gridstat::history_view(campaign("in_treatment", "null"), forecasts({{0, 60, 60, 60}}), at(0));
  EXPECT_THAT(one, AllOf(HasSubstr("1m00s"), HasSubstr("|*")));
  const auto none = gridstat::history_view(campaign("paused", "null"), {}, at(0));
  EXPECT_THAT(none, AllOf(HasSubstr("No forecast of its end was made yet."), Not(HasSubstr("|"))));
}

TEST_F(ClientHistory, Csv_HasTheTimesInUtc_AndTheErrorOnceTheEndIsKnown) {
  const auto csv = lines_of(
      terminal::render_csv(gridstat::history_table(campaign("terminated", "\"" + tests::utc(kStart + 5400) + "\""), history_, at(9000))));
  ASSERT_EQ(csv.size(), 4U);
  EXPECT_EQ(csv[0], "campaign,forecast_time,ends_in,forecast_end,forecast_end_earliest,forecast_end_latest,error,forecast_method,end_time");
  EXPECT_EQ(csv[1], fmt::format("12,{},7200,{},{},{},1800,throughput,{}", tests::utc(kStart), tests::utc(kStart + 7200),
                                tests::utc(kStart + 3600), tests::utc(kStart + 14400), tests::utc(kStart + 5400)));
  const auto live = lines_of(terminal::render_csv(gridstat::history_table(campaign("in_treatment", "null"), history_, at(9000))));
  EXPECT_EQ(live[1], fmt::format("12,{},7200,{},{},{},,throughput,", tests::utc(kStart), tests::utc(kStart + 7200),
                                 tests::utc(kStart + 3600), tests::utc(kStart + 14400)));
}

TEST(History, OfTheClusters_HasALineForEachFigure_DenserWhereItIsNearerToItsMost) {
  auto made = forecasts({{0, 4000, 3000, 5000}, {1000, 4000, 3000, 5000}, {2000, 4000, 3000, 5000}});
  const auto pair = [](const char* cluster, double ratio, int sent) {
    return fmt::format(
        R"({{"cluster_name": "{}", "job_ratio": {}, "predictor_algorithm": "pace", "jobs_throughput": 0.01, "submitted_jobs": {}, "active_jobs": 3}})",
        cluster, ratio, sent);
  };
  made[0].add("clusters", Json::parse("[]").value());
  made[1].add("clusters", Json::parse(fmt::format("[{}]", pair("alpha", 0.5, 8))).value());
  made[2].add("clusters", Json::parse(fmt::format("[{}, {}]", pair("alpha", 2, 0), pair("beta", 1, 1))).value());
  const auto text = gridstat::history_view(campaign("in_treatment", "null"), made, at(4000));
  EXPECT_THAT(text, HasSubstr("\nalpha\n"));
  EXPECT_THAT(line_with(text, "ratio <= 2.000"), testing::MatchesRegex("  ratio <= 2.000 +\\| +:+#+"));
  EXPECT_THAT(line_with(text, "sent a cycle <= 8"), testing::MatchesRegex("  sent a cycle <= 8 +\\| +#+"));
  EXPECT_THAT(text, AllOf(HasSubstr("jobs/h <= 36 "), HasSubstr("\nbeta\n"), HasSubstr("ratio <= 1.000")));
  for (const auto& line : lines_of(text)) EXPECT_LE(line.size(), 80U) << line;
  EXPECT_THAT(gridstat::history_view(campaign("in_treatment", "null"), forecasts({{0, 4000, 3000, 5000}}), at(4000)),
              Not(HasSubstr("On each cluster")));
}

}  // namespace
}  // namespace gleaner::clients
