#include "tests/db/grid_fixture.hpp"

#include <fmt/format.h>

#include "lib/store/checks.hpp"
#include "lib/store/detail.hpp"

namespace gleaner::tests {
namespace {

grid::ClusterId add(store::Transaction& transaction, const std::string& name) {
  store::Cluster cluster;
  cluster.name = name;
  cluster.url = "http://127.0.0.1:1/" + name;
  return store::add_cluster(transaction, cluster);
}

std::string counted(const std::string& state) { return fmt::format("count(*) FILTER (WHERE state = '{}')", state); }

}  // namespace

GridFixture::GridFixture()
    : conninfo{PrivatePostgres::instance().fresh_database()},
      database{conninfo},
      term{store::acquire_lease(database, "test", std::chrono::hours{1}).value()} {
  transact([&](store::Transaction& transaction) {
    alpha = add(transaction, "alpha");
    beta = add(transaction, "beta");
  });
}

grid::CampaignId GridFixture::a_campaign(std::int64_t tasks, const std::vector<std::string>& clusters) {
  grid::CampaignId id{0};
  store::transact(database, std::nullopt, [&](store::Transaction& transaction) {
    store::NewCampaign campaign;
    campaign.user = "alice";
    campaign.name = "test";
    campaign.jdl = "{}";
    id = std::get<grid::CampaignId>(store::create_campaign(transaction, campaign, now));
    for (const auto& name : clusters) {
      store::NewCampaignCluster cluster;
      cluster.name = name;
      cluster.exec_file = "run";
      cluster.exec_directory = "$HOME";
      cluster.resources = "/core=1";
      cluster.resources_per_job = 1;
      cluster.walltime = grid::Seconds{600};
      EXPECT_TRUE(store::add_campaign_cluster(transaction, id, cluster));
    }
    store::write_numbered_tasks(transaction, id, tasks);
    store::complete_campaign(transaction, id, tasks);
  });
  return id;
}

grid::CampaignId GridFixture::asking_different_things(std::int64_t tasks) {
  const auto id = a_campaign(tasks);
  execute(fmt::format(R"(
    UPDATE campaigns SET requests = 2 WHERE id = {0};
    UPDATE tasks SET request = number % 2 + 1 WHERE campaign_id = {0};
    INSERT INTO campaign_requests (campaign_id, cluster_id, request, shape, resources, resources_per_job, walltime_s)
      SELECT {0}, k.id, r, r, '/core=' || r, r, 600 FROM clusters k, generate_series(1, 2) AS r;
    INSERT INTO request_tasks SELECT {0}, request, number FROM tasks WHERE campaign_id = {0};
    INSERT INTO request_bags SELECT {0}, request, min(number), count(*) FROM tasks WHERE campaign_id = {0} GROUP BY request)",
                      id.value()));
  return id;
}

grid::LaunchId GridFixture::begun(grid::CampaignId campaign, grid::ClusterId cluster, int jobs) {
  transact([&](store::Transaction& transaction) {
    EXPECT_EQ(store::plan_launch(
                  transaction, {.campaign = campaign, .cluster = cluster, .jobs = jobs, .resources = static_cast<double>(jobs)}, term, now),
              jobs);
  });
  grid::LaunchId id{0};
  transact([&](store::Transaction& transaction) {
    id = store::planned_launches(transaction, cluster).back().id;
    EXPECT_TRUE(store::begin_launch(transaction, {.launch = id, .tag = fmt::format("tag-{}", id.value()), .login = "alice"}, term, now));
  });
  return id;
}

std::vector<store::LiveJob> GridFixture::launched(grid::CampaignId campaign, grid::ClusterId cluster, int jobs) {
  const auto id = begun(campaign, cluster, jobs);
  std::vector<store::LiveJob> mine;
  transact([&](store::Transaction& transaction) {
    std::vector<store::AcceptedJob> accepted;
    for (const auto& line : store::launch_lines(transaction, id)) accepted.push_back({line.job, grid::RemoteJobId{next_remote++}});
    EXPECT_EQ(store::accept_launch(transaction, id, accepted, accepted.front().remote, now), jobs);
    for (const auto& job : store::live_jobs(transaction, cluster)) {
      if (job.remote >= accepted.front().remote) mine.push_back(job);
    }
  });
  return mine;
}

