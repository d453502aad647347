#pragma once
#include <fmt/format.h>

#include <array>
#include <map>
#include <vector>

#include "lib/process/options.hpp"
#include "lib/store/chosen_tasks.hpp"
#include "lib/store/dependencies.hpp"
#include "lib/store/requests.hpp"
#include "metascheduler/facts_of.hpp"
#include "metascheduler/metascheduler.hpp"
#include "metascheduler/plan_of.hpp"
#include "tests/db/grid_fixture.hpp"
#include "tests/db/stored_sentences.hpp"

namespace gleaner::tests {

/// A campaign of 100 tasks on alpha, which has 16 free cores, and cycles of the metascheduler that decide on it.
class ReasonsFixture : public GridFixture {
 public:
  ReasonsFixture() : config{process::build_config({}, {}).value()}, campaign{a_campaign(100, {"alpha"})}, at{alpha} {
    config.campaign_scheduler = "workqueue";
    config.flood = 0;
    config.status_max_age = std::chrono::minutes{1};
    execute("UPDATE clusters SET reachable = true");
    status(alpha, 16);
    status(beta, 16);
  }

  /// The decision on the campaign, on the cluster that is watched or as a whole. Nothing is written.
  planner::Decision decide() {
    planner::Decision found{.campaign = campaign};
    bool any = false;
    transact([&](store::Transaction& transaction) {
      const auto planned = metascheduler::plan_of(metascheduler::facts_of(transaction, config, now), config, now);
      for (const auto& decision : planned.plan.decisions) {
        if (decision.campaign != campaign || (decision.cluster && *decision.cluster != at)) continue;
        found = decision;
        any = true;
      }
    });
    EXPECT_TRUE(any) << "nothing was decided";
    return found;
  }
  /// A cycle. Returns the campaign's jobs that it planned on the watched cluster, without those of scripts.
  int cycle() {
    const auto count = [&] {
      return std::stoi(
          value(fmt::format("SELECT count(*) FROM jobs WHERE campaign_id = {} AND cluster_id = {} AND NOT pooled AND task >= 0",
                            campaign.value(), at.value())));
    };
    const int before = count();
    static_cast<void>(metascheduler::run_once(config, database, term, now));
    return count() - before;
  }
  /// As users read them.
  std::string sentences(const std::string& where = "true") {
    return stored_sentences([this](const std::string& sql) { return value(sql); }, where);
  }
  std::string stored_reason() {
    return value(fmt::format(
        "SELECT string_agg(reason, ' ') FROM decisions WHERE campaign_id = {} AND cluster_id IN (0, {}) AND reason <> 'standing'",
        campaign.value(), at.value()));
  }

  void status(grid::ClusterId cluster, int free, int most = 16) {
    execute(fmt::format(
        "DELETE FROM gridstatus WHERE cluster_id = {0}; INSERT INTO gridstatus (cluster_id, time, max_resources, free, used, "
        "used_besteffort, our_running, our_waiting, reachable, api_latency_ms) VALUES ({0}, instant({1}), {2}, {3}, 0, 0, 0, 0, true, 5)",
        cluster.value(), now.time_since_epoch().count(), most, free));
  }
  /// The clusters report what they reported before.
  void later(std::chrono::seconds time) {
    now += time;
    execute(fmt::format("UPDATE gridstatus SET time = instant({})", now.time_since_epoch().count()));
  }
  void of_campaign(const std::string& assignment) { of(campaign, assignment); }
  void of(grid::CampaignId id, const std::string& assignment) {
    execute(fmt::format("UPDATE campaigns SET {} WHERE id = {}", assignment, id.value()));
  }
  void of_pair(const std::string& assignment) { of_pair(campaign, at, assignment); }
  void of_pair(grid::CampaignId id, grid::ClusterId cluster, const std::string& assignment) {
    execute(
        fmt::format("UPDATE campaign_clusters SET {} WHERE campaign_id = {} AND cluster_id = {}", assignment, id.value(), cluster.value()));
  }
  void of_cluster(const std::string& assignment) { execute(fmt::format("UPDATE clusters SET {} WHERE id = {}", assignment, at.value())); }

