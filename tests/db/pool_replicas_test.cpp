#include <fmt/format.h>
#include <gmock/gmock.h>

#include <array>

#include "lib/store/kills.hpp"
#include "lib/store/replicas.hpp"
#include "tests/db/pools_fixture.hpp"

namespace gleaner::tests {
namespace {

using grid::JobEnd;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Tasks that share jobs on alpha, and their replicas on beta. Carriers have the tasks 0 and 1; the pooled ones are 2, 3, ….
class ReplicasOfPools : public PoolsInDatabase {
 protected:
  grid::CampaignId begin(int carriers, int pooled) {
    const auto campaign = a_campaign(carriers + pooled);
    execute(R"(UPDATE campaigns SET jdl = '{"replicas": "allowed", "temporal_grouping": true}')");
    a_pool(campaign, carriers, pooled);
    transact([&](store::Transaction& t) {
      carriers_ = store::live_jobs(t, alpha);
      for (const auto& job : carriers_) store::observe_jobs(t, std::array{store::Observation{job.id, grid::JobState::running, now, 1}});
    });
    return campaign;
  }
  [[nodiscard]] store::LiveJob pooled(std::int64_t task) {
    const auto pool = pools().at(0);
    return *std::ranges::find(pool.jobs, grid::TaskNumber{task}, &store::LiveJob::task);
  }
  void claims(int carrier, std::int64_t task) {
    const auto job = pooled(task);
    transact([&](store::Transaction& t) {
      store::note_carriers(t, std::array{store::Claimed{job.id, carriers_.at(static_cast<std::size_t>(carrier)).remote}}, now);
    });
  }
  /// The files show the claims as before, and these carriers over with their own tasks.
  void reads(std::vector<int> over = {}) {
    store::ReadPools read{.launches = {pools().at(0).launch}};
    for (const int carrier : over) read.carriers.push_back(carriers_.at(static_cast<std::size_t>(carrier)).id);
    transact([&](store::Transaction& t) { store::note_read(t, read, now); });
  }
  std::vector<grid::Replicable> replicable() {
    std::vector<grid::Replicable> found;
    transact([&](store::Transaction& t) { found = store::replicable_tasks(t, 0.95, 20, now); });
    return found;
  }
  std::int64_t tasks_to_replicate() {
    const auto found = replicable();
    return found.empty() ? 0 : found.at(0).tasks;
  }
  int replicate(grid::CampaignId campaign, int jobs, grid::ClusterId cluster, bool beside = false) {
    int got = 0;
    transact([&](store::Transaction& t) {
      got =
          store::plan_replicas(t, {.campaign = campaign, .cluster = cluster, .jobs = jobs, .longer_than = {}, .beside = beside}, term, now);
    });
    return got;
  }
  /// Replicas run on beta; by task.
  std::map<std::int64_t, store::LiveJob> replicas_run(grid::CampaignId campaign, int jobs) {
    EXPECT_EQ(replicate(campaign, jobs, beta), jobs);
    std::map<std::int64_t, store::LiveJob> found;
    transact([&](store::Transaction& t) {
      const auto launch = store::planned_launches(t, beta).back().id;
      EXPECT_TRUE(store::begin_launch(t, {launch, fmt::format("tag-{}", launch.value()), "alice"}, term, now));
      std::vector<store::AcceptedJob> accepted;
      for (const auto& line : store::launch_lines(t, launch)) accepted.push_back({line.job, grid::RemoteJobId{next_remote++}});
      store::accept_launch(t, launch, accepted, {}, now);
      for (const auto& job : store::live_jobs(t, beta)) {
        store::observe_jobs(t, std::array{store::Observation{job.id, grid::JobState::running, now, 1}});
        found.emplace(job.task.value(), job);
      }
    });
    return found;
  }
  /// Tasks of the jobs of OAR on a cluster that are to be killed for a replica.
  std::vector<std::int64_t> killed(grid::ClusterId cluster) {
    std::vector<std::int64_t> tasks;
    transact([&](store::Transaction& t) {
      store::request_kills_of_superseded(t, now);
      for (const auto& kill : store::pending_kills(t, cluster, now)) {
        EXPECT_EQ(kill.reason, store::KillReason::replica);
        tasks.push_back(kill.task.value());
      }
    });
    return tasks;
  }
  std::string task(std::int64_t number) {
    return value(fmt::format("SELECT concat_ws(' ', state, attempt, charged) FROM tasks WHERE number = {}", number));
  }
  void pass(int seconds) { now += grid::Seconds{seconds}; }