grid::Settlement GridFixture::end(const store::LiveJob& job, grid::JobEnd end) {
  return this->end(job, end, {.attempts = 50, .charged = 1, .walltime_factor = 2});
}

grid::Settlement GridFixture::end(const store::LiveJob& job, grid::JobEnd end, const grid::Limits& limits) {
  grid::Settlement next;
  transact([&](store::Transaction& transaction) {
    store::Verdict verdict{.left = store::facts_for_settling(transaction, std::array{job.id}).at(0),
                           .started_at = now,
                           .ended_at = now + grid::Seconds{10},
                           .resources = 1};
    verdict.end = end;
    verdict.state = end == grid::JobEnd::done || end == grid::JobEnd::task_error ? grid::JobState::terminated : grid::JobState::error;
    verdict.left.job.began = true;
    verdict.settlement = next = grid::settle(verdict.left.task, verdict.left.job, end, grid::Deletion::none, limits);
    store::settle_jobs(transaction, std::array{verdict}, now);
  });
  return next;
}

void GridFixture::take_back(const store::LiveJob& job) {
  transact([&](store::Transaction& transaction) {
    store::Verdict verdict{.left = store::facts_for_settling(transaction, std::array{job.id}).at(0),
                           .state = grid::JobState::killed,
                           .end = grid::JobEnd::killed_by_us};
    verdict.settlement = grid::settle(verdict.left.task, verdict.left.job, verdict.end, grid::Deletion::ours, {.attempts = 50});
    store::settle_jobs(transaction, std::array{verdict}, now);
  });
}

GridFixture::Counters GridFixture::counters(grid::CampaignId campaign) {
  auto transaction = database.begin();
  const auto row =
      transaction.implementation()
          .work
          .exec(fmt::format("SELECT waiting, launching, submitted, running, done, failed, cancelled FROM campaigns WHERE id = {}",
                            campaign.value()))
          .at(0);
  return {row[0].as<std::int64_t>(), row[1].as<std::int64_t>(), row[2].as<std::int64_t>(), row[3].as<std::int64_t>(),
          row[4].as<std::int64_t>(), row[5].as<std::int64_t>(), row[6].as<std::int64_t>()};
}

GridFixture::Counters GridFixture::recount(grid::CampaignId campaign) {
  auto transaction = database.begin();
  const auto row = transaction.implementation()
                       .work
                       .exec(fmt::format("SELECT {}, {}, {}, {}, {}, {}, {} FROM tasks WHERE campaign_id = {}", counted("waiting"),
                                         counted("launching"), counted("submitted"), counted("running"), counted("done"), counted("failed"),
                                         counted("cancelled"), campaign.value()))
                       .at(0);
  return {row[0].as<std::int64_t>(), row[1].as<std::int64_t>(), row[2].as<std::int64_t>(), row[3].as<std::int64_t>(),
          row[4].as<std::int64_t>(), row[5].as<std::int64_t>(), row[6].as<std::int64_t>()};
}

std::vector<std::string> GridFixture::broken() {
  std::vector<std::string> names;
  for (const auto& law : store::laws()) {
    if (law.weight == store::Weight::leftover) continue;
    const auto checked = store::check_law(database, law, store::Reach::all, std::chrono::milliseconds{0});
    if (checked.result != store::Checked::Result::holds)
      names.push_back(fmt::format("{}: {}", law.name, checked.breaches.rows.empty() ? "" : checked.breaches.rows.front().text));
  }
  return names;
}

std::string GridFixture::value(const std::string& sql) {
  auto transaction = database.begin();
  return transaction.implementation().work.exec(sql).at(0).at(0).as(std::string{});
}

void GridFixture::execute(const std::string& sql) {
  auto transaction = database.begin();
  transaction.implementation().work.exec(sql);
  transaction.commit();
}

}  // namespace gleaner::tests
