#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <stack>

#include "clients/gridstat/report/charts.hpp"
#include "clients/gridstat/report/page.hpp"
#include "tests/unit/utc_text.hpp"

/// The report of a campaign (gridstat --report).
namespace gleaner::gridstat::report {
namespace {

using clients::Json;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::int64_t kStart = 1'760'000'400;

Json parsed(const std::string& text) { return Json::parse(text).value(); }

std::string time_or_null(std::optional<std::int64_t> after) {
  return after ? fmt::format("\"{}\"", tests::utc(kStart + *after)) : std::string{"null"};
}

struct Task {
  std::int64_t id = 0;
  std::string state = "done";
  std::string cluster = "alpha";
  std::string ending = "done";
  int status = 0;
  std::int64_t sent = 0;
  std::optional<std::int64_t> start = 10;  ///< seconds after the submission
  std::optional<std::int64_t> stop = 20;
  int attempt = 0;
};
Json json_of(const Task& task) {
  return parsed(fmt::format(
      R"({{"id": {}, "state": "{}", "cluster_name": "{}", "ending": "{}", "exit_code": {}, "attempt": {}, "resources_used": 2,
           "submission_time": {}, "start_time": {}, "stop_time": {}}})",
      task.id, task.state, task.cluster, task.ending, task.status, task.attempt, time_or_null(task.sent), time_or_null(task.start),
      time_or_null(task.stop)));
}

Figures figures_of(const std::vector<Task>& tasks) {
  Figures figures;
  for (const auto& task : tasks) figures.add(json_of(task));
  figures.finish();
  return figures;
}

Report report_of(const std::vector<Task>& tasks, const std::string& name = "sweep", std::optional<std::int64_t> end = 1000) {
  const auto count = [&](const std::string& state) { return std::ranges::count(tasks, state, &Task::state); };
  Report report;
  report.campaign = parsed(fmt::format(
      R"({{"id": 12, "name": "{}", "user": "u01", "state": "{}", "submission_time": {}, "first_start_time": {}, "end_time": {},
           "total_tasks": {}, "tasks": {{"done": {}, "failed": {}, "running": {}}}}})",
      name, end ? "terminated" : "in_treatment", time_or_null(0), time_or_null(10), time_or_null(end), tasks.size(), count("done"),
      count("failed"), count("running")));
  report.figures = figures_of(tasks);
  return report;
}

std::string page(const Report& report, std::int64_t after = 2000) { return page_of(report, grid::from_unix(kStart + after)); }

/// Whether each element of the page is closed where it must be.
bool is_balanced(const std::string& html) {
  constexpr std::array<std::string_view, 2> kAlone{"meta", "!DOCTYPE"};
  std::stack<std::string> open;
  for (auto at = html.find('<'); at != std::string::npos; at = html.find('<', at + 1)) {
    const auto end = html.find('>', at);
    if (end == std::string::npos) return false;
    auto name = html.substr(at + 1, html.find_first_of(" >/", at + 2) - at - 1);
    if (name.starts_with('/')) {
      if (open.empty() || open.top() != name.substr(1)) return false;
      open.pop();
    } else if (html[end - 1] != '/' && std::ranges::find(kAlone, name) == kAlone.end()) {
      open.push(name);
    }
  }
  return open.empty();
}

TEST(ReportOfACampaign, NamesItsTasksByState_AndItsTimes) {
  const auto html = page(report_of({{.id = 0}, {.id = 1, .state = "failed", .ending = "task_error", .status = 3}, {.id = 2}}));
  EXPECT_THAT(html, AllOf(HasSubstr("<h1>Campaign 12 sweep</h1>"), HasSubstr("2 done"), HasSubstr("1 failed"),
                          HasSubstr("first task started 10 s later, over 16 min 40 s after the submission")));
  EXPECT_TRUE(is_balanced(html));
}

TEST(ReportOfACampaign, GroupsFailuresByCause_TheMostFrequentFirst_EachWithACommandThatShowsMore) {
  auto report = report_of({{.id = 3, .state = "failed", .ending = "task_error", .status = 137}});
  const auto group = [](int tasks, const char* ending, const char* code, const char* cluster, const char* line, const char* first) {
    return fmt::format(
        R"({{"id": 1, "tasks": {}, "ending": "{}", "exit_code": {}, "cluster_name": "{}", "stderr_line": "{}", "first_tasks": [{}]}})",
        tasks, ending, code, cluster, line, first);
  };
  report.failures =
      parsed(fmt::format(R"({{"items": [{}, {}, {}]}})", group(7, "task_error", "3", "beta", "<no> mesh", "4, 5"),
                         group(1, "task_error", "137", "alpha", "", "3"), group(1, "node_failure", "null", "alpha", "", "6")));
  const auto html = page(report);
  const auto most = html.find(
      "<td class=\"number\">7</td><td>exit status 3</td><td>beta</td><td>&lt;no&gt; mesh</td><td>4, 5, …</td><td>gridstat 12 --task 4 -E</td>");
  const auto other = html.find("<td class=\"number\">1</td><td>exit status 137 (signal 9)</td><td>alpha</td><td></td><td>3</td>");
  EXPECT_NE(most, std::string::npos) << html;
  EXPECT_NE(other, std::string::npos);
  EXPECT_LT(most, other);
  EXPECT_THAT(html, HasSubstr("node failure"));
}

