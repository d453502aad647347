#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "clients/gridstat/followed_file.hpp"
#include "clients/gridstat/views.hpp"

namespace gleaner::gridstat {
namespace {

using ::testing::HasSubstr;

TEST(LastLines, AreThoseOfAText_WhetherItsLastOneIsEndedOrNot) {
  EXPECT_EQ(last_lines("a\nb\nc\n", 2), "b\nc\n");
  EXPECT_EQ(last_lines("a\nb\nc", 2), "b\nc");
  EXPECT_EQ(last_lines("a\nb\n", 5), "a\nb\n");
  EXPECT_EQ(last_lines("\n\n\n", 1), "\n");
  EXPECT_EQ(last_lines("", 3), "");
}

/// The output when these are read one after the other.
std::string printed(const std::vector<std::pair<std::string, bool>>& windows) {
  FollowedFile file;
  std::string all;
  for (const auto& [window, is_whole] : windows) {
    const auto news = file.read(window, is_whole);
    all += (news.lacks_lines ? "[…]" : "") + news.text;
  }
  return all;
}

TEST(FollowedFile, IsPrintedOnce_WhereverItIsCutInBetween) {
  EXPECT_EQ(printed({{"", true}, {"one\n", true}, {"one\ntw", true}, {"one\ntwo\n", true}}), "one\ntwo\n");
  EXPECT_EQ(printed({{"a\nb\nc\n", false}, {"b\nc\nd\n", false}, {"d\ne\nf\n", false}}), "a\nb\nc\nd\ne\nf\n");
  EXPECT_EQ(printed({{"a\nb\npart", false}, {"b\npartial\nx\n", false}}), "a\nb\npartial\nx\n");
  EXPECT_EQ(printed({{"a\na\na\n", true}, {"a\na\na\na\na\n", true}}), "a\na\na\na\na\n") << "the whole file is exact";
  EXPECT_EQ(printed({{"a\nb\n", false}, {"a\nb\n", false}}), "a\nb\n");
}

TEST(FollowedFile, ThatGrowsFasterThanItIsRead_ReportsThatLinesAreLeftOut) {
  EXPECT_EQ(printed({{"a\nb\n", false}, {"x\ny\n", false}}), "a\nb\n[…]x\ny\n");
}

TEST(FollowedFile, WhoseLastCharacterIsHalfWritten_WaitsForTheRestOfIt) {
  EXPECT_EQ(printed({{"caf\xEF\xBF\xBD", true}, {"caf\xC3\xA9\n", true}}), "caf\xC3\xA9\n");
}

TEST(TaskView, ShowsEveryAttempt_WithItsHostAndTheReasonOfItsEnd) {
  const auto task =
      clients::Json::parse(R"({"id": 7, "campaign_id": 12, "state": "failed", "cancelling": false, "parameters": "7 x", "jobs": [
    {"id": 31, "attempt": 0, "cluster_name": "alpha", "remote_id": 1007, "state": "error", "ending": "preempted", "exit_code": null,
     "start_time": "2027-01-15T08:00:00Z", "stop_time": "2027-01-15T08:00:10Z", "submission_time": "2027-01-15T07:59:50Z", "message": "preempted"},
    {"id": 40, "attempt": 1, "cluster_name": "beta", "remote_id": 88, "state": "terminated", "ending": "task_error", "exit_code": 3,
     "start_time": "2027-01-15T08:01:40Z", "stop_time": "2027-01-15T08:01:50Z", "submission_time": "2027-01-15T08:01:30Z", "message": "exit status 3", "hosts": ["beta-2"]}]})")
          .value();
  const Setting setting{{.width = 120}, terminal::Heading::shown, grid::from_unix(1'800'000'200)};
  const auto view = task_view(task, setting);
  EXPECT_THAT(view, HasSubstr("Task 7 of campaign 12: failed\n"));
  EXPECT_THAT(view, HasSubstr("preempted"));
  EXPECT_THAT(view, HasSubstr("beta-2"));
  EXPECT_THAT(view, HasSubstr("attempt 1, job 40: exit status 3\n"));
  EXPECT_EQ(attempts_table({task}, setting).rows.size(), 2U);
}

TEST(JobView, OfACluster_HasItsHostsAndItsEvents) {
  const auto job = clients::Json::parse(R"({"id": 1007, "state": "Error", "types": [], "hosts": ["alpha-1", "alpha-2"], "exit_code": null,
    "start_time": "2027-01-15T08:00:00Z", "events": [{"type": "WALLTIME", "description": "it took too long", "date": "2027-01-15T08:10:00Z"}]})")
                       .value();
  const auto view = remote_job_view(job);
  EXPECT_THAT(view, HasSubstr("id: 1007\nstate: Error\n"));
  EXPECT_THAT(view, HasSubstr("hosts: alpha-1 alpha-2\n"));
  EXPECT_THAT(view, ::testing::MatchesRegex("[^W]*event: WALLTIME at 20[0-9 :-]*: it took too long\n"));
}

}  // namespace
}  // namespace gleaner::gridstat
