// The messages of gridsub, and their streams, when the API or its own streams fail it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>

#include <unistd.h>

#include <fmt/format.h>

#include "clients/asked.hpp"
#include "lib/process/child.hpp"
#include "tests/unit/api_under_test.hpp"

namespace gleaner {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string folder_of_programs() {
  const char* folder = std::getenv("GLEANER_BIN_DIR");
  return folder != nullptr ? folder : "build/bin";
}

/// A script of bash, in which $BIN is the folder of the programs, and descriptor 9 a pipe that nobody reads.
process::Captured shell(const std::string& script, const std::string& api = "unix:/nonexistent/api.socket") {
  process::Command command{
      .arguments = {"/bin/bash", "-c", "exec 9> >(:); wait $!; " + script},
      .environment = {{"BIN", folder_of_programs()}, {"GLEANER_API", api}, {"GLEANER_DATABASE", "host=/nonexistent dbname=none"}}};
  auto captured = process::capture(std::move(command), std::chrono::minutes{10});
  if (!captured) throw std::runtime_error{captured.error()};
  return *captured;
}

/// An API that numbers the campaigns from 12 on, and refuses those of its tests' names.
class Grid {
 public:
  [[nodiscard]] std::string address() const { return api_.address(); }
  /// Names of the campaigns that were submitted.
  [[nodiscard]] std::vector<std::string> submitted() {
    const std::lock_guard lock{mutex_};
    return submitted_;
  }

 private:
  http::Response take(const http::Request& request) {
    if (request.path == "/v1/campaigns/7") return tests::answer(200, R"({"id": 7, "total_tasks": 3})");
    if (request.path == "/v1/campaigns/7/jdl")
      return tests::answer(200, R"({"name": "first", "nb_jobs": 2, "exec_file": "e", "clusters": {"beta": {}, "alpha": {}}})");
    if (request.path == "/v1/campaigns/7/tasks.ndjson")
      return tests::answer(200,
                           "{\"id\": 0, \"parameters\": \"0\"}\n{\"id\": 1, \"parameters\": \"1\"}\n"
                           "{\"id\": 2, \"parameters\": \"x\", \"arguments\": [\"a b\", \"\\\"\"]}\n");
    if (request.path == "/v1/scenario")
      return tests::answer(
          200,
          R"({"time": "2025-10-09T10:53:20Z", "scenario": {"clusters": {"alpha": {}}}, "left_out": [], "standstill": "2025-10-09T09:00:00Z", "links": []})");
    if (request.method == "GET") return tests::answer(200, R"({"items": [], "total": 0})");
    if (request.method == "DELETE") return tests::answer(202, R"({"message": "Campaign 12 cancelled"})");
    const std::lock_guard lock{mutex_};
    const auto body = request.body->read_all(1 << 20).value();
    const auto has = [&](std::string_view text) { return body.find(text) != std::string::npos; };
    const bool is_check = has(R"("dry_run":true)");
    if (has("nowhere"))
      return tests::answer(400, R"({"message": "1 problem", "problems": [{"line": 1, "column": 30, "path": "clusters.nowhere",)"
                                R"( "value": "nowhere", "message": "there is no cluster 'nowhere'"}]})");
    if (is_check) return tests::answer(200, R"({"dry_run": true, "total_tasks": 2})");
    if (has("unlucky")) return tests::answer(403, R"({"message": "nothing was submitted: rule 'luck' refuses it"})");
    for (const auto* name : {"first", "second", "third"}) {
      if (has(name)) submitted_.emplace_back(name);
    }
    return tests::answer(201, fmt::format(R"({{"id": {}, "total_tasks": 2}})", 11 + submitted_.size()));
  }

  std::mutex mutex_;
  std::vector<std::string> submitted_;
  tests::ApiUnderTest api_{[this](const http::Request& request) { return take(request); }};
};

class GridsubSubmission : public testing::Test {
 protected:
  GridsubSubmission() { std::filesystem::create_directories(folder_); }
  ~GridsubSubmission() override { std::filesystem::remove_all(folder_); }

  /// A campaign file `NAME.jdl` in the working folder.
  void write(const std::string& name, const std::string& cluster, const std::string& keys = {}) const {
    std::ofstream{folder_ / (name + ".jdl")} << fmt::format(
        R"({{"name": "{}", "clusters": {{"{}": {{"exec_file": "e"}}}}, "nb_jobs": 2{}}})", name, cluster, keys);
  }
  process::Captured run(const std::string& script) { return shell("cd " + folder_.string() + "; " + script, grid_.address()); }

