#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include <fmt/format.h>

#include "clients/forecast.hpp"
#include "clients/gridstat/views.hpp"
#include "lib/terminal/text.hpp"
#include "tests/unit/utc_text.hpp"

/// Forecasts as people read them.
namespace gleaner::clients {
namespace {

using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::int64_t kNow = 1'000'000;

/// The API's report on a campaign, and its figures: it starts and ends so many seconds from now.
Json answer_of(const std::string& start, const std::string& end, const std::string& method) {
  const auto times = [](const std::string& key, const std::string& values) {
    return values.empty() ? fmt::format(R"("forecast_{0}": null, "forecast_{0}_earliest": null, "forecast_{0}_latest": null)", key)
                          : values;
  };
  return Json::
      parse(fmt::format(
                R"({{"id": 12, "name": "pi", "user": "bzizou", "type": "default", "state": "in_treatment", "submission_time": "{}", "total_tasks": 200,
    "has_events": false, "tasks": {{"waiting": 116, "launching": 0, "submitted": 0, "running": 4, "done": 80, "failed": 0, "cancelled": 0}},
    "jobs_throughput": 0.25, "clusters": {{}}, "forecast_method": {}, {}, {}}})",
                tests::utc(kNow - 600), method, times("start", start), times("end", end)))
          .value();
}

std::string times(const std::string& key, std::int64_t earliest, std::int64_t expected, std::int64_t latest) {
  return fmt::format(R"("forecast_{0}": "{1}", "forecast_{0}_earliest": "{2}", "forecast_{0}_latest": "{3}")", key,
                     tests::utc(kNow + expected), tests::utc(kNow + earliest), tests::utc(kNow + latest));
}

gridstat::Setting setting(std::size_t width) {
  gridstat::Setting setting;
  setting.screen.width = width;
  setting.now = grid::from_unix(kNow);
  return setting;
}

void expect_within(const std::string& text, std::size_t columns) {
  std::istringstream lines{text};
  for (std::string line; std::getline(lines, line);) EXPECT_LE(terminal::display_width(line), columns) << line;
}

TEST(ClientForecast, HasNoUselessUnit_AndNoSecondsWhereMinutesAreAtStake) {
  EXPECT_EQ(in_words({.expected = seconds{7842}, .earliest = seconds{6605}, .latest = seconds{9900}}),
            "2 h 11 min (1 h 50 min to 2 h 45 min)");
  EXPECT_EQ(in_short({.expected = seconds{7842}, .earliest = seconds{6605}, .latest = seconds{9900}}), "2h11m (1h50m-2h45m)");
  EXPECT_EQ(in_words({.expected = seconds{7200}}), "2 h");
  EXPECT_EQ(in_short({.expected = seconds{45}, .earliest = seconds{45}, .latest = seconds{45}}), "45s");
  EXPECT_EQ(short_length(seconds{3 * 86400 + 4 * 3600}), "3d04h");
}

TEST(ClientForecast, ACampaignThatRuns_ShowsItsEndWithTheInterval_AndWhatItRestsOn) {
  const auto answer = answer_of("", times("end", 422, 450, 490), R"("throughput")");
  const auto view = gridstat::campaign_view(answer, answer, gridstat::Detail::some, setting(80));
  EXPECT_THAT(
      view, AllOf(HasSubstr("in 7 min 30 s (7 min 2 s to 8 min 10 s)"), HasSubstr("the jobs that ended lately"), Not(HasSubstr("Start:"))));
  const auto progress = gridstat::progress_view(answer, answer, setting(80));
  EXPECT_THAT(progress, HasSubstr("ends in 7 min 30 s"));
  expect_within(progress, 80);
}

