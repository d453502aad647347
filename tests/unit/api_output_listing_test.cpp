#include "api/output_listing.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

/// Which files the API lists, from what clusters list.
namespace gleaner::api {
namespace {

using store::views::OutputJob;
using store::views::TaskOutputs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

OutputJob a_job(int attempt = 0, std::string output_directory = "$HOME/results/12") {
  return {.attempt = attempt,
          .remote_id = 100 + attempt,
          .cluster = grid::ClusterId{1},
          .cluster_name = "alpha",
          .login = "ada",
          .exec_directory = "$HOME",
          .output_directory = std::move(output_directory)};
}
TaskOutputs a_task(std::int64_t number, std::optional<OutputJob> job, grid::TaskState state = grid::TaskState::done) {
  return {.number = grid::TaskNumber{number}, .state = state, .job = std::move(job)};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = text.find('\n', begin);
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

class Listing : public ::testing::Test {
 protected:
  ListedFolder list(const std::string& folder) {
    asked_.push_back(folder);
    return answer_;
  }
  std::vector<std::string> asked_;
  ListedFolder answer_ = std::vector<oar::ListedFile>{};
  OutputLister lister_{grid::CampaignId{12}, [this](const OutputJob&, const std::string& folder) { return list(folder); }};
};

TEST_F(Listing, HasTheFilesOfTheAttemptThatCounts_AndOfNoOther) {
  answer_ = std::vector<oar::ListedFile>{{"7.out", 1},          {"7.err", 0}, {"7.1.out", 5}, {"7.1.err", 6},
                                         {"7.1.file.a%2Fb", 7}, {"8.out", 9}, {"notes", 3}};
  EXPECT_THAT(
      lines_of(lister_.lines({a_task(7, a_job(1))})),
      ElementsAre(R"({"name":"7.1.out","task":7,"attempt":1,"kind":"stdout","cluster_name":"alpha","state":"done","size":5})",
                  R"({"name":"7.1.err","task":7,"attempt":1,"kind":"stderr","cluster_name":"alpha","state":"done","size":6})",
                  R"({"name":"7.1.file.a%2Fb","task":7,"attempt":1,"kind":"file","cluster_name":"alpha","state":"done","size":7})"));
  EXPECT_THAT(asked_, ElementsAre("~/results/12"));
}

TEST_F(Listing, OfAFileWithALongPath_HasThePath_AndOneWithoutAPathIsNoOutput) {
  answer_ = std::vector<oar::ListedFile>{{"7.long.1", 5}, {"7.path.1.1.2.Fb", 0}, {"7.path.1.0.2.a%2", 0},
                                         {"7.long.2", 9}, {"7.path.2.0.2.a", 0},  {"7.1.path.2.1.2.b", 0}};
  const auto lines = lines_of(lister_.lines({a_task(7, a_job())}));
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[2],
            R"({"name":"7.long.1","path":"a%2Fb","task":7,"attempt":0,"kind":"file","cluster_name":"alpha","state":"done","size":5})");
}

TEST_F(Listing, OfAThousandTasks_IsOneOfTheirFolder) {
  std::vector<TaskOutputs> tasks;
  for (int task = 1000; task < 2000; ++task) tasks.push_back(a_task(task, a_job()));
  (void)lister_.lines(tasks);
  EXPECT_THAT(asked_, ElementsAre("~/results/12/1000"));
}

TEST_F(Listing, WithoutAnOutputDirectory_HasOarsFiles_AndListsTheirFolderOnce) {
  answer_ = std::vector<oar::ListedFile>{{"OAR.cigri.12.100.stdout", 4}, {"OAR.cigri.13.100.stderr", 4}, {"7.file.x", 1}};
  const auto lines = lines_of(lister_.lines({a_task(7, a_job(0, ""))}));
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_THAT(lines[0],
              HasSubstr(R"("name":"7.out","task":7,"attempt":0,"kind":"stdout","cluster_name":"alpha","state":"done","size":4})"));
  EXPECT_THAT(lines[1], HasSubstr(R"("size":null,"missing":true})"));
  (void)lister_.lines({a_task(1007, a_job(0, ""))});
  EXPECT_THAT(asked_, ElementsAre("~/."));
}

TEST_F(Listing, OfAFolderWithTooManyFiles_HasNoSizes) {
  answer_ = tl::unexpected(oar::Failure{oar::NoAnswer{"/media/ls: the folder has too many files to be listed"}});
  const auto lines = lines_of(lister_.lines({a_task(7, a_job(0, ""))}));
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_THAT(lines[0], HasSubstr(R"("size":null})"));
}

TEST_F(Listing, OfAFolderThatIsNotThere_ReportsThatTheFilesAreMissing) {
  answer_ = tl::unexpected(oar::Failure{oar::Refused{404, "Path not found"}});
  EXPECT_THAT(lines_of(lister_.lines({a_task(7, a_job())})), ElementsAre(HasSubstr(R"("missing":true)"), HasSubstr(R"("missing":true)")));
}

TEST_F(Listing, OfAClusterThatDoesNotAnswer_IsOneErrorForItsFolder) {
  answer_ = tl::unexpected(oar::Failure{oar::NotSent{"no way"}});
  EXPECT_THAT(lines_of(lister_.lines({a_task(7, a_job()), a_task(8, a_job())})),
              ElementsAre(AllOf(HasSubstr(R"("cluster_name":"alpha","folder":"~/results/12")"), HasSubstr("no way"))));
}

TEST_F(Listing, OfTasksThatHaveNotEnded_IsTheirNumber) {
  EXPECT_EQ(lister_.lines({a_task(7, {}, grid::TaskState::running), a_task(8, {}, grid::TaskState::waiting),
                           a_task(9, {}, grid::TaskState::cancelled)}),
            "");
  EXPECT_EQ(lister_.unsettled(), 2);
  EXPECT_THAT(asked_, ElementsAre());
}

TEST(FileOfAnOutput, IsMadeOfTheDatabasesFolder) {
  const grid::TaskOutput output{.task = 5123, .attempt = 1, .kind = grid::OutputKind::standard_error};
  EXPECT_EQ(file_of_output(a_job(1), grid::CampaignId{12}, output), "~/results/12/5000/5123.1.err");
  EXPECT_EQ(file_of_output(a_job(1, ""), grid::CampaignId{12}, output), "~/./OAR.cigri.12.101.stderr");
  const grid::TaskOutput deep{.task = 7, .kind = grid::OutputKind::file, .name = "a/b", .number = 3};
  EXPECT_EQ(file_of_output(a_job(1), grid::CampaignId{12}, deep), "~/results/12/7.long.3");
  const grid::TaskOutput hostile{.task = 7, .kind = grid::OutputKind::file, .name = "../../../etc/passwd"};
  EXPECT_EQ(file_of_output(a_job(), grid::CampaignId{12}, hostile), "~/results/12/7.file...%2F..%2F..%2Fetc%2Fpasswd");
}

}  // namespace
}  // namespace gleaner::api