  std::vector<store::LiveJob> carriers_;
};

TEST_F(ReplicasOfPools, AreOfTasksThatAreSeenToRunForTenSeconds_AndOfNoCarrierThatIsOverWithItsOwn) {
  const auto campaign = begin(2, 4);
  pass(20);
  EXPECT_EQ(tasks_to_replicate(), 0) << "their files were not read since they began";
  reads();
  EXPECT_EQ(tasks_to_replicate(), 2) << "the carriers' own";
  claims(0, 2);
  reads({0});
  EXPECT_EQ(tasks_to_replicate(), 1) << "task 0 is over";
  pass(9);
  reads();
  EXPECT_EQ(tasks_to_replicate(), 1) << "task 2 may be short";
  pass(60);
  EXPECT_EQ(tasks_to_replicate(), 1) << "it may be over since the files were read";
  reads();
  EXPECT_EQ(tasks_to_replicate(), 2);
  EXPECT_EQ(replicate(campaign, 5, beta), 2);
  EXPECT_EQ(value("SELECT string_agg(number::text, ' ' ORDER BY number) FROM tasks WHERE replica_lives"), "1 2");
  EXPECT_EQ(tasks_to_replicate(), 0) << "once in a life";
  EXPECT_EQ(counters(campaign), recount(campaign));
}

TEST_F(ReplicasOfPools, OfCampaignsThatDoNotAllowThem_ThereAreNone_AndNothingIsNoted) {
  const auto campaign = a_campaign(6);
  a_pool(campaign, 1, 4);
  const auto pool = pools().at(0);
  transact([&](store::Transaction& t) {
    store::note_carriers(t, std::array{store::Claimed{pool.jobs[0].id, pool.carriers.begin()->first}}, now);
    store::note_read(t, {.launches = {pool.launch}, .carriers = {pool.carriers.begin()->second.job}}, now);
  });
  EXPECT_EQ(value("SELECT count(*) FROM jobs WHERE claimed_at IS NOT NULL OR command_over"), "0");
  EXPECT_EQ(value("SELECT count(*) FROM launches WHERE read_at IS NOT NULL"), "0");
}

TEST_F(ReplicasOfPools, ThatTakeTooLong_AreExpired_ByTheTimeForWhichTheyAreSeen) {
  begin(1, 4);
  execute("INSERT INTO durations SELECT id, 1, duration_bucket(30), 20 FROM campaigns");
  claims(0, 1);
  pass(25);
  reads({0});
  EXPECT_EQ(replicable().at(0).expired, 0);
  pass(10);
  EXPECT_EQ(replicable().at(0).expired, 0) << "it may be over";
  reads();
  EXPECT_EQ(replicable().at(0).expired, 1);
}

TEST_F(ReplicasOfPools, OnTheSameCluster_AvoidTheNodeOfTheCarrier) {
  const auto campaign = begin(1, 2);
  claims(0, 1);
  pass(10);
  reads({0});
  EXPECT_EQ(replicate(campaign, 5, alpha, true), 1);
  transact([&](store::Transaction& t) {
    const auto launches = store::planned_launches(t, alpha);
    ASSERT_EQ(launches.size(), 1U);
    EXPECT_EQ(launches[0].beside, carriers_[0].remote);
    EXPECT_FALSE(launches[0].pool) << "a replica is a job of its own";
  });
}

TEST_F(ReplicasOfPools, WhenTheOneInThePoolSucceeds_TheOtherIsKilled) {
  const auto campaign = begin(1, 3);
  claims(0, 1);
  pass(10);
  reads({0});
  const auto replica = replicas_run(campaign, 1).at(1);
  end(pooled(1), JobEnd::done);
  EXPECT_EQ(task(1), "done 0 0");
  EXPECT_THAT(killed(beta), ElementsAre(1));
  EXPECT_THAT(killed(alpha), IsEmpty());
  end(replica, JobEnd::killed_by_us);
  EXPECT_EQ(counters(campaign), recount(campaign));
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(ReplicasOfPools, WhenTheReplicaSucceeds_TheCarrierIsKilled_AndItsOtherTasksGoBack) {
  const auto campaign = begin(1, 3);
  claims(0, 1);
  pass(10);
  reads({0});
  const auto replica = replicas_run(campaign, 1).at(1);
  end(replica, JobEnd::done);
  EXPECT_EQ(task(1), "done 0 0");
  EXPECT_THAT(killed(alpha), ElementsAre(0)) << "the carrier has nothing else to do";
  const auto loser = pooled(1);
  end(carriers_[0], JobEnd::done);
  end(loser, JobEnd::killed_by_us);
  for (const int left : {2, 3}) end(pooled(left), JobEnd::not_reached);
  EXPECT_EQ(counters(campaign), recount(campaign));
  EXPECT_EQ(counters(campaign), (Counters{2, 0, 0, 0, 2, 0, 0}));
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(ReplicasOfPools, WhenTheReplicaSucceeds_ACarrierThatCarriesOutOthers_GoesOn) {
  const auto campaign = begin(1, 3);
  for (const int one : {1, 2}) claims(0, one);
  pass(10);
  reads({0});
  const auto replicas = replicas_run(campaign, 2);
  end(replicas.at(1), JobEnd::done);
  EXPECT_THAT(killed(alpha), IsEmpty()) << "task 2 waits for it";
  end(replicas.at(2), JobEnd::done);
  EXPECT_THAT(killed(alpha), ElementsAre(0)) << "nothing waits for it any more";
}

TEST_F(ReplicasOfPools, OfACarriersOwnTask_LeaveItToTheOthers) {
  const auto campaign = begin(1, 3);
  claims(0, 2);  // side by side
  pass(10);
  reads();
  const auto replicas = replicas_run(campaign, 2);
  end(replicas.at(0), JobEnd::done);
  EXPECT_EQ(task(0), "done 0 0");
  EXPECT_THAT(killed(alpha), IsEmpty()) << "task 2 waits for it";
  EXPECT_EQ(value("SELECT count(*) FROM jobs WHERE pooled AND remote_id IS NULL"), "2");
  end(pooled(2), JobEnd::done);
  EXPECT_THAT(killed(beta), ElementsAre(2));
  EXPECT_THAT(killed(alpha), ElementsAre(0)) << "its own task hangs";
  end(carriers_[0], JobEnd::killed_by_us);
  EXPECT_EQ(task(0), "done 0 0") << "its end moves nothing";
  EXPECT_EQ(counters(campaign), recount(campaign));
}

TEST_F(ReplicasOfPools, ACopyThatFails_IsNotCharged_AndTheOneInThePoolDecides) {
  const auto campaign = begin(1, 3);
  claims(0, 1);
  pass(10);
  reads({0});
  const auto replica = replicas_run(campaign, 1).at(1);
  end(replica, JobEnd::task_error);
  EXPECT_EQ(task(1), "running 0 0") << "its carrier carries it out";
  end(pooled(1), JobEnd::task_error);
  EXPECT_EQ(task(1), "failed 0 1");
  EXPECT_EQ(counters(campaign), recount(campaign));
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(ReplicasOfPools, ACarrierThatIsPreempted_LeavesItsTasksToTheirReplicas) {
  const auto campaign = begin(1, 3);
  claims(0, 1);
  pass(10);
  reads();
  const auto replicas = replicas_run(campaign, 2);
  const auto carried = pooled(1);
  end(carriers_[0], JobEnd::preempted);
  end(carried, JobEnd::preempted);
  EXPECT_EQ(task(0), "running 1 0");
  EXPECT_EQ(task(1), "running 1 0");
  EXPECT_EQ(stored.returned_tasks().size(), 0U);
  for (const int one : {0, 1}) end(replicas.at(one), JobEnd::done);
  EXPECT_EQ(counters(campaign).done, 2);
  EXPECT_EQ(counters(campaign), recount(campaign));
  EXPECT_THAT(broken(), IsEmpty());
}

}  // namespace
}  // namespace gleaner::tests