  Grid grid_;
  std::filesystem::path folder_ = std::filesystem::temp_directory_path() / fmt::format("gleaner-gridsub-{}", ::getpid());
};

TEST(ParameterPath, BeginsAtOurHome_HoweverThatIsWritten) {
  const std::filesystem::path home{std::getenv("HOME")};
  for (const auto* path : {"~/p.txt", "$HOME/p.txt", "${HOME}/p.txt", "{HOME}/p.txt"})
    EXPECT_EQ(clients::parameter_path(path, "work/c.jdl"), home / "p.txt") << path;
  EXPECT_EQ(clients::parameter_path("p.txt", "work/c.jdl"), "work/p.txt");
  EXPECT_EQ(clients::parameter_path("$HOMES/p.txt", "work/c.jdl"), "work/$HOMES/p.txt");
}

TEST(Streams, NoProgramDies_BecauseItsMessageCannotBeWritten) {
  const auto said = shell(
      R"(for program in gridsub gridstat gridevents griddel gridwait gridget gridclusters gridclean gridusage gridctl gridlocal gridsim gridapi almighty \
    updator predictor nikita metascheduler runner minioar; do
  $BIN/$program --hlep 2>/dev/full; [ $? = 2 ] || echo "$program, full"
  $BIN/$program --hlep 2>&9; [ $? = 2 ] || echo "$program, unread"
  $BIN/$program --hlep >&- 2>&-; [ $? = 2 ] || echo "$program, closed"
done)");
  EXPECT_EQ(said.output, "");
}

TEST(Streams, HelpThatCannotBeWritten_IsNotASuccess) {
  EXPECT_EQ(shell("$BIN/gridsub --help >/dev/full; echo status $?").output, "status 74\n");
  EXPECT_EQ(shell("$BIN/gridsub --help >&-; echo status $?").output, "status 74\n");
  EXPECT_EQ(shell("$BIN/gridsub --help >&9; echo status $?").output, "status 74\n");
}

TEST(Streams, DaemonWhoseStderrIsUnreadable_EndsAsItWouldWithAReader) {
  EXPECT_EQ(shell("$BIN/almighty --once >&9 2>&9; echo status $?").output, "status 5\n");
  EXPECT_EQ(shell("$BIN/almighty --once >/dev/full 2>/dev/full; echo status $?").output, "status 5\n");
}

TEST_F(GridsubSubmission, IdThatCannotBePrinted_IsWrittenToStderr_AndTheStatusShowsIt) {
  write("first", "alpha");
  for (const auto* stdout_to : {">/dev/full", ">&-", ">&9"}) {
    const auto said = run(fmt::format("$BIN/gridsub -q -f first.jdl {}; echo status $?", stdout_to));
    EXPECT_THAT(said.output, AllOf(HasSubstr("status 74"), HasSubstr("was submitted; stdout cannot be written: "))) << stdout_to;
  }
  EXPECT_THAT(run("$BIN/griddel 12 >/dev/full; echo status $?").output, HasSubstr("Campaign 12 cancelled; stdout cannot be written: "));
  EXPECT_EQ(grid_.submitted().size(), 3U);
}

TEST_F(GridsubSubmission, WhatIfOfAGridThatStandsStill_IsNoForecast) {
  EXPECT_THAT(run("TZ=UTC $BIN/gridsub --what-if; echo status $?").output,
              AllOf(HasSubstr("the grid stands still: no cycle has ended since 2025-10-09 09:00:00"), HasSubstr("status 5")));
}

TEST_F(GridsubSubmission, NeitherStream_TheStatusShowsThatItWasSubmitted) {
  write("first", "alpha");
  EXPECT_EQ(run("$BIN/gridsub -f first.jdl >&9 2>&9; echo status $?").output, "status 74\n");
  EXPECT_THAT(grid_.submitted(), ElementsAre("first"));
}

TEST_F(GridsubSubmission, MessageThatCannotBeWritten_ChangesNothing_WhenTheIdIsPrinted) {
  write("first", "alpha");
  EXPECT_EQ(run("$BIN/gridsub -f first.jdl 2>/dev/full; echo status $?").output, "CAMPAIGN_ID=12\nstatus 0\n");
  EXPECT_EQ(run("$BIN/gridsub -f first.jdl 2>&-; echo status $?").output, "CAMPAIGN_ID=13\nstatus 0\n");
}

TEST_F(GridsubSubmission, ReaderThatWentAway_EndsACommandWithoutAWord) {
  EXPECT_EQ(run("$BIN/gridstat >&9; echo status $?").output, "status 74\n");
}

TEST_F(GridsubSubmission, CampaignShownByGridstat_IsSubmittedAgain_WithItsParametersAndItsClustersInOrder) {
  const auto said = run("$BIN/gridstat 7 -J > again.jdl && cat again.jdl && $BIN/gridsub -f again.jdl");
  EXPECT_THAT(said.output, HasSubstr("CAMPAIGN_ID=12\n"));
  EXPECT_THAT(said.output,
              testing::MatchesRegex(".*\"beta\".*\"alpha\".*\"params\": \\[[ \n]*\"0\",[ \n]*\"1\",[ \n]*\\[[ \n]*\"a b\",[ \n]*"
                                    "\"\\\\\"\"[ \n]*\\][ \n]*\\].*"));
  EXPECT_THAT(said.output, Not(HasSubstr("nb_jobs")));
}

TEST_F(GridsubSubmission, SeveralCampaigns_AreAllCheckedByTheGrid_BeforeTheFirstIsSubmitted) {
  write("first", "alpha");
  write("second", "nowhere");
  const auto said = run("$BIN/gridsub -f first.jdl -f second.jdl; echo status $?");
  EXPECT_THAT(said.output, AllOf(HasSubstr("nothing was submitted:\n"), HasSubstr("second.jdl:1:30: clusters.nowhere: "),
                                 HasSubstr("status 2"), Not(HasSubstr("CAMPAIGN_ID"))));
  EXPECT_THAT(grid_.submitted(), IsEmpty());
}

TEST_F(GridsubSubmission, CampaignsOfOneFile_AreSubmittedInTheirOrder_WithNumbersForNames) {
  std::ofstream{folder_ / "chain.jdl"} << R"([{"name": "second", "after": "first", "clusters": {"alpha": {"exec_file": "e"}}, "nb_jobs": 2},
  {"name": "first", "clusters": {"alpha": {"exec_file": "e"}}, "nb_jobs": 2}])";
  EXPECT_EQ(run("$BIN/gridsub -q -f chain.jdl").output, "12\n13\n");
  EXPECT_THAT(grid_.submitted(), ElementsAre("first", "second"));
}

