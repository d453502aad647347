// gridusage, against an API of the test's own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <mutex>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "clients/gridusage/gridusage.hpp"
#include "lib/process/child.hpp"
#include "tests/unit/api_under_test.hpp"

namespace gleaner {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string sum_json(const std::string& keys, double all, double useful, double failed, double lost) {
  return fmt::format(
      R"({{{}, "resource_seconds": {}, "useful_seconds": {}, "failed_seconds": {}, "lost_seconds": {}, "jobs": 12, "failed_jobs": 1,)"
      R"( "lost_jobs": 0, "tasks": 11}})",
      keys, all, useful, failed, lost);
}

class Gridusage : public testing::Test {
 protected:
  /// The program's output, and its exit status.
  [[nodiscard]] std::string run(const std::string& arguments, const std::string& columns = "200") const {
    const char* folder = std::getenv("GLEANER_BIN_DIR");
    process::Command command{
        .arguments = {"/bin/bash", "-c", fmt::format("$BIN/gridusage {}; echo status $?", arguments)},
        .environment = {{"BIN", folder != nullptr ? folder : "build/bin"}, {"GLEANER_API", api_.address()}, {"COLUMNS", columns}}};
    auto captured = process::capture(std::move(command), std::chrono::minutes{10});
    if (!captured) throw std::runtime_error{captured.error()};
    return captured->output;
  }
  [[nodiscard]] std::vector<std::string> targets() {
    const std::lock_guard lock{mutex_};
    return targets_;
  }

 private:
  http::Response take(const http::Request& request) {
    const std::lock_guard lock{mutex_};
    targets_.push_back(request.target);
    if (request.parameter("user") == std::string_view{"nobody"}) return tests::answer(200, R"({"items": [], "total": 0})");
    // Two pages.
    const bool is_first = request.parameter("offset") == std::string_view{"0"};
    const auto item = is_first ? sum_json(R"("user": "ada", "project": "physics", "day": null)", 36000, 27000, 1800, 7200)
                               : sum_json(R"("user": "ben", "project": "", "day": null)", 3600, 0, 0, 0);
    return tests::answer(200, fmt::format(R"({{"items": [{}], "total": 2}})", item));
  }

  std::mutex mutex_;
  std::vector<std::string> targets_;
  tests::ApiUnderTest api_{[this](const http::Request& request) { return take(request); }};
};

TEST_F(Gridusage, Table_HasCoreHoursAndWhatTheyWereFor) {
  EXPECT_EQ(run("--from 2026-11-01 --to 2026-11-20"),
            "User  Project  Core-hours  Useful  Failed  Lost  Tasks  Jobs  Failed jobs\n"
            "----  -------  ----------  ------  ------  ----  -----  ----  -----------\n"
            "ada   physics       10.00     75%      5%   20%     11    12            1\n"
            "ben                  1.00                           11    12            1\n"
            "\n"
            "In all: 11.00 core-hours: 68% useful, 5% of failed jobs, 18% of jobs that were killed or preempted; of 9% the use was not "
            "recorded.\n"
            "status 0\n");
  EXPECT_THAT(targets(), ElementsAre("/v1/usage?from=2026-11-01T00:00:00Z&to=2026-11-20T00:00:00Z&by=user,project&limit=1000&offset=0",
                                     "/v1/usage?from=2026-11-01T00:00:00Z&to=2026-11-20T00:00:00Z&by=user,project&limit=1000&offset=1"));
}

TEST_F(Gridusage, NarrowScreen_LacksColumns_AndNoLineIsLonger) {
  EXPECT_EQ(run("--from 2026-11-01 --to 2026-11-20", "60"),
            "User  Project  Core-hours  Useful  Failed  Lost  Tasks  Jobs\n"
            "----  -------  ----------  ------  ------  ----  -----  ----\n"
            "ada   physics       10.00     75%      5%   20%     11    12\n"
            "ben                  1.00                           11    12\n"
            "\n"
            "In all: 11.00 core-hours: 68% useful, 5% of failed jobs, 18%\n"
            "  of jobs that were killed or preempted; of 9% the use was\n"
            "  not recorded.\n"
            "status 0\n");
}

TEST_F(Gridusage, Csv_HasResourceSeconds) {
  EXPECT_THAT(
      run("--csv"),
      StartsWith("day,user,project,campaign,campaign_name,cluster,resource_seconds,useful_seconds,failed_seconds,lost_seconds,tasks,"
                 "jobs,failed_jobs,lost_jobs\n,ada,physics,,,,36000,27000,1800,7200,11,12,1,0\n"));
  EXPECT_THAT(run("--json"), HasSubstr(R"({"items":[{"user":"ada",)"));
}

TEST_F(Gridusage, NothingUsed_IsSaid) { EXPECT_EQ(run("-u nobody"), "No job has ended in these days.\nstatus 0\n"); }

TEST_F(Gridusage, KeysAndUser_AreAskedFor) {
  static_cast<void>(run("--from 2026-11-01 --to 2026-11-01 --by day,cluster -u 'a b'"));
  EXPECT_THAT(targets().front(), StartsWith("/v1/usage?from=2026-11-01T00:00:00Z&to=2026-11-01T00:00:00Z&by=day,cluster&user=a%20b&"));
}

TEST_F(Gridusage, WrongOptions_AreNoRequest) {
  EXPECT_THAT(run("--by usre 2>&1"),
              HasSubstr("--by=usre: usage is by day, user, project, campaign, cluster (did you mean 'user'?)\nstatus 2"));
  EXPECT_THAT(run("--from yesterday 2>&1"),
              HasSubstr("--from=yesterday: must be a day, such as 2026-11-01, or an age, such as 7d\nstatus 2"));
  EXPECT_THAT(run("--from 2026-02-30 2>&1"), HasSubstr("status 2"));
  EXPECT_THAT(run("--from 2026-11-02 --to 2026-11-01 2>&1"), HasSubstr("--from must not be after --to\nstatus 2"));
  EXPECT_THAT(run("--csv --json 2>&1"), HasSubstr("status 2"));
  EXPECT_THAT(targets(), testing::IsEmpty());
}

TEST(GridusageDays, AreDaysOfUtc_OrAges) {
  const auto now = grid::from_unix(1'800'000'000);
  EXPECT_EQ(gridusage::day_of("2026-11-01", now), grid::from_unix(1'793'491'200));
  EXPECT_EQ(gridusage::day_of("7d", now), grid::from_unix(1'800'000'000 - 7 * 86'400));
  for (const auto* wrong : {"2026-11-1", "2026-13-01", "2026-02-30", "", "-7d", "2026/11/01"})
    EXPECT_FALSE(gridusage::day_of(wrong, now)) << wrong;
}

}  // namespace
}  // namespace gleaner
