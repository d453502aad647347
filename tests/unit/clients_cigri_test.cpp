// CiGri's commands, as its users and scripts type them, against an API that answers as the test wants.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "clients/events_view.hpp"
#include "lib/process/child.hpp"
#include "lib/terminal/times.hpp"
#include "tests/unit/api_under_test.hpp"

namespace gleaner {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr auto kEvent =
    R"({{"id": {}, "class": "job", "code": "TASK_ERROR", "state": "open", "campaign_id": {}, "cluster_id": 1, "cluster_name": "alpha",)"
    R"( "job_id": 31, "occurrences": 3, "date_open": "2026-11-20T18:14:56Z", "date_update": "2026-11-20T18:22:10Z", "parent": null,)"
    R"( "message": "exit status 3\ncannot read mesh-7.dat"}})";
constexpr auto kClusters =
    R"({"items": [{"id": 1, "name": "alpha", "api_url": "https://alpha.example.org:6669/oarapi", "enabled": true, "reachable": true,)"
    R"( "retired_at": null, "max_resources": 16, "properties": "", "blacklisted": false, "under_stress": true, "brake": null, "last_error": null,)"
    R"( "stress": {"stress_factor": 0.9, "stress_max": 0.75, "job_limit": 6, "since": "2027-01-15T08:00:00Z", "reason": "much"},)"
    R"( "status": {"free": 4, "used": 10, "our_running": 6, "our_waiting": 1, "api_latency_ms": 12}},)"
    R"( {"id": 2, "name": "beta", "api_url": "http://beta/oarapi", "enabled": false, "reachable": null, "retired_at": null,)"
    R"( "max_resources": null, "blacklisted": true, "under_stress": false, "brake": null, "last_error": null,)"
    R"( "stress": {"stress_factor": null, "job_limit": null}, "status": null}], "total": 2})";
constexpr auto kCampaign =
    R"({"id": 12, "name": "a name of more than nineteen letters", "user": "bzizou", "submission_time": "2027-01-15T08:00:00Z", "state": "in_treatment",)"
    R"( "has_events": true, "total_tasks": 200, "type": "default", "tasks": {"waiting": 116, "running": 4, "done": 80},)"
    R"( "clusters": {"1": {"cluster_name": "alpha", "enabled": true, "reachable": true, "active_jobs": 2, "queued_jobs": 1, "done_jobs": 42,)"
    R"( "prologue": null, "epilogue": "done"}}})";

/// A campaign that has ended with a failed task.
std::string over(std::string_view id, bool has_events) {
  return fmt::format(
      R"({{"id": {}, "name": "n", "user": "bzizou", "submission_time": "2027-01-15T08:00:00Z", "state": "terminated", "has_events": {},)"
      R"( "total_tasks": 4, "type": "default", "tasks": {{"done": 3, "failed": 1}}, "clusters": {{}}}})",
      id, has_events);
}

std::string page_of(std::vector<std::string> items) {
  return fmt::format(R"({{"items": [{}], "total": {}}})", fmt::join(items, ","), items.size());
}

class CigriCommands : public testing::Test {
 protected:
  /// The program's output, both streams, and `status N` when it fails.
  std::string run(const std::string& line, const std::string& style = {}) {
    const char* folder = std::getenv("GLEANER_BIN_DIR");
    process::Command command{
        .arguments = {"/bin/bash", "-c",
                      fmt::format("PATH={}:$PATH; {} || echo status $?", folder != nullptr ? folder : "build/bin", line)},
        .environment = {{"GLEANER_API", api_.address()}, {"GLEANER_STYLE", style}, {"TZ", "UTC"}}};
    auto captured = process::capture(std::move(command), std::chrono::minutes{10});
    if (!captured) throw std::runtime_error{captured.error()};
    return captured->output;
  }
  /// The requests since the last call, `DELETE /v1/events/31`.
  std::vector<std::string> requests() {
    const std::lock_guard lock{mutex_};
    return std::exchange(requests_, {});
  }