TEST(ReportOfACampaign, ShowsWhatUsersWroteAsText_AndAsksNobodyForAnything) {
  auto report = report_of({{.id = 0, .cluster = "<b>al&pha</b>"}}, R"(<script>alert('x')</script>\" onload=\"x)");
  report.events.push_back(
      parsed(R"({"date_open": "2026-11-20T18:14:56Z", "code": "TASK_ERROR", "occurrences": 1, "message": "<img src=x>\u001b[31m"})"));
  const auto html = page(report);
  EXPECT_THAT(html, AllOf(Not(HasSubstr("<script")), Not(HasSubstr("<img")), Not(HasSubstr("<b>")), Not(HasSubstr("\x1b"))));
  EXPECT_THAT(html, AllOf(HasSubstr("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&quot; onload=&quot;x"), HasSubstr("al&amp;pha")));
  EXPECT_THAT(html, AllOf(Not(HasSubstr("http://")), Not(HasSubstr("https://")), Not(HasSubstr("url(")), Not(HasSubstr("@import")),
                          Not(HasSubstr("<link")), Not(HasSubstr("<a "))));
  EXPECT_THAT(html, HasSubstr("content=\"default-src 'none'; style-src 'unsafe-inline'\""));
  EXPECT_TRUE(is_balanced(html));
}

TEST(ReportOfACampaign, CountsForecastsThatHeldTheEndThatCame) {
  auto report = report_of({{.id = 0}}, "sweep", 1000);
  for (const auto& [made, earliest, latest] : {std::array{100, 700, 900}, std::array{200, 900, 1100}, std::array{300, 950, 1000}}) {
    report.forecasts.push_back(
        parsed(fmt::format(R"({{"forecast_time": {}, "forecast_end": {}, "forecast_end_earliest": {}, "forecast_end_latest": {}}})",
                           time_or_null(made), time_or_null((earliest + latest) / 2), time_or_null(earliest), time_or_null(latest))));
  }
  EXPECT_THAT(page(report), HasSubstr("2 of 3 forecasts held the end that came."));
}

TEST(ReportOfACampaign, ThatIsNotOver_ShowsWhyItWaits_AndOneThatIsDoesNot) {
  const auto decision =
      parsed(fmt::format(R"({{"cluster_name": "alpha", "sentence": "its resources are in use", "since": {}}})", time_or_null(1400)));
  auto live = report_of({{.id = 0, .state = "running", .ending = "", .stop = {}}}, "sweep", std::nullopt);
  live.decisions = {decision};
  EXPECT_THAT(page(live), AllOf(HasSubstr("its resources are in use"), HasSubstr("10 min"), HasSubstr("1 running")));
  auto over = report_of({{.id = 0}});
  over.decisions = {decision};
  EXPECT_THAT(page(over), Not(HasSubstr("its resources are in use")));
}

TEST(ReportOfACampaign, ShowsForHowLongItHadWhichReason_AfterItsEndToo) {
  auto report = report_of({{.id = 0}});
  EXPECT_THAT(page(report), Not(HasSubstr("Reasons over time")));
  report.reasons.push_back(parsed(fmt::format(
      R"j({{"cluster_name": "alpha", "from": {}, "seconds": 1000.0, "undecided_seconds": 90.0,
            "shares": [{{"words": "full", "seconds": 610.0}}, {{"words": "limit 7 (group <b>)", "seconds": 300.0}}]}})j",
      time_or_null(0))));
  EXPECT_THAT(page(report), AllOf(HasSubstr("Reasons over time"), HasSubstr("16 min 40 s"),
                                  HasSubstr("61 % full, 30 % limit 7 (group &lt;b&gt;), 9 % nothing decided on it")));
  EXPECT_TRUE(is_balanced(page(report)));
}

TEST(ReportOfACampaign, WithoutTasksThatStarted_IsWholeAllTheSame) {
  auto report = report_of({}, "none", std::nullopt);
  EXPECT_TRUE(is_balanced(page(report)));
  report = report_of({{.id = 0, .state = "waiting", .ending = "", .start = {}, .stop = {}}}, "one", std::nullopt);
  EXPECT_TRUE(is_balanced(page(report)));
}

