#include "api/output.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "api/cluster_turns.hpp"
#include "tests/db/await.hpp"

namespace gleaner::api {
namespace {

using namespace std::chrono_literals;
using store::views::Job;
using ::testing::HasSubstr;

Job a_job(int id, int attempt) {
  Job job;
  job.id = grid::JobId{id};
  job.attempt = attempt;
  job.cluster_name = "alpha";
  job.state = grid::JobState::planned;
  return job;
}
Job known(Job job) {
  job.remote_id = 1000 + job.id.value();
  job.state = grid::JobState::remote_waiting;
  return job;
}
Job started(Job job) {
  job = known(std::move(job));
  job.started_at = grid::from_unix(1'800'000'000);
  job.state = grid::JobState::running;
  return job;
}
Job done(Job job) {
  job = started(std::move(job));
  job.ending = "done";
  job.state = grid::JobState::terminated;
  return job;
}

TEST(OutputOfATask, IsThatOfTheJobThatDidIt_ElseOfTheLastOneThatShowsMost) {
  const auto shown = [](const std::vector<Job>& jobs, std::optional<int> attempt = {}) {
    const auto* const job = shown_job(jobs, attempt);
    return job == nullptr ? -1 : static_cast<int>(job->id.value());
  };
  EXPECT_EQ(shown({}), -1);
  EXPECT_EQ(shown({a_job(1, 0)}), 1);
  EXPECT_EQ(shown({done(a_job(1, 0)), started(a_job(2, 1))}), 1) << "a replica that was killed";
  EXPECT_EQ(shown({started(a_job(1, 0)), started(a_job(2, 1)), known(a_job(3, 2))}), 2) << "what waits has written nothing";
  EXPECT_EQ(shown({known(a_job(1, 0)), a_job(2, 0)}), 1);
  EXPECT_EQ(shown({started(a_job(1, 0)), started(a_job(2, 1)), started(a_job(3, 1))}, 1), 3) << "the last job of the attempt";
  EXPECT_EQ(shown({started(a_job(1, 0))}, 1), -1);
}

TEST(OutputOfAJob, ThatIsNotOnItsCluster_IsExplained) {
  EXPECT_THAT(why_no_output(a_job(1, 0)).value(), HasSubstr("attempt 0 on alpha is being submitted"));
  auto lost = a_job(1, 2);
  lost.state = grid::JobState::unknown;
  EXPECT_THAT(why_no_output(lost).value(), HasSubstr("the answer to the submission of attempt 2 on alpha was lost"));
  auto refused = a_job(1, 0);
  refused.state = grid::JobState::error;
  refused.message = "no such queue";
  EXPECT_THAT(why_no_output(refused).value(), HasSubstr("attempt 0 on alpha was never submitted: no such queue"));
  EXPECT_EQ(why_no_output(started(a_job(1, 0))), std::nullopt);
  EXPECT_EQ(why_no_output(known(a_job(1, 0))), std::nullopt) << "it may run by now";
}

TEST(OutputPath, IsInTheJobsFolder_UnlessItIsAbsolute) {
  oar::JobDetails details;
  details.directory = "/home/alice/run";
  details.stdout_file = "OAR.cigri.3.17.stdout";
  details.stderr_file = "/scratch/17.err";
  EXPECT_EQ(output_path(details, {}, Stream::out), "/home/alice/run/OAR.cigri.3.17.stdout");
  EXPECT_EQ(output_path(details, {}, Stream::err), "/scratch/17.err");
  details.directory.clear();
  EXPECT_EQ(output_path(details, {}, Stream::out), "~/OAR.cigri.3.17.stdout");
  details.stdout_file.clear();
  EXPECT_EQ(output_path(details, {}, Stream::out), "");
}

TEST(OutputPath, IsInTheOutputDirectory_AndOfAPooledTaskBesideItsCarriers) {
  oar::JobDetails details;
  details.directory = "/home/alice";
  details.stdout_file = "OAR.cigri.3.17.stdout";
  Job job;
  job.task = grid::TaskNumber{1205};
  job.attempt = 1;
  job.login = "alice";
  job.pooled = true;
  EXPECT_EQ(output_path(details, job, Stream::out), "/home/alice/OAR.cigri.3.17.1205.stdout");
  job.output_directory = "$HOME/results/3";
  EXPECT_EQ(output_path(details, job, Stream::err), "~/results/3/1000/1205.1.err");
}

TEST(OutputPath, IsInTheFolderOfTheTask_WhereverOarBeganIt) {
  oar::JobDetails details;
  details.directory = "/home/alice";
  details.stdout_file = details.stderr_file = "OAR.cigri.3.log";
  Job job;
  job.campaign = grid::CampaignId{3};
  job.task = grid::TaskNumber{12};
  job.remote_id = 17;
  job.login = "alice";
  job.exec_directory = "$HOME/run/$USER";
  EXPECT_EQ(output_path(details, job, Stream::out), "~/run/alice/OAR.cigri.3.17.stdout");
  const auto seen = in_its_folder(details, job);
  EXPECT_EQ(seen.directory, "/home/alice/run/alice");
  EXPECT_EQ(seen.stdout_file, "OAR.cigri.3.17.stdout");
  EXPECT_EQ(seen.stderr_file, "OAR.cigri.3.17.stderr");
  job.pooled = true;
  EXPECT_EQ(output_path(details, job, Stream::err), "~/run/alice/OAR.cigri.3.17.12.stderr");
  EXPECT_EQ(in_its_folder(details, job).stdout_file, "OAR.cigri.3.17.12.stdout");
  job.output_directory = "$HOME/results/3";
  EXPECT_EQ(in_its_folder(details, job).directory, "/home/alice/run/alice");
  EXPECT_EQ(in_its_folder(details, job).stdout_file, "OAR.cigri.3.log");
}

TEST(OutputPath, InTheHome_OrOfAnEarlierVersionsJob_IsAsOarReports) {
  oar::JobDetails details;
  details.directory = "/home/alice";
  details.stdout_file = "OAR.cigri.3.17.stdout";
  Job job;
  job.login = "alice";
  job.exec_directory = "$HOME";
  EXPECT_EQ(output_path(details, job, Stream::out), "/home/alice/OAR.cigri.3.17.stdout");
  EXPECT_EQ(in_its_folder(details, job).directory, "/home/alice");
  job.exec_directory = "$HOME/run";
  details.directory = "/home/alice/run";
  EXPECT_EQ(in_its_folder(details, job).directory, "/home/alice/run");
}

TEST(ClusterTurns, OfOneCluster_AreFew_AndDoNotHoldTheOthersUp) {
  ClusterTurns turns{{.all = 4, .of_cluster = 3, .waiting = 2}};
  const grid::ClusterId alpha{1};
  const grid::ClusterId beta{2};
  std::vector<ClusterTurns::Turn> taken;
  for (const auto* user : {"alice", "bob", "carol"}) taken.push_back(turns.take(alpha, user, 0ms).value());
  EXPECT_FALSE(turns.take(alpha, "dave", 1ms));
  {
    const auto other = turns.take(beta, "dave", 0ms);
    EXPECT_TRUE(other);
    EXPECT_FALSE(turns.take(grid::ClusterId{3}, "erin", 1ms)) << "all turns together";
  }
  EXPECT_TRUE(turns.take(beta, "dave", 0ms)) << "it was given back";
  std::thread later{[&] { taken.pop_back(); }};
  EXPECT_TRUE(turns.take(alpha, "dave", 10s));
  later.join();
}

TEST(ClusterTurns, OfOneUser_LeaveOneOfTheClustersToOthers_AndHalfOfAll) {
  ClusterTurns turns{{.all = 6, .of_cluster = 3, .waiting = 4}};
  const auto first = turns.take(grid::ClusterId{1}, "alice", 0ms);
  const auto second = turns.take(grid::ClusterId{1}, "alice", 0ms);
  ASSERT_TRUE(first && second);
  EXPECT_FALSE(turns.take(grid::ClusterId{1}, "alice", 0ms));
  EXPECT_TRUE(turns.take(grid::ClusterId{1}, "bob", 0ms));
  const auto third = turns.take(grid::ClusterId{2}, "alice", 0ms);
  ASSERT_TRUE(third);
  EXPECT_FALSE(turns.take(grid::ClusterId{3}, "alice", 0ms)) << "half of all";
  EXPECT_TRUE(turns.take(grid::ClusterId{3}, "bob", 0ms));
}

TEST(ClusterTurns, ThoseOfOneUserThatWait_AreFew_AndTheNextOneIsRefusedAtOnce) {
  ClusterTurns turns{{.all = 2, .of_cluster = 2, .waiting = 4}};
  auto held = turns.take(grid::ClusterId{1}, "alice", 0ms);
  ASSERT_TRUE(held);
  std::atomic<int> refused{0};
  std::vector<std::thread> waiting;
  for (int i = 0; i < 5; ++i) {
    waiting.emplace_back([&] {
      const auto turn = turns.take(grid::ClusterId{1}, "alice", 600s);
      if (!turn) ++refused;
    });
  }
  ASSERT_TRUE(tests::await([&] { return refused == 3; }));
  EXPECT_TRUE(turns.take(grid::ClusterId{1}, "bob", 0ms)) << "there is room for others";
  held.reset();
  for (auto& one : waiting) one.join();
  EXPECT_EQ(refused, 3) << "two have waited";
}

}  // namespace
}  // namespace gleaner::api