 private:
  http::Response take(const http::Request& request) {
    {
      const std::lock_guard lock{mutex_};
      requests_.push_back(fmt::format("{} {}", request.method, request.target));
    }
    const auto is = [&](std::string_view method, std::string_view path) { return request.method == method && request.path == path; };
    if (is("GET", "/v1/clusters")) return tests::answer(200, kClusters);
    if (is("GET", "/v1/campaigns") && !request.parameter("ids")) return tests::answer(200, page_of({kCampaign}));
    if (is("GET", "/v1/campaigns/12")) return tests::answer(200, kCampaign);
    if (is("GET", "/v1/campaigns/12/stats"))
      return tests::answer(200, R"({"average_jobs_duration": 15.5, "stddev_jobs_duration": null, "jobs_throughput": 0.5,)"
                                R"( "remaining_time": 7200, "failures_rate": 0.025, "resubmit_rate": 0})");
    if (is("GET", "/v1/campaigns/12/tasks"))
      return tests::answer(200, R"({"items": [{"id": 7, "job_id": 31, "remote_id": null, "state": "running", "cluster_name": "alpha",)"
                                R"( "name": "p7", "parameters": "p7 x"}], "total": 1})");
    if (is("GET", "/v1/campaigns/12/tasks.ndjson"))
      return tests::answer(
          200,
          "{\"id\": 0, \"cluster_name\": \"alpha\", \"remote_id\": 1007}\n{\"id\": 1, \"cluster_name\": \"beta\", \"remote_id\": 88}\n"
          "{\"id\": 2, \"cluster_name\": null, \"remote_id\": null}\n{\"id\": 3, \"cluster_name\": \"alpha\", \"remote_id\": 1009}\n");
    if (is("GET", "/v1/events"))
      return tests::answer(200, request.parameter("mine") ? page_of({fmt::format(kEvent, 31, 12)}) : page_of({}));
    if (is("GET", "/v1/events/31")) return tests::answer(200, fmt::format(kEvent, 31, 12));
    if (is("GET", "/v1/campaigns/12/events")) return tests::answer(200, page_of({fmt::format(kEvent, 31, 12)}));
    if (is("GET", "/v1/campaigns/13/events")) return tests::answer(200, page_of({}));
    if (is("GET", "/v1/jobs/31"))
      return tests::answer(200, R"({"id": 31, "campaign_id": 12, "user": "bzizou", "task": 7, "parameters": "p7 x", "launch_id": 5,)"
                                R"( "state": "error", "exit_code": 3, "ending": null, "start_time": "2026-11-20T18:14:56Z"})");
    if (is("GET", "/v1/jobs/40")) return tests::answer(200, R"({"id": 40, "campaign_id": 12, "task": 7, "ending": "done"})");
    if (is("GET", "/v1/jobs/41")) return tests::answer(200, R"({"id": 41, "campaign_id": 12, "task": -2, "ending": null})");
    for (const auto* of : {"14", "15"}) {
      if (is("GET", fmt::format("/v1/campaigns/{}", of))) return tests::answer(200, over(of, std::string_view{of} == "14"));
      if (is("GET", fmt::format("/v1/campaigns/{}/stats", of))) return tests::answer(200, R"({"failures_rate": 0.25})");
    }
    if (is("GET", "/v1/campaigns") && request.parameter("ids")) return tests::answer(200, page_of({over("14", true), over("15", false)}));
    if (is("POST", "/v1/campaigns")) return tests::answer(201, R"({"id": 21, "total_tasks": 1})");
    if (is("POST", "/v1/campaigns/12/tasks")) return tests::answer(201, R"({"appended": {"first_task": 200, "tasks": 1}})");
    if (request.method == "POST" && request.path == "/v1/events")
      return tests::answer(201, R"({"id": 32, "message": "beta gets nothing"})");
    if (request.path == "/v1/campaigns/9") return tests::answer(409, R"({"message": "campaign 9 is cancelled already"})");
    if (request.method != "GET") return tests::answer(202, R"({"message": "it is done"})");
    return tests::answer(404, R"({"code": "no_such_campaign", "message": "there is no such thing"})");
  }