TEST(ReportFigures, SayHowLongTasksTookAndWaited_OnEachCluster) {
  const auto figures = figures_of({{.id = 0, .sent = 4, .start = 10, .stop = 20},
                                   {.id = 1, .sent = 0, .start = 10, .stop = 40, .attempt = 1},
                                   {.id = 2, .state = "failed", .cluster = "beta", .sent = 12, .start = 10, .stop = 3610}});
  ASSERT_EQ(figures.clusters().size(), 2);
  EXPECT_THAT(figures.clusters()[0].durations, ElementsAre(10, 30));
  EXPECT_THAT(figures.clusters()[0].waits, ElementsAre(6, 10));
  EXPECT_THAT(figures.clusters()[1].durations, ElementsAre()) << "a failed task shows no duration of a success";
  EXPECT_THAT(figures.clusters()[1].waits, ElementsAre(0)) << "clocks differ";
  EXPECT_EQ(figures.clusters()[1].resource_seconds, 7200);
  EXPECT_EQ(figures.repeated(), 1);
}

TEST(ReportFigures, DoNotCountResourcesThatAreNotKnownAsNone) {
  auto report = report_of({{.id = 0}});
  EXPECT_THAT(page(report), Not(HasSubstr("not known")));
  report.figures = {};
  report.figures.add(parsed(
      fmt::format(R"({{"id": 0, "state": "done", "cluster_name": "alpha", "resources_used": null, "start_time": {}, "stop_time": {}}})",
                  time_or_null(10), time_or_null(20))));
  report.figures.finish();
  EXPECT_THAT(page(report), HasSubstr("<td class=\"number\">not known</td>"));
}

TEST(ReportFigures, AQuantileIsTheLeastValueThatSoManyDoNotExceed) {
  const std::vector<std::int64_t> ten{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  EXPECT_EQ(quantile(ten, 0.5), 5);
  EXPECT_EQ(quantile(ten, 0.9), 9);
  EXPECT_EQ(quantile(ten, 1), 10);
  EXPECT_EQ(quantile(std::vector<std::int64_t>{7}, 0.1), 7);
}

std::vector<Task> any_tasks() {
  const auto count = *rc::gen::inRange<std::size_t>(0, 60);
  std::vector<Task> tasks;
  for (std::size_t i = 0; i < count; ++i) {
    Task task{.id = static_cast<std::int64_t>(i)};
    task.start = *rc::gen::inRange<std::int64_t>(-50, 1200);
    const auto kind = *rc::gen::inRange(0, 3);
    if (kind == 0) task.state = "failed";
    if (kind == 1) task.state = "running";
    task.stop = kind == 1 ? std::nullopt : std::optional{*task.start + *rc::gen::inRange<std::int64_t>(-5, 5000)};
    tasks.push_back(task);
  }
  return tasks;
}

RC_GTEST_PROP(ReportFigures, CurvesHaveAllTasksThatAreDone_AndAllTheTimeThatTasksRan, ()) {
  const auto tasks = any_tasks();
  const auto figures = figures_of(tasks);
  const Slices slices{kStart, kStart + 1000, *rc::gen::inRange<std::size_t>(1, 300)};
  const auto done = figures.done_by(slices);
  const auto running = figures.running_in(slices);
  RC_ASSERT(std::ranges::is_sorted(done));
  RC_ASSERT(done.back() == std::ranges::count(tasks, "done", &Task::state));
  double ran = 0;
  for (const auto& task : tasks) {
    const auto stop = std::min(std::max(task.stop.value_or(1000), *task.start), std::int64_t{1000});
    ran += static_cast<double>(std::max<std::int64_t>(0, stop - std::max<std::int64_t>(0, *task.start)));
  }
  const auto drawn = std::accumulate(running.begin(), running.end(), 0.0) * 1000 / static_cast<double>(slices.count);
  RC_ASSERT(std::abs(drawn - ran) < 1e-6 * (1 + ran));
  std::int64_t classed = 0;
  for (const auto& one : duration_classes(figures.clusters())) classed += one.tasks;
  RC_ASSERT(classed == done.back());
}

TEST(ReportCharts, PartsOfALineThatAreNotNone_AreSeen_HoweverSmall) {
  const std::vector<Part> parts{{"done", 1'000'000}, {"failed", 1}, {"waiting", 0}};
  const auto svg = divided_line("tasks", parts);
  EXPECT_THAT(svg, AllOf(HasSubstr("width=\"637.0\""), HasSubstr("width=\"3.0\""), Not(HasSubstr("waiting"))));
}

}  // namespace
}  // namespace gleaner::gridstat::report