TEST(ClientForecast, ACampaignThatHasNotStarted_ShowsItsStartToo) {
  const auto answer = answer_of(times("start", 1800, 2400, 3000), times("end", 15'600, 18'120, 22'200), R"("history")");
  const auto view = gridstat::campaign_view(answer, answer, gridstat::Detail::some, setting(80));
  EXPECT_THAT(view, AllOf(HasSubstr("in 40 min (30 min to 50 min)"), HasSubstr("in 5 h 2 min (4 h 20 min to 6 h 10 min)"),
                          HasSubstr("earlier campaigns")));
  expect_within(gridstat::progress_view(answer, answer, setting(80)), 80);
}

TEST(ClientForecast, OfTheWalltimeAlone_IsABound_AndNeitherAPointNorAnInterval) {
  const auto answer = answer_of("", times("end", 60, 2940, 3420), R"("walltime")");
  const auto view = gridstat::campaign_view(answer, answer, gridstat::Detail::some, setting(80));
  EXPECT_THAT(view, AllOf(HasSubstr("in at most 57 min\n"), HasSubstr(" at the latest\n"), Not(HasSubstr("49 min"))));
  EXPECT_THAT(gridstat::progress_view(answer, answer, setting(80)), HasSubstr("ends in at most 57 min"));
  const std::vector<Json> campaigns{answer};
  for (const auto width : {std::size_t{80}, std::size_t{160}})
    EXPECT_THAT(terminal::render_human(gridstat::summary(campaigns, setting(width)), setting(width).screen),
                AllOf(HasSubstr(" by 57m"), Not(HasSubstr("49m"))));
  EXPECT_EQ(in_words({.expected = seconds{60}, .meaning = Forecast::Meaning::upper_bound}), "at most 1 min");
}

TEST(ClientForecast, ACampaignThatNothingIsSentFor_ShowsWhyItHasNoEnd) {
  const std::vector<std::pair<std::string, std::string>> reasons{
      {"paused", "paused: no forecast until it is resumed"},
      {"braked", "braked: no forecast until its brakes are over"},
      {"closed", "none of its clusters takes tasks: no forecast until one does"},
      {"no_resources", "its clusters have no live resources: no forecast until one has"},
      {"epilogue", "its epilogue is left: no forecast of its end"},
      {"standstill", "the grid stands still: no forecast until a cycle ends"}};
  for (const auto& [method, sentence] : reasons) {
    const auto answer = answer_of("", "", '"' + method + '"');
    EXPECT_THAT(gridstat::campaign_view(answer, answer, gridstat::Detail::some, setting(120)),
                AllOf(HasSubstr("End:                    " + sentence + "\n"), Not(HasSubstr("Forecast from")), Not(HasSubstr("End at"))));
    EXPECT_THAT(gridstat::progress_view(answer, answer, setting(200)), HasSubstr("jobs/hour; " + sentence));
    const std::vector<Json> campaigns{answer, answer_of("", times("end", 422, 450, 490), R"("average")")};
    EXPECT_THAT(terminal::render_human(gridstat::summary(campaigns, setting(80)), setting(80).screen), HasSubstr(method));
  }
}

/// A row that is wider than the terminal goes on in the next line, and nothing stands below its title any more.
TEST(ClientForecast, TheList_OnANarrowTerminal_LeavesOutWhatOtherColumnsShow) {
  const std::vector<Json> campaigns{answer_of("", times("end", 6605, 7842, 9900), R"("average")")};
  const auto list = terminal::render_human(gridstat::summary(campaigns, setting(60)), setting(60).screen);
  expect_within(list, 60);
  EXPECT_THAT(list, AllOf(HasSubstr("Ends in"), Not(HasSubstr("Finished")), Not(HasSubstr("User"))));
}

TEST(ClientForecast, TheList_HasTheIntervalAlone_WhereThereIsNoRoomForMore) {
  const std::vector<Json> campaigns{answer_of("", times("end", 6605, 7842, 9900), R"("average")")};
  const auto narrow = render_human(gridstat::summary(campaigns, setting(80)), setting(80).screen);
  EXPECT_THAT(narrow, AllOf(HasSubstr("Ends in"), HasSubstr("1h50m-2h45m"), Not(HasSubstr("2h11m"))));
  expect_within(narrow, 80);
  EXPECT_THAT(terminal::render_human(gridstat::summary(campaigns, setting(160)), setting(160).screen), HasSubstr("2h11m (1h50m-2h45m)"));
  const std::vector<Json> unknown{answer_of("", "", "null")};
  EXPECT_THAT(terminal::render_human(gridstat::summary(unknown, setting(80)), setting(80).screen), Not(HasSubstr("Ends in")));
}

TEST(ClientWhy, OfACampaignThatIsOver_IsThat_WhateverWasDecidedLast) {
  auto text = clients::dump(answer_of("", "", "null"), clients::Layout::one_line);
  text.replace(text.find("in_treatment"), 12, "terminated");
  const auto decision = Json::parse(R"({"cluster_name": "alpha", "since": "1970-01-01T00:00:01Z", "sentence": "alpha is full"})").value();
  const auto view = gridstat::why_view(Json::parse(text).value(), {decision}, {}, setting(80));
  EXPECT_THAT(view, AllOf(HasSubstr("It is over"), Not(HasSubstr("full"))));
}

/// Its cluster may be away, or have no token of its user: then "nothing waits" is wrong, and cores are held.
TEST(ClientWhy, OfACampaignThatIsOver_NamesTheJobsThatLiveStill) {
  const auto campaign = [](const std::string& clusters) {
    return Json::parse(fmt::format(R"({{"id": 6, "state": "cancelled", "tasks": {{"running": 2}}, "clusters": {{{}}}}})", clusters))
        .value();
  };
  const auto view = [&](const std::string& clusters) { return gridstat::why_view(campaign(clusters), {}, {}, setting(300)); };
  const std::string alpha = R"("1": {"cluster_name": "alpha", "active_jobs": 0, "queued_jobs": 0})";
  EXPECT_THAT(view(alpha), HasSubstr("It is over: nothing of it waits for anything."));
  EXPECT_THAT(view(alpha + R"(, "3": {"cluster_name": "omega", "active_jobs": 2, "queued_jobs": 1})"),
              AllOf(HasSubstr("It is over, but 3 jobs of it live still (3 on omega)"), HasSubstr("gridtoken")));
}

TEST(ClientWhy, OfACampaignThatCannotEnd_OrWhosePlannerFails_BeginsWithThat) {
  const auto decision = Json::parse(R"({"cluster_name": "alpha", "since": "1970-01-01T00:00:01Z", "sentence": "alpha is full"})").value();
  auto campaign = answer_of("", "", R"("stale")");
  campaign.add("cannot_end", Json::parse(R"("alpha is disabled; 'griddel 12' cancels it")").value());
  campaign.add("old_since", Json::parse('"' + tests::utc(kNow - 1200) + '"').value());
  campaign.add("forecast_time", Json::parse('"' + tests::utc(kNow - 1200) + '"').value());
  EXPECT_THAT(gridstat::why_view(campaign, {decision}, {}, setting(300)),
              AllOf(HasSubstr("It cannot end unless somebody acts: alpha is disabled"),
                    HasSubstr("(20 min ago): what follows is from then. 'gridctl check' shows why")));
  EXPECT_THAT(gridstat::campaign_view(campaign, campaign, gridstat::Detail::some, setting(120)),
              HasSubstr("planner or predictor fails: no forecast until both work (since "));
}

TEST(GroupingAdvice, StatesInFiguresWhatPoolsWouldGain_WithinTheScreen) {
  const auto stats = [](const std::string& gain) {
    return Json::parse(fmt::format(R"({{"jobs_throughput": 2, "forecast_method": "average", "forecast_end": "{}", "grouping_gain": {}}})",
                                   tests::utc(kNow + 240), gain))
        .value();
  };
  const auto campaign = answer_of("", times("end", 200, 240, 300), "\"average\"");
  const auto gained = stats(R"({"task_seconds": 1.0, "job_seconds": 8.04, "end_seconds": 240, "grouped_end_seconds": 40.2})");
  const auto view = gridstat::campaign_view(campaign, gained, gridstat::Detail::some, setting(120));
  EXPECT_THAT(view, HasSubstr("\ntasks take 1 s, their jobs 8 s: temporal_grouping would end this campaign in 40 s instead of 4 min\n"));
  const auto narrow = gridstat::campaign_view(campaign, gained, gridstat::Detail::some, setting(80));
  EXPECT_THAT(narrow,
              HasSubstr("\ntasks take 1 s, their jobs 8 s: temporal_grouping would end this campaign in\n  40 s instead of 4 min\n"));
  expect_within(narrow, 80);
  const auto none = gridstat::campaign_view(campaign, stats("null"), gridstat::Detail::some, setting(80));
  EXPECT_THAT(none, Not(HasSubstr("temporal_grouping")));
}

TEST(Efficiency, OfAnEndedCampaign_IsOfTheWalltimeAsked_AndOfTheCoresHeld) {
  const auto view = [](const std::string& efficiency) {
    const auto stats = Json::parse(fmt::format(R"({{"efficiency": {}}})", efficiency)).value();
    return gridstat::campaign_view(Json::parse(R"({"id": 3, "state": "terminated"})").value(), stats, gridstat::Detail::some, setting(120));
  };
  const auto both =
      view(R"({"walltime_asked": 7200, "walltime_used": 900, "resource_seconds_held": 45000, "resource_seconds_used": 43200})");
  EXPECT_THAT(both, HasSubstr("Efficiency:\n        Walltime used:          12% of what was asked for the done tasks\n"
                              "        Cores used:             96% of 12.50 core-hours held went into done tasks\n"));
  EXPECT_THAT(view("null"), Not(HasSubstr("Efficiency")));
  const auto none = view(R"({"walltime_asked": null, "walltime_used": 900, "resource_seconds_held": null, "resource_seconds_used": 1})");
  EXPECT_THAT(none, Not(HasSubstr("Efficiency")));
}

TEST(GridstatList, EndedCampaignOfWhichNothingIsDone_DoesNotLookLikeOneThatSucceeded) {
  const auto ended = [](int done, int failed) {
    return clients::Json::parse(fmt::format(R"({{"id": 3, "name": "n", "user": "ada", "state": "terminated", "total_tasks": 2,)"
                                            R"( "has_events": {}, "tasks": {{"done": {}, "failed": {}}}}})",
                                            failed > 0, done, failed))
        .value();
  };
  auto coloured = setting(120);
  coloured.screen.has_colour = true;
  const std::vector<clients::Json> campaigns{ended(0, 2), ended(2, 0)};
  const auto table = gridstat::summary(campaigns, coloured);
  const auto view = terminal::render_human(table, coloured.screen);
  EXPECT_THAT(view, AllOf(HasSubstr("\x1b[31mterminated"), HasSubstr("\x1b[32mterminated"), HasSubstr("2 e")));
  EXPECT_THAT(gridstat::campaign_view(campaigns[0], {}, gridstat::Detail::some, setting(80)), HasSubstr("terminated: 2 of 2 tasks failed"));
  EXPECT_THAT(gridstat::campaign_view(campaigns[1], {}, gridstat::Detail::some, setting(80)), Not(HasSubstr("failed")));
}

TEST(WhyRatio, StatesWhatTheLastChangeWasBasedOn_OnEachCluster) {
  const auto campaign = Json::parse(R"({"id": 12, "clusters": {
    "1": {"cluster_name": "alpha", "job_ratio": 0.5, "ratio_change": {"time": "2025-10-09T09:00:00Z", "job_ratio_before": 1,
      "predictor_algorithm": "measured", "verdict": "too_big", "submitted_jobs": 16, "offered_resources": 16, "waiting_jobs": 8, "free_resources": 0}},
    "2": {"cluster_name": "beta", "job_ratio": 1, "ratio_change": null},
    "3": {"cluster_name": "gamma", "job_ratio": null, "ratio_change": null},
    "4": {"cluster_name": "delta", "job_ratio": 1.5, "ratio_change": {"time": "2025-10-09T09:00:00Z", "job_ratio_before": 1,
      "predictor_algorithm": "slow_start", "verdict": "right", "submitted_jobs": 1, "offered_resources": 4, "waiting_jobs": 0, "free_resources": 3}}}})");
  ASSERT_TRUE(campaign);
  const auto view = gridstat::ratio_view(*campaign, setting(1000));
  EXPECT_THAT(view, HasSubstr("alpha: 0.500 since "));
  EXPECT_THAT(
      view,
      HasSubstr(
          ", before 1.000. Of the 16 jobs that were sent for 16 free resources, 8 waited then, and 0 resources were free: too many (measured)"));
  EXPECT_THAT(view, HasSubstr("beta: 1.000, as its request has it: nothing has shown yet that this is wrong"));
  EXPECT_THAT(view, HasSubstr("gamma: no job was sent there yet"));
  EXPECT_THAT(view, HasSubstr("no cause to change it, but the algorithm slow_start has learnt another one"));
  std::istringstream narrow{gridstat::ratio_view(*campaign, setting(80))};
  for (std::string line; std::getline(narrow, line);) EXPECT_LE(line.size(), 80U) << line;
}

}  // namespace
}  // namespace gleaner::clients
