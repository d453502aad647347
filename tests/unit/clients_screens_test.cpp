// The screens of the commands fit terminals of 60 and 80 columns. Names and numbers are long, but not absurd.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "clients/events_view.hpp"
#include "clients/gridclusters/views.hpp"
#include "clients/gridstat/views.hpp"
#include "lib/terminal/text.hpp"

namespace gleaner {
namespace {

using clients::Json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr auto kNow = 1'800'000'000;  // 2027-01-15 08:00:00 UTC

Json parsed(const std::string& text) {
  auto json = Json::parse(text);
  EXPECT_TRUE(json) << text;
  return json.value_or(Json{});
}

/// @param more  further members
Json a_campaign(int id, const std::string& user, const std::string& state, const std::string& more = {}) {
  return parsed(fmt::format(
      R"({{"id": {}, "name": "turbulence-over-a-wing", "user": "{}", "type": "default", "state": "{}", "has_events": true,)"
      R"( "submission_time": "2027-01-14T08:00:00Z", "first_start_time": "2027-01-14T08:05:00Z", "end_time": null, "total_tasks": 100000,)"
      R"( "tasks": {{"waiting": 45000, "launching": 100, "submitted": 200, "running": 1024, "done": 53176, "failed": 500, "cancelled": 0}},)"
      R"( "forecast_start": "2027-01-15T08:10:00Z", "forecast_start_earliest": "2027-01-15T08:05:00Z", "forecast_start_latest": "2027-01-15T09:10:00Z",)"
      R"( "forecast_end": "2027-01-17T10:10:00Z", "forecast_end_earliest": "2027-01-16T20:50:00Z",)"
      R"( "forecast_end_latest": "2027-01-18T06:45:00Z", "forecast_method": "throughput"{}}})",
      id, user, state, more));
}

Json a_cluster_campaign() {
  return a_campaign(
      1234, "bzizou", "in_treatment",
      R"(, "clusters": {"1": {"cluster_name": "grenoble-north", "enabled": true, "reachable": true, "active_jobs": 1024,)"
      R"( "queued_jobs": 300, "done_jobs": 53176, "jobs_throughput": 3.4567, "job_ratio": 0.125, "average_jobs_duration": 125,)"
      R"( "stddev_jobs_duration": 12.34, "resources": "/nodes=1/core=4", "prologue": "not_run", "epilogue": "done",)"
      R"( "brake": {"reason": "3 tasks in a row failed on it, with exit status 1", "expires": "2027-01-15T08:30:00Z"},)"
      R"( "walltime": 7200, "most_durations": {"share": 0.95, "jobs": 500, "seconds": 130},)"
      R"( "profile": {"cpu_jobs": 20, "cpu_seconds": 18.4, "command_seconds": 20, "memory_jobs": 20, "peak_memory_mb": 812,)"
      R"( "memory_mb": 4000, "cluster_states_memory": true}}},)"
      R"( "changes": [{"time": "2027-01-13T08:00:00Z", "user": "bzizou", "first_task": 100, "tasks": 99900, "edits":)"
      R"( [{"path": "clusters.grenoble-north.walltime", "before": "1:00:00", "after": "2:00:00"}]}])");
}

Json stats() {
  auto json =
      a_campaign(1234, "bzizou", "in_treatment",
                 R"(, "average_jobs_duration": 125, "stddev_jobs_duration": 12.34, "jobs_throughput": 3.4567, "elapsed_time": 86400,)"
                 R"( "failures_rate": 0.025, "resubmit_rate": 0.5, "grouping_gain": {"task_seconds": 1.5, "job_seconds": 12,)"
                 R"( "grouped_end_seconds": 4000, "end_seconds": 90000}, "efficiency": {"walltime_asked": 7200, "walltime_used": 130,)"
                 R"( "resource_seconds_held": 9999999, "resource_seconds_used": 8888888})");
  return json;
}

using View = std::function<std::string(const gridstat::Setting& setting)>;

struct Screens {
  std::string narrow, usual, pipe;
};

/// The view on three screens; lines that are too long are failures.
Screens shown(const View& view) {
  const auto on = [&](const terminal::Screen& screen) {
    return view({.screen = screen, .heading = terminal::Heading::shown, .now = grid::from_unix(kNow)});
  };
  Screens screens{on({.width = 60}), on({.width = 80}), on({.is_limited = false})};
  for (const auto& [text, width] : {std::pair{screens.narrow, 60U}, std::pair{screens.usual, 80U}}) {
    for (std::size_t begin = 0; begin < text.size();) {
      const auto end = std::min(text.find('\n', begin), text.size());
      const auto line = text.substr(begin, end - begin);
      EXPECT_LE(terminal::display_width(line), width) << line << "\nof\n" << text;
      begin = end + 1;
    }
  }
  return screens;
}

TEST(Screens, ListOfCampaigns_OfOneUser_AndOfSeveral) {
  for (const auto* user : {"bzizou", "emathi-the-second"}) {
    const std::vector<Json> campaigns{a_campaign(1234, "bzizou", "in_treatment"), a_campaign(1235, user, "paused")};
    const auto screens = shown(
        [&](const gridstat::Setting& setting) { return terminal::render_human(gridstat::summary(campaigns, setting), setting.screen); });
    EXPECT_THAT(screens.narrow, AllOf(HasSubstr("turb"), HasSubstr("Ends in"), HasSubstr("53%"), HasSubstr("500 e")));
    EXPECT_THAT(screens.pipe, AllOf(HasSubstr("turbulence-over-a-wing"), HasSubstr("Waiting"), HasSubstr("Finished"), HasSubstr("User")));
  }
}

TEST(Screens, Campaign_ItsReasons_AndItsProgress) {
  const auto campaign = a_cluster_campaign();
  const auto screens =
      shown([&](const gridstat::Setting& setting) { return campaign_view(campaign, stats(), gridstat::Detail::all, setting); });
  EXPECT_THAT(screens.narrow, AllOf(HasSubstr("greno"), HasSubstr("Active"), HasSubstr("Prologue"), Not(HasSubstr("Ratio"))));
  EXPECT_THAT(screens.pipe, AllOf(HasSubstr("grenoble-north  braked"), HasSubstr("Ratio"), HasSubstr("Stddev"),
                                  HasSubstr(" of 2777.78 core-hours held went into done tasks\n"), HasSubstr("kept 0.92 processors busy"),
                                  HasSubstr("memory_mb 4000 asked, 1000 would do for them\n")));
  const std::vector<Json> decisions{parsed(
      R"({"cluster_name": "grenoble-north", "stage": "match", "reason": "no_resources", "jobs": 0, "since": "2027-01-15T07:00:00Z",)"
      R"( "sentence": "waiting for resources: 1024 of 1024 are used, 300 jobs of this campaign wait there, until 2027-01-15 08:30:00 UTC"})")};
  shown([&](const gridstat::Setting& setting) { return why_view(campaign, decisions, {}, setting); });
  shown([&](const gridstat::Setting& setting) { return progress_view(campaign, stats(), setting); });
}

/// The lines on processors and memory, of a campaign whose cluster has this profile.
std::string profile_lines(const std::string& profile) {
  const auto campaign = a_campaign(1234, "bzizou", "in_treatment",
                                   fmt::format(R"(, "clusters": {{"1": {{"cluster_name": "alpha", "profile": {}}}}})", profile));
  const auto view = campaign_view(campaign, stats(), gridstat::Detail::some,
                                  {.screen = {.is_limited = false}, .heading = terminal::Heading::shown, .now = grid::from_unix(kNow)});
  const auto begin = view.find("alpha: ");
  return begin == std::string::npos ? "" : view.substr(begin);
}

TEST(CampaignView, AdvisesMemory_WhereTheOneAskedIsTooLittleOrFarTooMuch) {
  const auto memory = [](const char* jobs, const char* peak, const char* asked, const char* stated) {
    return profile_lines(fmt::format(R"({{"memory_jobs": {}, "peak_memory_mb": {}, "memory_mb": {}, "cluster_states_memory": {}}})", jobs,
                                     peak, asked, stated));
  };
  EXPECT_EQ(memory("20", "812", "4000", "true"),
            "alpha: 20 measured tasks took 812 MB of memory at most; memory_mb 4000 asked, 1000 would do for them\n");
  EXPECT_EQ(memory("20", "812", "500", "true"),
            "alpha: 20 measured tasks took 812 MB of memory at most; memory_mb 500 asked, 1000 would do for them\n");
  EXPECT_EQ(memory("20", "812", "1500", "true"), "alpha: 20 measured tasks took 812 MB of memory at most; memory_mb 1500 asked\n");
  EXPECT_EQ(memory("20", "812", "null", "true"),
            "alpha: 20 measured tasks took 812 MB of memory at most; memory_mb 1000 would keep them off smaller nodes\n");
  EXPECT_EQ(memory("20", "3", "null", "false"), "alpha: 20 measured tasks took 3 MB of memory at most\n");
  EXPECT_EQ(memory("4", "812", "4000", "true"), "");
  EXPECT_EQ(memory("20", "null", "4000", "true"), "");
}

TEST(CampaignView, Document003_StatesHowMuchMeasuredTasksReadAndWrite) {
  EXPECT_EQ(profile_lines(R"({"io_jobs": 20, "io_mb": 2480, "io_seconds": 200})"),
            "alpha: 20 measured tasks read and wrote 12 MB/s a task on average\n");
  EXPECT_EQ(profile_lines(R"({"io_jobs": 5, "io_mb": 0.5, "io_seconds": 10})"),
            "alpha: 5 measured tasks read and wrote 0.05 MB/s a task on average\n");
  EXPECT_EQ(profile_lines(R"({"io_jobs": 5, "io_mb": 0, "io_seconds": 10})"),
            "alpha: 5 measured tasks read and wrote 0 MB/s a task on average\n");
  EXPECT_EQ(profile_lines(R"({"io_jobs": 4, "io_mb": 10, "io_seconds": 10})"), "");
  EXPECT_EQ(profile_lines(R"({"io_jobs": 20, "io_mb": 10, "io_seconds": 0})"), "");
}

TEST(CampaignView, ShowsHowBusyMeasuredTasksKeepTheProcessors) {
  EXPECT_EQ(profile_lines(R"({"cpu_jobs": 20, "cpu_seconds": 74, "command_seconds": 20})"),
            "alpha: 20 measured tasks kept 3.7 processors busy on average\n");
  EXPECT_EQ(profile_lines(R"({"cpu_jobs": 20, "cpu_seconds": 0, "command_seconds": 0})"), "");
}

TEST(Screens, Tasks_TheirAttempts_AndForecasts) {
  const std::vector<Json> tasks{parsed(
      R"({"id": 53176, "state": "submitted", "cluster_name": "grenoble-north", "job_id": 1234567, "remote_id": 7654321, "attempt": 2,)"
      R"( "exit_code": 137, "ending": "killed_elsewhere", "parameters": "wing-53176 --mesh fine --steps 1000", "jobs":)"
      R"( [{"attempt": 1, "cluster_name": "grenoble-north", "id": 1234567, "remote_id": 7654321, "state": "terminated",)"
      R"( "start_time": "2027-01-10T08:00:00Z", "stop_time": "2027-01-10T09:00:00Z", "ending": "killed_elsewhere", "exit_code": 137,)"
      R"( "hosts": ["node-12.grenoble.example.org"], "cpu_seconds": 3512.25, "peak_memory_mb": 12345, "io_mb": 96.25, "message": "killed by somebody else on the cluster: oardel"}]})")};
  const auto screens = shown(
      [&](const gridstat::Setting& setting) { return terminal::render_human(gridstat::tasks_table(tasks, setting), setting.screen); });
  EXPECT_THAT(screens.narrow, AllOf(HasSubstr("submitted"), HasSubstr("137"), HasSubstr("wing-5")));
  EXPECT_THAT(screens.pipe, AllOf(HasSubstr("1234567  "), HasSubstr("7654321")));
  const auto attempts = shown(
      [&](const gridstat::Setting& setting) { return terminal::render_human(gridstat::attempts_table(tasks, setting), setting.screen); });
  EXPECT_THAT(attempts.narrow, AllOf(HasSubstr("grenoble-north"), HasSubstr("137"), HasSubstr("node-")));
  EXPECT_THAT(attempts.usual, AllOf(HasSubstr("grenoble-north"), HasSubstr("2027-01-10"), HasSubstr("node-")));
  EXPECT_THAT(attempts.pipe, AllOf(HasSubstr("7654321"), HasSubstr("node-12.grenoble.example.org")));
  const std::vector<Json> forecasts{parsed(
      R"({"forecast_time": "2027-01-10T08:00:00Z", "forecast_end": "2027-01-17T10:10:00Z", "forecast_end_earliest": "2027-01-16T20:50:00Z",)"
      R"( "forecast_end_latest": "2027-01-18T06:45:00Z", "forecast_method": "throughput"})")};
  shown([&](const gridstat::Setting& setting) { return history_view(a_cluster_campaign(), forecasts, setting); });
}

TEST(Screens, Events) {
  const std::vector<Json> events{parsed(
      R"({"id": 123456, "code": "EPILOGUE_FAILED", "state": "closed", "campaign_id": 1234, "cluster_name": "grenoble-north", "occurrences": 300,)"
      R"( "date_update": "2027-01-10T08:00:00Z", "message": "exit status 1; stderr ends in:\ncannot remove the directory: it is in use"})")};
  const auto screens = shown(
      [&](const gridstat::Setting& setting) { return clients::events_text(events, clients::EventsOf::grid, setting.screen, setting.now); });
  EXPECT_THAT(screens.pipe, HasSubstr("123456 EPILOGUE_FAILED of campaign 1234 on grenoble-north, 300 times, last 2027-01-10"));
}

TEST(Screens, Clusters_AndTheirUse) {
  const std::vector<Json> clusters{
      parsed(R"({"id": 12, "name": "grenoble-north", "enabled": true, "reachable": true, "retired_at": null, "max_resources": 10240,)"
             R"( "under_stress": true, "brake": null, "last_error": null, "stress": {"stress_factor": 0.875, "job_limit": 600,)"
             R"( "since": "2027-01-10T08:00:00Z", "reason": "its server answers slowly, and its stress factor is 0.875"},)"
             R"( "status": {"free": 1024, "used": 9216, "our_running": 5120, "our_waiting": 1200, "api_latency_ms": 1250}})"),
      parsed(R"({"id": 13, "name": "lyon", "enabled": true, "reachable": false, "unreachable_since": "2027-01-15T07:00:00Z",)"
             R"( "retired_at": null, "max_resources": 64, "under_stress": false, "brake": null, "stress": {"job_limit": null},)"
             R"( "last_error": "connection refused by https://lyon.example.org:6669/oarapi", "status": null})")};
  const auto screens = shown([&](const gridstat::Setting& setting) {
    return terminal::render_human(gridclusters::clusters_table(clusters, setting.now), setting.screen) +
           gridclusters::reasons(clusters, setting.screen, setting.now);
  });
  EXPECT_THAT(screens.narrow, AllOf(HasSubstr("Limit"), HasSubstr("Used"), Not(HasSubstr("Stress"))));
  EXPECT_THAT(screens.pipe, AllOf(HasSubstr("grenoble-north  under stress: 600 of our jobs"), HasSubstr("0.875"), HasSubstr("1250")));
  const auto use = shown([&](const gridstat::Setting& setting) {
    auto screen = setting.screen;
    screen.is_terminal = screen.is_limited;
    return gridclusters::usage_text(clusters, screen);
  });
  EXPECT_THAT(use.usual, HasSubstr("["));
}

TEST(Screens, ClustersWithoutLiveResources_AreNotOk_AndShowWhatIsOutOfUse) {
  const auto one = [](int id, const char* name, const char* rest) {
    return parsed(fmt::format(R"({{"id": {}, "name": "{}", "enabled": true, "reachable": true, "retired_at": null, "under_stress": false,)"
                              R"( "brake": null, "last_error": null, "stress": {{"job_limit": null}}, "kept_resources": 0, {},)"
                              R"( "status": {{"free": 0, "used": 0, "our_running": 0, "our_waiting": 0, "api_latency_ms": 12}}}})",
                              id, name, rest));
  };
  const std::vector<Json> clusters{
      one(1, "alpha",
          R"("max_resources": 0, "suspected_resources": 12, "dead_resources": 4, "no_resources_since": "2027-01-15T07:00:00Z")"),
      one(2, "beta", R"("max_resources": 10, "suspected_resources": 6, "no_resources_since": null)"),
      one(3, "gamma", R"("max_resources": 14, "absent_resources": 2, "no_resources_since": null)")};
  const auto screens = shown([&](const gridstat::Setting& setting) {
    return terminal::render_human(gridclusters::clusters_table(clusters, setting.now), setting.screen) +
           gridclusters::reasons(clusters, setting.screen, setting.now);
  });
  EXPECT_THAT(screens.pipe, testing::ContainsRegex("alpha +no live resources +0 +16 "));
  EXPECT_THAT(screens.pipe, testing::ContainsRegex("beta +6 suspected +10 +6 "));
  EXPECT_THAT(screens.pipe, testing::ContainsRegex("gamma +ok +14 +2 "));
  EXPECT_THAT(screens.pipe, AllOf(HasSubstr("alpha: no live resources since "), HasSubstr("(12 suspected, 4 dead); its")));
  EXPECT_THAT(screens.pipe, HasSubstr("beta: 6 of 16 resources are out of use (6 suspected)"));
  EXPECT_THAT(screens.usual, AllOf(HasSubstr("no live resources  "), HasSubstr("Out")));
  EXPECT_THAT(screens.narrow, HasSubstr("Out"));
  const auto use = shown([&](const gridstat::Setting& setting) { return gridclusters::usage_text(clusters, setting.screen); });
  EXPECT_THAT(use.pipe, HasSubstr("0 free, 16 out of use"));
  const auto bars = gridclusters::bars_text({clusters[0]}, {});
  EXPECT_THAT(bars, HasSubstr("[xxxx"));
}

TEST(Document003, SummaryByUser_HasALineEach_WithTheSumsOfTheirCampaigns) {
  const std::vector<Json> campaigns{a_campaign(1, "bea", "terminated"), a_campaign(2, "ada", "paused"),
                                    a_campaign(3, "bea", "in_treatment")};
  const auto text = terminal::render_human(gridstat::users_table(campaigns, {.screen = {}, .now = grid::from_unix(kNow)}), {});
  EXPECT_THAT(text, testing::MatchesRegex("User +Campaigns +Waiting +Running +Finished +ToFix +%\n-[- ]+\n"
                                          "ada +1 +45300 +1024 +53176 +500 e +53%\nbea +2 +90600 +2048 +106352 +1000 e +53%\n"));
}

TEST(Tree, HasEachCampaign_BelowTheFirstOfThoseThatItComesAfter) {
  const auto after = [](const std::string& ids) {
    std::string first;
    for (const auto id : ids) first += fmt::format(R"({}{{"campaign_id": {}, "kind": "after"}})", first.empty() ? "" : ",", id);
    return fmt::format(R"(, "dependencies": [{}])", first);
  };
  const std::vector<Json> campaigns{a_campaign(1, "ada", "terminated"), a_campaign(2, "ada", "paused", after("1")),
                                    a_campaign(3, "ada", "paused", after("9")), a_campaign(4, "ada", "paused", after("21")),
                                    a_campaign(5, "ada", "paused", after("12"))};
  std::string drawn;
  for (const auto& branch : gridstat::tree_of(campaigns)) drawn += branch.lead + std::to_string(branch.campaign["id"].integer()) + "\n";
  EXPECT_EQ(drawn, "1\n├─ 2\n│  └─ 4\n└─ 5\n3\n");
  const auto table = gridstat::tree_table(gridstat::tree_of(campaigns), {.screen = {}, .now = grid::from_unix(kNow)});
  EXPECT_EQ(table.rows.at(2).at(1).shown, "│  └─ turbulence-over-a-wing");
}

TEST(Clusters, OfAnAddressOfIpv6_AreOnIt) {
  EXPECT_EQ(
      gridclusters::infos_text({parsed(R"({"id": 1, "name": "alpha", "api_url": "http://[2001:db8::1]:6668/oarapi", "stress": {}})")}),
      "1: alpha , [2001:db8::1] (stress:unknown)\n");
}

}  // namespace
}  // namespace gleaner
