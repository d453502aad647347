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

TEST_F(Ends, AFewOfTheJobsThatStarted_BecomeSamples_WithTheNumberThatRunsThere) {
  const auto jobs = launched(a_campaign(20), alpha, 10);
  all_ended({jobs[0], jobs[1]}, 0);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    oar::RemoteJob remote;
    remote.id = jobs[i].remote;
    remote.state = oar::RemoteState::running;
    poll.ours.emplace(jobs[i].remote, remote).first->second.started = now;
  }
  poll.stress = 0.7;
  poll.response_ms = 12;
  apply(jobs);
  EXPECT_EQ(value("SELECT count(*) || ' ' || min(running) || ' ' || max(running) FROM duration_samples"), "4 10 10");
  EXPECT_EQ(value("SELECT stress || ' ' || response_ms FROM gridstatus"), "0.7 12");
}

class Sinks : public Ends {
 protected:
  /// Jobs that ended without an error after so many seconds.
  void done_after(const std::vector<store::LiveJob>& jobs, int seconds) {
    all_ended(jobs, 0);
    for (const auto& job : jobs) {
      poll.ours.at(job.remote).started = now;
      poll.ours.at(job.remote).stopped = now + grid::Seconds{seconds};
    }
    apply(jobs);
  }
  std::string brakes() { return value("SELECT count(*) FROM brakes"); }
};

TEST_F(Sinks, JobsThatEndSoonerThanTheJdlsMinDuration_BrakeTheClusterForTheCampaign) {
  const auto campaign = a_campaign(10);
  execute("UPDATE campaigns SET jdl = '{\"min_duration\": 5}'");
  done_after(launched(campaign, alpha, 2), 0);
  EXPECT_EQ(brakes(), "0") << "two ends tell little";
  done_after(launched(campaign, alpha, 1), 0);
  EXPECT_EQ(brakes(), "1");
  EXPECT_THAT(value("SELECT message FROM events WHERE code = 'SINK'"), ::testing::HasSubstr("the last 3 jobs there ended without an error after 0.0 s"));
}

TEST_F(Sinks, JobsThatTakeMuchLongerElsewhere_BrakeTheCluster_AndOneEndIsNotJudgedTwice) {
  const auto campaign = a_campaign(20);
  execute("UPDATE campaign_clusters SET done = 3, duration_sum = 180 WHERE cluster_id = " + std::to_string(beta.value()));
  done_after(launched(campaign, alpha, 3), 5);
  EXPECT_EQ(brakes(), "1");
  execute("DELETE FROM brakes");
  done_after(launched(campaign, alpha, 1), 60);
  EXPECT_EQ(brakes(), "0");
}

TEST_F(Sinks, ShortJobsEverywhere_AreNoSink) {
  const auto campaign = a_campaign(20);
  execute("UPDATE campaign_clusters SET done = 30, duration_sum = 30 WHERE cluster_id = " + std::to_string(beta.value()));
  done_after(launched(campaign, alpha, 5), 0);
  EXPECT_EQ(brakes(), "0");
}

}  // namespace
}  // namespace gleaner::tests
