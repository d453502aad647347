#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "lib/oar/client.hpp"
#include "lib/process/failpoint.hpp"
#include "tests/chaos/killer.hpp"
#include "tests/chaos/tcp_gate.hpp"
#include "tests/chaos/testbed.hpp"

/// Real OAR clusters that die, among everything else; with GLEANER_TEST_LONG.
namespace gleaner::tests {
namespace {

using std::chrono::milliseconds;

constexpr std::int64_t kTasks = 300, kPooledTasks = 2000;
constexpr int kSeeds = 3;
constexpr process::Duration kPatience{1'500'000};

GridUnderTest::Wish wish() {
  return {.backend = GridUnderTest::Backend::real_oar,
          .clusters = {},
          .configuration = {{"cycle_period", "1s"},
                            {"void_delay", "15s"},
                            {"submit_timeout", "10s"},
                            {"request_timeout", "10s"},
                            {"lease_duration", "4s"},
                            {"evidence_delay", "1s"},
                            {"evidence_patience", "60s"},
                            {"launch_patience", "60s"},
                            {"pool_duration", "30s"}}};
}

/// The disturbances of the grid and its clusters, so many of each, in the order that the seed determines.
class Storm {
 public:
  Storm(GridUnderTest& grid, Dice& dice) : grid_{grid}, dice_{dice}, killer_{grid, dice} {
    for (const auto& cluster : grid.clusters()) {
      gates_.push_back(std::make_unique<TcpGate>(cluster.url));
      grid.move_cluster(cluster.name, gates_.back()->url());
    }
    add(12, "OAR's server killed", [this] {
      const auto& cluster = some_cluster();
      testbed_fault(cluster.name, "server-kill");
      pause(1, 12);
      testbed_fault(cluster.name, "server-start");
    });
    add(8, "OAR's API killed", [this] {
      const auto& cluster = some_cluster();
      testbed_fault(cluster.name, "api-kill");
      pause(0, 5);
      testbed_fault(cluster.name, "api-start");
    });
    add(6, "preemption", [this] { preempt(); });
    add(6, "lost answer", [this] {
      constexpr std::array kInstead{TcpGate::Instead::end_of_file, TcpGate::Instead::reset, TcpGate::Instead::error_500,
                                    TcpGate::Instead::late};
      gates_.at(static_cast<std::size_t>(dice_.roll(0, static_cast<int>(gates_.size()) - 1)))
          ->lose(dice_.pick(kInstead), 1, std::chrono::seconds{15});
    });
    add(15, "process killed", [this] { killer_.strike(); });
    for (const auto failpoint : process::kFailpoints) {
      if (!failpoint.starts_with("herald.")) add(1, failpoint, [this, failpoint] { die_at(failpoint); });  // almighty runs no herald
    }
    for (auto left = static_cast<int>(all_.size()); left > 1; --left)
      std::swap(all_[static_cast<std::size_t>(left - 1)], all_[static_cast<std::size_t>(dice_.roll(0, left - 1))]);
  }

  void rage() {
    for (const auto& one : all_) {
      pause(1, 6);
      std::cout << "[ storm    ] " << one.name << std::endl;
      one.strike();
    }
  }

 private:
  struct Strike {
    std::string_view name;
    std::function<void()> strike;
  };
  void add(int times, std::string_view name, std::function<void()> strike) {
    for (int i = 0; i < times; ++i) all_.push_back({name, strike});
  }
  const TestCluster& some_cluster() { return dice_.pick(grid_.clusters()); }
  void pause(int least, int most) {
    std::this_thread::sleep_for(milliseconds{dice_.roll(1000 * least, 1000 * most)});
  }  // the random moment itself
  /// Their API may be dead at this moment, or their server: then there is none.
  void preempt() {
    try {
      submit_local(some_cluster(), {.cores = dice_.roll(4, 12), .command = "sleep 3", .user = "griduser2"});
    } catch (const std::runtime_error& error) {
      std::cout << "[ storm    ] " << error.what() << std::endl;
    }
  }