  /// The watched campaign is another one, and the first one is gone.
  void watch(grid::CampaignId new_one) {
    transact([&](store::Transaction& transaction) { EXPECT_TRUE(store::cancel_campaign(transaction, campaign, now)); });
    campaign = new_one;
  }
  void watch_new(std::int64_t tasks, const std::vector<std::string>& clusters = {"alpha"}) { watch(a_campaign(tasks, clusters)); }
  /// One that comes after another campaign of one task, which is under way.
  void watch_one_after(grid::DependencyKind kind) {
    other = a_campaign(1, {"alpha"});
    watch_new(1);
    std::array dependencies{store::NewDependency{.kind = kind, .on = other}};
    store::transact(database, std::nullopt, [&](store::Transaction& transaction) {
      EXPECT_FALSE(store::wrong_dependency(transaction, 1, dependencies));
      store::add_dependencies(transaction, campaign, dependencies, now);
    });
    live = launched(other, alpha, 1);
  }
  /// Jobs that run on alpha.
  std::vector<store::LiveJob> running(grid::CampaignId of, int jobs) {
    auto made = launched(of, alpha, jobs);
    run(made);
    return made;
  }
  void run(const std::vector<store::LiveJob>& jobs) {
    transact([&](store::Transaction& transaction) {
      for (const auto& job : jobs)
        store::observe_jobs(transaction, std::array{store::Observation{
                                             .job = job.id, .state = grid::JobState::running, .started_at = now, .resources = 1}});
    });
  }
  void end_all(grid::JobEnd how = grid::JobEnd::done) {
    for (const auto& job : live) end(job, how, many_attempts);
    live.clear();
  }
  /// Finishes their campaign.
  void finish() {
    transact([&](store::Transaction& transaction) { EXPECT_EQ(store::finish_campaigns(transaction, now).size(), 1U); });
  }
  /// The live jobs are done after no time.
  void end_at_once() {
    transact([&](store::Transaction& transaction) {
      for (const auto& job : live) {
        store::Verdict verdict{
            .left = store::facts_for_settling(transaction, std::array{job.id}).at(0), .started_at = now, .ended_at = now, .resources = 1};
        verdict.left.job.began = true;
        verdict.settlement = grid::settle(verdict.left.task, verdict.left.job, grid::JobEnd::done, grid::Deletion::none, many_attempts);
        store::settle_jobs(transaction, std::array{verdict}, now);
      }
    });
    live.clear();
  }
  /// OAR accepts what is planned on the watched cluster.
  void accept_planned() {
    transact([&](store::Transaction& transaction) {
      for (const auto& planned : store::planned_launches(transaction, at)) {
        EXPECT_TRUE(store::begin_launch(transaction, {planned.id, fmt::format("tag-{}", planned.id.value()), "alice"}, term, now));
        std::vector<store::AcceptedJob> jobs;
        for (const auto& line : store::launch_lines(transaction, planned.id)) jobs.push_back({line.job, grid::RemoteJobId{next_remote++}});
        store::accept_launch(transaction, planned.id, jobs, {}, now);
      }
      live = store::live_jobs(transaction, at);
    });
  }
  /// A launch of pools, accepted: `jobs` take `pooled` further tasks.
  void pools(int jobs, int pooled) {
    transact([&](store::Transaction& transaction) {
      EXPECT_EQ(store::plan_launch(
                    transaction, {.campaign = campaign, .cluster = at, .jobs = jobs, .pooled = pooled, .resources = 1.0 * jobs}, term, now),
                jobs);
    });
    accept_planned();
  }
  /// A launch whose answer was lost.
  void lose_answer(grid::ClusterId cluster, int jobs) {
    launch = begun(campaign, cluster, jobs);
    transact([&](store::Transaction& transaction) { store::mark_unknown(transaction, std::array{launch}, "lost", now); });
  }
  void give_up(grid::LaunchId which, grid::LaunchState from) {
    transact([&](store::Transaction& transaction) {
      EXPECT_TRUE(store::give_back(transaction,
                                   {.launch = which,
                                    .from = from,
                                    .sent = from == grid::LaunchState::planned ? grid::Sent::never : grid::Sent::maybe,
                                    .error = "lost"},
                                   many_attempts, now));
    });
  }
  /// Returns planned launches that are not sent.
  void give_up_planned(grid::ClusterId cluster) {
    std::vector<grid::LaunchId> planned;
    transact([&](store::Transaction& transaction) {
      for (const auto& one : store::planned_launches(transaction, cluster)) planned.push_back(one.id);
    });
    for (const auto one : planned) give_up(one, grid::LaunchState::planned);
  }
  void hold_tasks(text::Range range) {
    transact(
        [&](store::Transaction& transaction) { EXPECT_TRUE(store::hold_tasks(transaction, campaign, std::array{range}, "alice", now)); });
  }
  void release_tasks(text::Range range) {
    transact(
        [&](store::Transaction& transaction) { EXPECT_TRUE(store::release_held_tasks(transaction, campaign, std::array{range}, now)); });
  }
  void brake(const std::string& target, std::int64_t campaign_id, std::int64_t cluster_id) {
    execute(fmt::format(
        "INSERT INTO brakes (campaign_id, cluster_id, reason, created_at, expires_at) SELECT nullif({}, 0), nullif({}, 0), '{}', "
        "instant({}), instant({})",
        campaign_id, cluster_id, target, now.time_since_epoch().count(), (now + std::chrono::seconds{60}).time_since_epoch().count()));
  }
  void limit(const std::string& kind, int most) { execute(fmt::format("INSERT INTO limits (kind, most) VALUES ('{}', {})", kind, most)); }
  /// A campaign whose tasks need 12 cores, which alpha has and the watched cluster, beta, does not.
  void watch_one_that_fits_alpha_alone() {
    at = beta;
    grid::CampaignId made{0};
    store::transact(database, std::nullopt, [&](store::Transaction& transaction) {
      store::NewCampaign new_campaign;
      new_campaign.user = "alice";
      new_campaign.name = "requests";
      new_campaign.jdl = "{}";
      const auto id = std::get<grid::CampaignId>(store::create_campaign(transaction, new_campaign, now));
      for (const auto* name : {"alpha", "beta"}) {
        store::NewCampaignCluster cluster;
        cluster.name = name;
        cluster.exec_file = "run";
        cluster.resources = "/core=p1";
        EXPECT_TRUE(store::add_campaign_cluster(transaction, id, cluster));
      }
      store::TaskWriter writer{transaction, id, store::Requests::by_task};
      for (int i = 0; i < 3; ++i) writer.add(store::ParameterForm::line, std::to_string(i), 1);
      writer.finish();
      store::ClusterRequest request{.cluster = "alpha",
                                    .request = 1,
                                    .shape = 1,
                                    .resources = "/core=12",
                                    .resources_per_job = 12,
                                    .memory_mb = {},
                                    .walltime = grid::Seconds{600}};
      store::write_requests(transaction, id, std::array{request});
      store::complete_campaign(transaction, id, 3);
      made = id;
    });
    watch(made);
  }

  process::Config config;
  grid::CampaignId campaign;
  grid::ClusterId at;  ///< the cluster that is watched
  grid::CampaignId other{0};
  grid::LaunchId launch{0};
  std::vector<store::LiveJob> live;

  using GridFixture::a_campaign, GridFixture::alpha, GridFixture::beta, GridFixture::begun, GridFixture::end, GridFixture::execute,
      GridFixture::launched, GridFixture::now, GridFixture::transact, GridFixture::value, GridFixture::database, GridFixture::many_attempts;
};

}  // namespace gleaner::tests
