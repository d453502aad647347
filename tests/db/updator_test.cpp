#include <fmt/format.h>
#include <gmock/gmock.h>

#include "lib/grid/exit_status.hpp"
#include "tests/db/grid_fixture.hpp"
#include "updator/apply.hpp"

namespace gleaner::tests {
namespace {

/// What the updator makes of the ends of jobs on alpha.
class Ends : public GridFixture {
 protected:
  Ends() {
    config.max_attempts = config.max_charged_attempts = 5;
    config.failures_before_brake = 3;
    config.brake_time = config.brake_time_max = std::chrono::minutes{1};
  }

  void all_ended(const std::vector<store::LiveJob>& jobs, int shell_status) {
    for (const auto& job : jobs) {
      oar::RemoteJob remote;
      remote.id = job.remote;
      remote.state = oar::RemoteState::terminated;
      remote.exit_status = shell_status << 8;
      poll.ours.emplace(job.remote, remote);
    }
  }
  void apply(const std::vector<store::LiveJob>& jobs) {
    std::optional<store::Cluster> cluster;
    transact([&](store::Transaction& transaction) { cluster = store::find_cluster(transaction, "alpha"); });
    fleet::SharedDatabase shared{database, term};
    oar::Client client{oar::Access{}};
    fleet::Visit visit{*cluster, config, shared, client};
    poll.began = now;
    transact([&](store::Transaction& transaction) { static_cast<void>(updator::apply_poll(transaction, visit, jobs, poll)); });
  }
  std::string ended(const std::string& ending) { return value(fmt::format("SELECT count(*) FROM jobs WHERE ending = '{}'", ending)); }

  process::Config config;
  updator::Poll poll;
};

TEST_F(Ends, OfJobsWhoseWrapperFailed_AreTheClustersFault_AlsoOfThoseThatNobodyAsked) {
  const auto jobs = launched(a_campaign(5), alpha, 5);
  all_ended(jobs, grid::kRanNothing);
  poll.stderr_tails.emplace(jobs.front().remote, "gleaner: task 0, attempt 0: cannot be claimed, nothing was run: No space left on device\n");
  apply(jobs);
  EXPECT_EQ(ended("node_failure"), "5");
  EXPECT_EQ(value("SELECT sum(charged) FROM tasks"), "0");
  EXPECT_THAT(value("SELECT message FROM events WHERE code = 'CANNOT_START'"), ::testing::HasSubstr("No space left"));
  EXPECT_EQ(value("SELECT count(*) FROM brakes"), "1") << "the next jobs would fail there too";
}

TEST_F(Ends, WithTheSameStatusFromTheCommandItself_AreTheTasksFault) {
  const auto jobs = launched(a_campaign(5), alpha, 5);
  all_ended(jobs, grid::kRanNothing);
  poll.stderr_tails.emplace(jobs.front().remote, "my own words\n");
  apply(jobs);
  EXPECT_EQ(ended("task_error"), "5");
}

}  // namespace
}  // namespace gleaner::tests
