#include <gtest/gtest.h>
#include <signal.h>

#include <fmt/format.h>

#include <array>
#include <thread>

#include "tests/db/postgres.hpp"
#include "tests/seed.hpp"
#include "tests/system/grid_under_test.hpp"

/// Anything at any time, from a seed; then calm, and what must be true of it.
namespace gleaner::tests {
namespace {

constexpr std::int64_t kTasks = 80;
constexpr std::array kFaults{
    R"({"mode":"500","count":3})",
    R"({"mode":"hang","count":2})",
    R"({"mode":"truncate","count":3})",
    R"({"mode":"html","count":2})",
    R"({"mode":"reset","match":"POST /jobs","count":1,"after_commit":true})",
    R"({"mode":"empty","match":"POST /jobs","count":1,"after_commit":true})",
    R"({"mode":"500","match":"POST /jobs","count":2,"after_commit":true})",
    R"({"mode":"hang","match":"POST /jobs","count":1,"after_commit":true})",
    R"({"mode":"reset","match":"POST /jobs","count":1})",
    R"({"mode":"none","match":"POST /jobs","count":1,"delay_ms":6000})",
    R"({"mode":"500","match":"DELETE /jobs","count":2,"after_commit":true})",
    R"({"mode":"none","count":10,"latency_ms":700})",
};

/// The grid, two campaigns on it (one will be cancelled), and what can happen to them.
class World {
 public:
  World(std::uint64_t seed, bool grouping)
      : dice_{seed},
        grid_{{.configuration = {{"lease_duration", "2s"},
                                 {"void_delay", "2s"},
                                 {"submit_timeout", "2s"},
                                 {"request_timeout", "2s"},
                                 {"cycle_period", "200ms"}}}} {
    grid_.almighty().start();
    // Its execution is its last act, so that one killed before has done nothing.
    kept_ = grid_.submit({.tasks = kTasks, .exec_file = grid_.oracle().task("sleep 0.$(($1 * 7 % 9))"), .grouping = grouping});
    doomed_ = grid_.submit({.tasks = 1000, .exec_file = grid_.oracle().task("sleep 0.5"), .grouping = grouping});
  }

  void step() {
    std::this_thread::sleep_for(std::chrono::milliseconds{dice_.roll(20, 800)});  // the random moment itself
    switch (dice_.roll(0, 9)) {
      case 0: return kill(grid_.almighty());
      case 1: return restart_cluster();
      case 2: return preempt();
      case 3: return grid_.cancel(doomed_);
      case 4: return restart_database();
      case 5:
      case 6: return kill_a_module();
      default: return some_cluster().add_fault(dice_.pick(kFaults));
    }
  }

  void calm() {
    for (const auto* name : kNames) grid_.cluster(name).clear_faults();
    grid_.cancel(doomed_);
  }

  void check() {
    ASSERT_TRUE(grid_.terminates(kept_));
    ASSERT_TRUE(grid_.becomes(fmt::format("SELECT launching + submitted + running FROM campaigns WHERE id = {}", doomed_.value()), "0"));
    EXPECT_EQ(grid_.number(fmt::format("SELECT done FROM campaigns WHERE id = {}", kept_.value())), kTasks);
    check_executions(kept_);
    check_executions(doomed_);
    EXPECT_TRUE(grid_.is_consistent());
    for (const auto* name : kNames)
      EXPECT_TRUE(await([&] { return grid_.cluster(name).jobs_in("Waiting,toLaunch,Launching,Running") == 0; }));
  }

 private:
  static constexpr std::array kNames{"alpha", "beta"};

  Minioar& some_cluster() { return grid_.cluster(dice_.pick(kNames)); }
  static void kill(Service& service) {
    service.kill();
    service.start();
  }
  void restart_cluster() {
    auto& cluster = some_cluster();
    cluster.kill();
    cluster.start();
  }
  void restart_database() {
    PrivatePostgres::instance().stop();
    std::this_thread::sleep_for(std::chrono::milliseconds{dice_.roll(0, 1500)});  // the outage itself
    PrivatePostgres::instance().start();
  }
  void preempt() { some_cluster().preempt(dice_.roll(1, 4)); }
  void kill_a_module() {
    const auto modules = grid_.almighty().children();
    if (!modules.empty()) ::kill(dice_.pick(modules), SIGKILL);
  }

  /// No attempt is carried out twice; a task only when a job of it was killed after its last act; one
  /// that is done was carried out.
  void check_executions(grid::CampaignId campaign) {
    const auto executions = grid_.oracle().executions(campaign);
    std::map<std::int64_t, int> times;
    for (const auto& [execution, count] : executions) {
      EXPECT_EQ(count, 1) << "task " << execution.first << ", attempt " << execution.second;
      times[execution.first] += count;
    }
    for (const auto& [task, count] : times) {
      if (count == 1) continue;
      EXPECT_GE(grid_.number(fmt::format(
                    "SELECT count(*) FROM jobs WHERE campaign_id = {} AND task = {} AND ending IN ('preempted', 'killed_by_us')",
                    campaign.value(), task)),
                count - 1)
          << "task " << task << " was carried out " << count << " times";
    }
    const auto done = grid_.number(fmt::format("SELECT done FROM campaigns WHERE id = {}", campaign.value()));
    EXPECT_GE(static_cast<std::int64_t>(times.size()), done);
  }

  Dice dice_;
  GridUnderTest grid_;
  grid::CampaignId kept_{0};
  grid::CampaignId doomed_{0};
};

TEST(Anything, AtAnyTime_EndsWithEachTaskDone_AndNoAttemptCarriedOutTwice) {
  const auto seed = test_seed();
  const int runs = long_runs() ? 25 : 1;
  for (int run = 0; run < runs && !HasFailure(); ++run) {
    const bool grouping = (seed + static_cast<std::uint64_t>(run)) % 2 == 1;
    SCOPED_TRACE(fmt::format("seed {}, {}", seed + static_cast<std::uint64_t>(run), grouping ? "in pools" : "one job a task"));
    World world{seed + static_cast<std::uint64_t>(run), grouping};
    for (int step = 0; step < 30; ++step) world.step();
    world.calm();
    world.check();
  }
}

}  // namespace
}  // namespace gleaner::tests