  std::mutex mutex_;
  std::vector<std::string> requests_;
  tests::ApiUnderTest api_{[this](const http::Request& request) { return take(request); }};
};

TEST_F(CigriCommands, GrideventsAlone_ListsTheOpenEventsOfAllMyCampaigns) {
  EXPECT_EQ(run("gridevents"),
            "31 TASK_ERROR of campaign 12 on alpha, 3 times, last 2026-11-20 18:22:10\n    exit status 3\n    cannot read mesh-7.dat\n");
  EXPECT_THAT(requests(), ElementsAre("GET /v1/events?mine=1&limit=1000&offset=0"));
  EXPECT_EQ(run("gridevents -a -q"), "31\n");
  EXPECT_THAT(requests(), ElementsAre("GET /v1/events?mine=1&all=1&limit=1000&offset=0"));
}

TEST_F(CigriCommands, Gridevents_WithoutAnEvent_PrintsTheLineThatScriptsCompare) {
  EXPECT_EQ(run("gridevents -c 13"), "No events!\n");
  EXPECT_EQ(run("gridevents --global"), "No events!\n");
  EXPECT_EQ(run("gridstat -c 13 -e"), "No events!\n");
  EXPECT_EQ(run("gridevents -g", "cigri"), "No events!\n");
}

TEST_F(CigriCommands, GrideventsFix_ClosesCampaignsOrEvents_AndGivesTheTasksBack) {
  EXPECT_EQ(run("gridevents -f 12"), "it is done\n");
  EXPECT_EQ(run("gridevents -f -r -c 12,13"), "it is done\nit is done\n");
  EXPECT_EQ(run("gridevents --fix --resub -e 31"), "it is done\n");
  EXPECT_THAT(requests(), ElementsAre("DELETE /v1/campaigns/12/events", "DELETE /v1/campaigns/12/events?resubmit=1",
                                      "DELETE /v1/campaigns/13/events?resubmit=1", "DELETE /v1/events/31?resubmit=1"));
  for (const auto* wrong : {"gridevents -r 12", "gridevents -f", "gridevents -f -g", "gridevents 12 -e 31", "gridevents -f -a 12"})
    EXPECT_THAT(run(wrong), HasSubstr("status 2\n")) << wrong;
  EXPECT_THAT(requests(), ElementsAre());
}

TEST_F(CigriCommands, BlacklistedCluster_IsOfTheGridOrOfCampaigns_WithAReasonAndAnEnd) {
  EXPECT_EQ(run("gridevents --blacklist-cluster beta --reason 'disk full'"), "beta gets nothing\n");
  EXPECT_THAT(requests(), ElementsAre("POST /v1/events?cluster=beta&reason=disk%20full"));
  EXPECT_EQ(run("gridevents -c 12,13 --blacklist-cluster 2 --reason x --for 1h -q"), "32\n32\n");
  EXPECT_THAT(requests(), ElementsAre(::testing::MatchesRegex("POST /v1/events\\?cluster=2&reason=x&expires=[-0-9:TZ]+&campaign=12"),
                                      ::testing::MatchesRegex("POST /v1/events\\?cluster=2&reason=x&expires=[-0-9:TZ]+&campaign=13")));
  EXPECT_EQ(run("gridevents --mark-job-event 31 --reason odd"), "beta gets nothing\n");
  EXPECT_THAT(requests(), ElementsAre("POST /v1/events?job=31&reason=odd"));
  for (const auto* wrong :
       {"gridevents --blacklist-cluster beta", "gridevents --for 1h", "gridevents --reason x", "gridevents --mark 31",
        "gridevents --blacklist-cluster beta --reason x --for soon", "gridevents -f --blacklist-cluster beta --reason x"})
    EXPECT_THAT(run(wrong), HasSubstr("status 2\n")) << wrong;
}

TEST_F(CigriCommands, Griddel_KillsJobsByTheirTasks) {
  EXPECT_EQ(run("griddel -j 31"), "Job 31, task 7: it is done\n");
  EXPECT_THAT(requests(), ElementsAre("GET /v1/jobs/31", "DELETE /v1/campaigns/12/tasks/7"));
  EXPECT_EQ(run("griddel -j 40,31"),
            "Job 31, task 7: it is done\ngriddel: job 40 is over; 'griddel 12 --task 7' cancels its task\nstatus 4\n");
  EXPECT_THAT(run("griddel --job 41"), HasSubstr("job 41 is a prologue or an epilogue of campaign 12"));
  EXPECT_THAT(run("griddel --job 31 12"), HasSubstr("status 2"));
  EXPECT_THAT(run("griddel --job 31 --pause"), HasSubstr("status 2"));
}

TEST_F(CigriCommands, Griddel_TakesCampaignsByAnOption_AndPurgesThem) {
  EXPECT_EQ(run("griddel --campaign_ids 12,13"), "it is done\nit is done\n");
  EXPECT_EQ(run("griddel --purge 12"), "it is done\n");
  EXPECT_THAT(requests(), ElementsAre("DELETE /v1/campaigns/12", "DELETE /v1/campaigns/13", "DELETE /v1/campaigns/12?purge=1"));
  EXPECT_THAT(run("griddel --purge --pause 12"), HasSubstr("exclude each other"));
}

TEST_F(CigriCommands, ADryRunOfAnAct_AsksOnlyWhatItWouldDo) {
  for (const auto* line :
       {"griddel --dry-run 12", "griddel --dry-run --pause 12", "griddel --dry-run 12 --task 7", "griddel --dry-run --resume 12 --task 7",
        "griddel --dry-run -j 31", "gridsub --hold 12 --dry-run", "gridsub --retry 12 --failure 3 --dry-run", "gridsub --fix 12 --dry-run"})
    EXPECT_THAT(run(line), HasSubstr("it is done")) << line;
  EXPECT_THAT(requests(),
              ElementsAre("DELETE /v1/campaigns/12?dry_run=1", "POST /v1/campaigns/12/hold?dry_run=1",
                          "DELETE /v1/campaigns/12/tasks?dry_run=1&tasks=7", "POST /v1/campaigns/12/resume?dry_run=1&tasks=7",
                          "GET /v1/jobs/31", "DELETE /v1/campaigns/12/tasks/7?dry_run=1", "POST /v1/campaigns/12/hold?dry_run=1",
                          "POST /v1/campaigns/12/retries?failure=3&dry_run=1", "DELETE /v1/campaigns/12/events?dry_run=1"));
  EXPECT_THAT(run("griddel --purge --dry-run 12"), HasSubstr("--purge and --dry-run exclude each other"));
  EXPECT_THAT(run("gridsub --retry 12 --dry-run walltime=2:0:0"), HasSubstr("gridsub --edit 12 --dry-run walltime=2:0:0"));
  EXPECT_THAT(run("griddel --dry-run 12", "cigri"), HasSubstr("it is done")) << "what it would do is never silent";
}

TEST_F(CigriCommands, Gridsub_RefusesWhatHasNoMeaningBesideAnAct_BeforeItActs) {
  for (const auto* line :
       {"gridsub --strict --hold 12", "gridsub --retry 12 --wait", "gridsub --fix 12 -n 3", "gridsub --edit 12 -J '[1]' name=u"})
    EXPECT_THAT(run(line), AllOf(HasSubstr("exclude each other"), HasSubstr("status 2"))) << line;
  EXPECT_THAT(run("gridsub < /dev/null"), HasSubstr("status 2\n")) << "nothing to submit";
  EXPECT_THAT(requests(), testing::IsEmpty());
}

TEST_F(CigriCommands, Gridstat_ShowsOneThingAtATime_AndDropsNoOption) {
  for (const auto* line :
       {"gridstat 12 --why --events", "gridstat 12 --jdl --history", "gridstat 12 --why --state done", "gridstat -j 31 --why 12"})
    EXPECT_THAT(run(line), AllOf(HasSubstr("exclude each other"), HasSubstr("status 2"))) << line;
  EXPECT_THAT(run("gridstat 12 --closed"), AllOf(HasSubstr("--closed goes with --events"), HasSubstr("status 2")));
  EXPECT_THAT(run("gridstat 12 -j 31"), AllOf(HasSubstr("--job shows one job"), HasSubstr("status 2")));
  EXPECT_THAT(requests(), testing::IsEmpty());
}

TEST(EventsView, TimesOfTheGridAreLocal_AndThoseOfATasksStderrStay) {
  const auto event = clients::Json::parse(
      R"({"id": 1, "code": "TASK_ERROR", "state": "open", "message": "until 2027-01-15 10:00:00 UTC\n2027-01-15 10:00:00 UTC bind failed"})");
  const auto text = clients::events_text({event.value()}, clients::EventsOf::one_campaign, {}, grid::from_unix(1'800'000'000));
  EXPECT_THAT(text, AllOf(HasSubstr("2027-01-15 10:00:00 UTC bind failed"), testing::Not(HasSubstr("until 2027-01-15 10:00:00 UTC"))));
}

TEST_F(CigriCommands, Griddel_InCigrisStyle_IsSilentUnlessAsked) {
  EXPECT_EQ(run("griddel 12", "cigri"), "");
  EXPECT_EQ(run("griddel -v 12", "cigri"), "it is done\n");
  EXPECT_EQ(run("gridevents -f 12", "cigri"), "");
}

TEST_F(CigriCommands, Griddel_InCigrisStyle_ReportsFailuresInItsWords) {
  EXPECT_EQ(run("griddel 9", "cigri"), "griddel: Failed to cancel campaign 9: campaign 9 is cancelled already.\nstatus 4\n");
}

TEST_F(CigriCommands, Gridclusters_PrintsCigrisLines_Bars_AndAllFields) {
  const std::string alpha = "1: alpha , alpha.example.org (stress:0.9, UNDER_STRESS)\n";
  const std::string beta = "2: beta , beta (stress:unknown, BLACKLISTED)\n";
  EXPECT_EQ(run("gridclusters -i"), alpha + beta);
  const auto bars = run("gridclusters -b");
  EXPECT_THAT(bars, AllOf(StartsWith(alpha + "[@@@"), HasSubstr("@#"), HasSubstr("#."), HasSubstr(".xxx"), HasSubstr("x]\n"),
                          HasSubstr(beta + "Data temporarily unavailable\n"), HasSubstr("@ used by the grid")));
  EXPECT_EQ(std::ranges::count(bars.substr(0, bars.find(beta)), '@'), 29) << "6 of 16 of 78 columns";
  EXPECT_THAT(run("gridclusters -I"),
              AllOf(StartsWith("alpha:\n    id: 1\n"), HasSubstr("    stress.stress_factor: 0.9\n"), HasSubstr("beta:\n")));
  EXPECT_EQ(run("gridclusters", "cigri"), "1: alpha\n2: beta\n");
  EXPECT_THAT(run("gridclusters -u", "cigri"),
              AllOf(HasSubstr("    used_by_cigri: 6\n    unavailable_resources: 2\n"), HasSubstr("    Data temporarily unavailable\n")));
  const std::string cigris_alpha = "1: alpha , alpha.example.org (stress:0.9/0.75, UNDER_STRESS)\n";
  const std::string cigris_beta = "2: beta , beta (stress:0/0.8, BLACKLISTED)\n";
  EXPECT_EQ(run("gridclusters -i", "cigri"), cigris_alpha + cigris_beta);
  EXPECT_EQ(run("gridclusters -u", "cigri"),
            cigris_alpha + "    max_resources: 16\n    used_resources: 10\n    used_by_cigri: 6\n    unavailable_resources: 2\n" +
                cigris_beta + "    Data temporarily unavailable\n");
  EXPECT_THAT(
      run("gridclusters --more_infos", "cigri"),
      AllOf(
          StartsWith("1: alpha\n    id: 1\n    name: alpha\n    api_url: https://alpha.example.org:6669/oarapi\n"),
          HasSubstr("    api_chunk_size: 100\n    api_limit: 100\n    ssh_host: alpha.example.org\n    batch: oar2_5\n"),
          HasSubstr(
              "    properties: \n    stress_factor: 0.9/0.75\n    enabled: true\n    blacklisted: false\n    under_stress: true\n2: beta\n")));
  EXPECT_THAT(run("gridclusters -b --json"), HasSubstr("status 2"));
}

TEST_F(CigriCommands, Gridclean_ListsTheFinishedJobsByCluster) {
  EXPECT_EQ(run("gridclean 12"), "alpha: 1007 1009\nbeta: 88\n");
  EXPECT_EQ(run("gridclean 12 -q"), "1007\n1009\n88\n");
  EXPECT_EQ(run("gridclean -v 12"), "gridclean: campaign 12: 3 jobs on 2 clusters\nalpha: 1007 1009\nbeta: 88\n");
}

TEST_F(CigriCommands, Gridstat_InCigrisStyle_PrintsItsTables) {
  EXPECT_EQ(run("gridstat", "cigri"),
            "Campaign id Name                User             Submission time     S  Progress\n"
            "----------- ------------------- ---------------- ------------------- -- --------\n"
            "12          a name of more than bzizou           2027-01-15 08-00-00 Re 80/200 (40%)\n");
  EXPECT_EQ(run("gridstat -c 12 -f", "cigri"),
            "Campaign: 12\n  Name: a name of more than nineteen letters\n  User: bzizou\n  Date: 2027-01-15 08-00-00\n"
            "  State: in_treatment (events)\n  Progress: 80/200 (40%)\n  Stats: \n    average_jobs_duration: 15.5\n"
            "    stddev_jobs_duration: \n    jobs_throughput: 1800.0 jobs/h\n    remaining_time: 2.0 hours\n    failures_rate: 2.5 %\n"
            "    resubmit_rate: 0 %\n  Clusters: \n    alpha:\n      active_jobs: 2\n      queued_jobs: 1\n      prologue_ok: true\n"
            "      epilogue_ok: true\n\n Jobs:\n  7: 31,*,running,alpha,p7,p7 x\n");
  EXPECT_THAT(run("gridstat -c 12"), HasSubstr("        State:                  in_treatment\n"));
}

TEST_F(CigriCommands, Gridstat_InCigrisStyle_ShowsAJobInItsNamesAndWords_AndDataInOurs) {
  const auto time = "start_time: " + terminal::local_time(1'795'198'496) + "\n";
  EXPECT_EQ(run("gridstat -j 31", "cigri"),
            "id: 31\nparam: p7 x\ngrid_user: bzizou\ncampaign_id: 12\nparam_id: 7\nbatch_id: 5\ncluster_id: \ncollect_id: \nstate: event\n"
            "return_code: 768\nsubmission_time: \nstart_time: 2026-11-20 18:14:56+00\nstop_time: \nnode_name: \nresources_used: \n"
            "remote_id: \ntag: \nrunner_options: {}\nnodb: \ncluster_name: \n");
  EXPECT_EQ(run("gridstat -j 31"),
            "id: 31\ncampaign_id: 12\nuser: bzizou\ntask: 7\nparameters: p7 x\nlaunch_id: 5\nstate: error\nexit_code: 3\n" + time);
  EXPECT_EQ(run("gridstat -j 31 --json", "cigri"), run("gridstat -j 31 --json"));
}

TEST_F(CigriCommands, Events_InCigrisStyle_AreBetweenRules) {
  const std::string rule(78, '-');
  EXPECT_EQ(
      run("gridevents -c 12", "cigri"),
      rule + "\n31: (open) EXIT_ERROR of job 31 at 2026-11-20 18:14:56+00 on alpha\nexit status 3\ncannot read mesh-7.dat\n" + rule + "\n");
}

TEST_F(CigriCommands, Gridstat_InCigrisStyle_ShowsInTreatmentOfACampaignWhoseFailuresWaitForAPerson) {
  EXPECT_THAT(run("gridstat -c 14", "cigri"), HasSubstr("\n  State: in_treatment (events)\n"));
  EXPECT_THAT(run("gridstat -c 15", "cigri"), HasSubstr("\n  State: terminated \n")) << "its events are closed";
  EXPECT_THAT(run("gridstat -c 14,15", "cigri"), AllOf(HasSubstr(" Re 3/4 (75%)\n"), HasSubstr(" T  3/4 (75%)\n")));
  EXPECT_THAT(run("gridstat -c 14"), HasSubstr("State:                  terminated"));
}

TEST_F(CigriCommands, Gridsub_InCigrisStyle_AnnouncesOnStdout_AndPrintsTheNumberWithItsDetailsToo) {
  const std::string jdl = R"( -j '{"name": "n", "nb_jobs": 1, "clusters": {"alpha": {"exec_file": "run"}}}')";
  const std::string first = "Campaign successfully submitted\n";
  const std::string document = R"({"id": 21, "total_tasks": 1})";
  EXPECT_EQ(run("gridsub" + jdl + " 2>&-", "cigri"), first + "CAMPAIGN_ID=21\n");
  EXPECT_EQ(run("gridsub -d" + jdl + " 2>&-", "cigri"), first + document + "\nCAMPAIGN_ID=21\n");
  EXPECT_EQ(run("gridsub -d" + jdl + " 2>&-"), document + "\n") << "programs read it";
  EXPECT_THAT(run("gridsub -d" + jdl + " 2>&1 >&-"), HasSubstr("CAMPAIGN_ID=21\n"));
  EXPECT_EQ(run("gridsub -c 12 -J '[\"1\"]' 2>&-", "cigri"), "Jobs successfully added to campaign 12\n");
}

TEST_F(CigriCommands, UnknownStyle_IsRefused) { EXPECT_THAT(run("gridstat", "cigre"), AllOf(HasSubstr("cigri"), HasSubstr("status 2"))); }

}  // namespace
}  // namespace gleaner
