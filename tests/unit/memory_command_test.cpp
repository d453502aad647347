#include <gmock/gmock.h>

#include "lib/grid/evidence.hpp"
#include "lib/text/words.hpp"
#include "runner/command/command.hpp"
#include "tests/unit/pool_fixture.hpp"

/// Ends of jobs state the memory of tasks, where OAR gives jobs a cgroup of their own. Files of the home stand in for the files of the
/// kernel.
namespace gleaner::runner::test {
namespace {

class MemoryOfAJob : public Pool {
 protected:
  MemoryOfAJob() {
    fs::create_directories(cgroup());
    std::ofstream{cgroup() + "/memory.peak"} << 5 * 1024 * 1024 << '\n';
    std::ofstream{home_ + "/self"} << "0::/oar/griduser1_900\n";
  }
  [[nodiscard]] std::string cgroup() const { return home_ + "/cgroup/oar/griduser1_900"; }
  static LaunchFacts launch(const std::string& exec_file) {
    return {"grid", grid::CampaignId{12}, exec_file, "alpha", "griduser1", "$HOME", "/core=1", "1:30:00"};
  }
  static LaunchFacts with_checkpoints(const std::string& exec_file) {
    auto facts = launch(exec_file);
    facts.measured = true;
    facts.checkpoint_signal = "USR1";
    return facts;
  }
  static LaunchFacts pool(const std::string& exec_file) {
    auto facts = launch(exec_file);
    facts.pool = PoolFacts{"7", grid::Seconds{60}, grid::Seconds{60}, grid::JobId{100}, 1};
    return facts;
  }
  /// Runs the job of task 0, and `meanwhile` beside it, in which $W is the wrapper's process; the status of the job.
  [[nodiscard]] int run_job(const LaunchFacts& facts, const std::string& meanwhile = ":",
                            const std::string& node_file = "/dev/null") const {
    const auto command = JobCommand::create(facts).value();
    auto script = command.script();
    replace(script, "/sys/fs/cgroup", home_ + "/cgroup");
    replace(script, "/proc/self/cgroup", home_ + "/self");
    return run_shell(fmt::format("cd {0}\nenv -i HOME={0} PATH=\"$PATH\" OAR_JOB_ID=900 OAR_NODEFILE={1} bash -c {2} {3} {4} "
                                 "> out 2>&1 < /dev/null &\nW=$!\n{5}\nwait $W",
                                 home_, node_file, text::quote(script), command.mark(), line(0), meanwhile))
        .status;
  }

 private:
  static void replace(std::string& text, std::string_view what, const std::string& by) {
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) text.replace(at, what.size(), by);
  }
};

constexpr auto* kSomeWork = "for ((i = 0; i < 100000; ++i)); do :; done; ";

TEST_F(MemoryOfAJob, Document003_ATaskWithCheckpoints_IsMeasured_AndGetsItsSignal) {
  const std::string task = "trap 'exit 66' USR1; echo > ready; while :; do sleep 0.01; done; :";
  EXPECT_EQ(run_job(with_checkpoints(kSomeWork + task), "until [ -e ready ]; do sleep 0.05; done; kill -USR1 $W"), 66);
  const auto noted = evidence(0);
  EXPECT_EQ(noted.witness, grid::Witness::ended);
  EXPECT_EQ(noted.status, 66);
  ASSERT_TRUE(noted.duration && noted.cpu);
  EXPECT_GT(*noted.cpu, std::chrono::milliseconds{0});
  EXPECT_GE(*noted.duration, *noted.cpu / 2);
  EXPECT_EQ(noted.peak_kib, 5 * 1024);
}

/// GNU time would get the signal instead of the command.
TEST_F(MemoryOfAJob, IsUnknown_WhereATaskHasCheckpoints_AndTheJobNoCgroup) {
  std::ofstream{home_ + "/self"} << "0::/system.slice/oar-node.service\n";
  EXPECT_EQ(run_job(with_checkpoints(std::string{kSomeWork} + "ps -o comm= -p $PPID > parent; :")), 0);
  EXPECT_EQ(content("parent"), "bash\n");
  EXPECT_TRUE(evidence(0).duration && evidence(0).cpu);
  EXPECT_FALSE(evidence(0).peak_kib);
}

TEST_F(MemoryOfAJob, ACommandOfACheckpointThatIsKilled_IsNotedWithItsStatus) {
  EXPECT_EQ(run_job(with_checkpoints("kill -KILL $$; :")), 137);
  EXPECT_EQ(evidence(0).status, 137);
  EXPECT_TRUE(evidence(0).duration);
}

TEST_F(MemoryOfAJob, InAPool_IsThatOfTheTaskThatRunsFirst) {
  list(1, 2);
  EXPECT_EQ(run_job(pool("true")), 0);
  EXPECT_EQ(evidence(0).peak_kib, 5 * 1024);
  for (const int task : {1, 2}) {
    EXPECT_TRUE(evidence(task).cpu) << task;
    EXPECT_FALSE(evidence(task).peak_kib) << "the peak of the job is not this task's: " << task;
  }
}

TEST_F(MemoryOfAJob, IsThatOfNone_WhereTasksRunSideBySide) {
  list(1, 2);
  std::ofstream{home_ + "/nodes"} << "n1\nn1\n";
  auto facts = pool("sleep 0.1; :");
  facts.pool->side_by_side = true;
  EXPECT_EQ(run_job(facts, ":", home_ + "/nodes"), 0);
  for (const int task : {0, 1, 2}) EXPECT_FALSE(evidence(task).peak_kib) << task;
}

}  // namespace
}  // namespace gleaner::runner::test