  /// Its module dies there again and again, for a while.
  void die_at(std::string_view failpoint) {
    grid_.almighty().kill();
    grid_.almighty().start({{"GLEANER_FAILPOINT", std::string{failpoint}}});
    pause(3, 8);
    grid_.almighty().kill();
    grid_.almighty().start();
  }

  GridUnderTest& grid_;
  Dice& dice_;
  Killer killer_;
  std::vector<std::unique_ptr<TcpGate>> gates_;
  std::vector<Strike> all_;
};

/// Whether the tasks are in pools.
class RealOarDies : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (real_clusters().empty()) GTEST_SKIP() << "GLEANER_TEST_OAR names no testbed: nothing is tested on real OAR here";
    if (!long_runs()) GTEST_SKIP() << "takes half an hour: with GLEANER_TEST_LONG";
  }
  void TearDown() override {
    for (const auto& cluster : real_clusters()) {
      if (long_runs()) testbed_fault(cluster.name, "mend");
    }
  }
  /// OAR preempts with SIGKILL. Attempts whose file in their user's home says that they began, and not that they ended, when all is over.
  static Oracle::CutOff cut_off(GridUnderTest& grid, grid::CampaignId campaign) {
    namespace fs = std::filesystem;
    const auto clusters = fs::path{std::getenv("GLEANER_TEST_OAR")}.parent_path() / "clusters";
    const std::regex began{fmt::format(R"(.*/home/[^/]+/\.gleaner/{}/{}/[0-9]+/([0-9]+)\.([0-9]+)\.[0-9]+\.[0-9]+\.([sew]).*)",
                                       grid.value("SELECT token FROM grid"), campaign.value())};
    Oracle::CutOff cut_off;
    Oracle::CutOff noted;
    for (const auto& cluster : grid.clusters()) {
      for (const auto& entry : fs::recursive_directory_iterator{clusters / cluster.name / "home"}) {
        std::smatch found;
        if (const auto path = entry.path().string(); std::regex_match(path, found, began))
          (found[3] == "s" ? cut_off : noted).emplace(std::stoll(found[1]), std::stoi(found[2]));
      }
    }
    std::erase_if(cut_off, [&](const auto& attempt) { return noted.contains(attempt); });
    return cut_off;
  }
  /// When OAR killed a job: from its first signal to the end that it noted, in whole seconds of its own. Seconds lie between them where
  /// OAR's server dies meanwhile.
  static std::pair<std::int64_t, std::int64_t> time_of_kill(GridUnderTest& grid, const std::string& cluster, std::int64_t job) {
    constexpr int kTries = 5;
    const auto found = std::ranges::find(grid.clusters(), cluster, &TestCluster::name);
    oar::Access access;
    access.name = cluster;
    access.url = found->url;
    access.authentication = found->login.empty() ? oar::Authentication::none : oar::Authentication::basic;
    access.login = found->login;
    access.secret = found->password;
    access.identity_header = found->identity_header;
    oar::Client client{access};
    const oar::JobOf asked{found->user, grid::RemoteJobId{job}};
    auto details = client.details({&asked, 1}).front();
    for (int tries = 1; !details && tries < kTries; ++tries) details = client.details({&asked, 1}).front();
    if (!details) throw std::runtime_error(fmt::format("job {} of {}: {}", job, cluster, oar::describe(details.error())));
    const auto end = grid::to_unix(details->job.stopped.value_or(grid::Instant{}));
    auto first = end;
    for (const auto& event : details->events) {
      if (event.type == "SEND_KILL_JOB") first = std::min(first, grid::to_unix(event.date));
    }
    return {first, end};
  }
  /// The same of pooled tasks, whose files go with their pool: of the tasks that were carried out more than once, the attempts whose
  /// carrier was killed when they had just ended. `ended` has lines of time, task and attempt.
  static Oracle::CutOff cut_off_with_carrier(GridUnderTest& grid, grid::CampaignId campaign, const std::filesystem::path& ended) {
    std::map<std::int64_t, int> executions;
    for (const auto& [execution, count] : grid.oracle().executions(campaign)) executions[execution.first] += count;
    Oracle::CutOff cut_off;
    std::ifstream lines{ended};
    std::int64_t time = 0, task = 0;
    for (int attempt = 0; lines >> time >> task >> attempt;) {
      if (executions[task] < 2) continue;
      const auto carrier = grid.value(
          fmt::format("SELECT concat_ws(' ', k.name, c.remote_id, j.ending, c.ending) FROM jobs j JOIN clusters k ON k.id = j.cluster_id "
                      "JOIN jobs c ON c.cluster_id = j.cluster_id AND c.remote_id = j.remote_id AND NOT c.pooled "
                      "WHERE j.campaign_id = {} AND j.task = {} AND j.attempt = {} AND j.pooled",
                      campaign.value(), task, attempt));
      std::istringstream words{carrier};
      std::string cluster, ending;
      std::int64_t job = 0;
      words >> cluster >> job >> ending;
      const auto [first, last] = time_of_kill(grid, cluster, job);
      std::cout << fmt::format("[ storm    ] task {}, attempt {} ended at {}; in job {}, killed from {} to {}\n", task, attempt, time,
                               carrier, first, last);
      if (ending == "preempted" && time >= first - 1 && time <= last + 1) cut_off.emplace(task, attempt);
    }
    return cut_off;
  }
  void weather(std::uint64_t seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Dice dice{seed};
    GridUnderTest grid{wish()};
    grid.start_api();
    grid.almighty().start();
    Storm storm{grid, dice};
    // A job whose end OAR has missed keeps its place until its walltime.
    const auto tasks = GetParam() ? kPooledTasks : kTasks;
    const auto ended = grid.oracle().folder() / "ended";
    const auto campaign = grid.submit({.tasks = tasks,
                                       .exec_file = grid.oracle().task(fmt::format(
                                           R"(sleep $((1 + $1 * 3 % 5)) && printf "%(%s)T $1 $CIGRI_ATTEMPT\n" -1 >> {})", ended.string())),
                                       .walltime = "0:2:0",
                                       .grouping = GetParam()});
    storm.rage();
    ASSERT_TRUE(grid.terminates(campaign, kPatience));
    auto unnoted = cut_off(grid, campaign);
    auto with_carrier = cut_off_with_carrier(grid, campaign, ended);
    std::cout << "[ storm    ] seed " << seed << ": " << unnoted.size() << " attempts began and never noted an end; " << with_carrier.size()
              << " ended while their carrier was killed; " << grid.value("SELECT count(*) FROM jobs WHERE NOT pooled")
              << " jobs of OAR, of which "
              << grid.value("SELECT count(*) FROM jobs WHERE NOT pooled AND 'preempted' IN (ending, run_ending)") << " were preempted"
              << std::endl;
    unnoted.merge(with_carrier);
    EXPECT_TRUE(grid.is_exactly_done(campaign, tasks, unnoted));
    EXPECT_EQ(grid.value("SELECT sum(failed) FROM campaigns"), "0");
    EXPECT_EQ(grid.value("SELECT sum(charged) FROM tasks"), "0");
  }
};

TEST_P(RealOarDies, AgainAndAgain_AmongPreemptionsLostAnswersAndOurOwnDeaths_EachTaskIsDoneOnce_AndNobodyPays) {
  const auto seed = test_seed();
  for (std::uint64_t run = 0; run < kSeeds && !HasFailure(); ++run) {
    weather(seed + run);
    for (const auto& cluster : real_clusters()) testbed_fault(cluster.name, "mend");
  }
}

INSTANTIATE_TEST_SUITE_P(OfJobs, RealOarDies, ::testing::Bool(),
                         [](const auto& each) { return each.param ? "InPools" : "OneForEachTask"; });

}  // namespace
}  // namespace gleaner::tests