TEST_F(GridsubSubmission, AProblemOfOneOfSeveralInAFile_HasItsPlaceInTheFile) {
  std::ofstream{folder_ / "chain.jdl"} << "[{\"name\": \"first\", \"clusters\": {\"alpha\": {\"exec_file\": \"e\"}}, \"nb_jobs\": 2},\n"
                                          "  {\"name\": \"second\", \"clusters\": {\"alpha\": {\"exec_file\": \"e\"}}, \"nb_jobs\": -1}]";
  EXPECT_THAT(run("$BIN/gridsub -f chain.jdl").output, HasSubstr("chain.jdl:2:76: nb_jobs: "));
}

TEST_F(GridsubSubmission, SeveralWrongCampaigns_AreReportedTogether) {
  write("first", "nowhere");
  write("second", "alpha", R"(, "walltime": "1:99:0")");
  write("third", "alpha", R"(, "waltime": "1:0:0")");
  const auto said = run("$BIN/gridsub -f second.jdl -f third.jdl");
  EXPECT_THAT(said.output, AllOf(HasSubstr("second.jdl:1:"), HasSubstr("third.jdl:1:")));
  EXPECT_EQ(said.end.exit_status, 2);
}

TEST_F(GridsubSubmission, CampaignThatIsRefusedAfterOthers_ReportsWhatWasSubmittedAndWhatNot) {
  write("first", "alpha");
  write("second", "alpha", R"(, "project": "unlucky")");
  write("third", "alpha");
  const auto said = run("$BIN/gridsub -f first.jdl -f second.jdl -f third.jdl; echo status $?");
  EXPECT_THAT(said.output,
              AllOf(HasSubstr("CAMPAIGN_ID=12\n"), HasSubstr("gridsub: second.jdl was not submitted: rule 'luck' refuses it\n"),
                    HasSubstr("\nfirst.jdl was submitted as campaign 12\nthird.jdl was not submitted\n"), HasSubstr("status 4")));
  EXPECT_THAT(grid_.submitted(), ElementsAre("first"));
}

TEST_F(GridsubSubmission, UnlikeErrorsOfOneCampaign_AreReportedTogether) {
  write("first", "nowhere", R"(, "waltime": "1:0:0", "walltime": "1:99:0")");
  const auto said = run("$BIN/gridsub -f first.jdl; echo status $?");
  EXPECT_THAT(said.output, AllOf(HasSubstr("did you mean 'walltime'?"), HasSubstr("'1:99:0' is not a walltime"),
                                 HasSubstr("there is no cluster 'nowhere'"), HasSubstr("status 2")));
}

}  // namespace
}  // namespace gleaner
