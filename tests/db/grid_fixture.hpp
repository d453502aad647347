#pragma once
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lib/store/campaigns.hpp"
#include "lib/store/clusters.hpp"
#include "lib/store/jobs.hpp"
#include "lib/store/launches.hpp"
#include "lib/store/lease.hpp"
#include "lib/store/planning.hpp"
#include "tests/db/postgres.hpp"
#include "tests/db/stored_rows.hpp"

namespace gleaner::tests {

/// A database with two clusters, alpha and beta, and a lease; what a module would do to it, in words.
class GridFixture : public ::testing::Test {
 protected:
  GridFixture();

  /// A campaign of tasks "0", "1"… on the clusters; 1 core a job.
  grid::CampaignId a_campaign(std::int64_t tasks, const std::vector<std::string>& clusters = {"alpha", "beta"});
  /// One whose even tasks have request 1 (1 core), and whose odd ones have request 2 (2 cores).
  grid::CampaignId asking_different_things(std::int64_t tasks);

  /// Plans a launch, makes it, and has OAR accept it with the given first remote id.
  std::vector<store::LiveJob> launched(grid::CampaignId campaign, grid::ClusterId cluster, int jobs);
  /// Plans a launch and begins it: no answer yet.
  grid::LaunchId begun(grid::CampaignId campaign, grid::ClusterId cluster, int jobs);
  /// Ends a job that ran for ten seconds, under these limits: one failure of its own fails a task.
  grid::Settlement end(const store::LiveJob& job, grid::JobEnd end);
  grid::Settlement end(const store::LiveJob& job, grid::JobEnd end, const grid::Limits& limits);
  /// Ends a job that only waited, killed by us.
  void take_back(const store::LiveJob& job);

  struct Counters {
    std::int64_t waiting, launching, submitted, running, done, failed, cancelled;
    auto operator<=>(const Counters&) const = default;
  };
  [[nodiscard]] Counters counters(grid::CampaignId campaign);
  /// The same, counted from the tasks themselves.
  [[nodiscard]] Counters recount(grid::CampaignId campaign);
  /// The laws of the database that do not hold (`gridctl db check`, but for leftovers), each with a row that breaks it.
  [[nodiscard]] std::vector<std::string> broken();
  [[nodiscard]] std::string value(const std::string& sql);
  void execute(const std::string& sql);

  void transact(const std::function<void(store::Transaction&)>& work) { store::transact(database, term, work); }

  std::string conninfo;
  StoredRows stored{conninfo};
  store::Database database;
  store::Term term;
  grid::ClusterId alpha{0}, beta{0};
  grid::Instant now = grid::from_unix(1'800'000'000);
  grid::Limits many_attempts{.attempts = 50};
  std::int64_t next_remote = 1000;
};

}  // namespace gleaner::tests
