#include "tests/seed.hpp"
#include "tests/unit/wrapper_fixture.hpp"

#include "sim/minioar/engine.hpp"

/// The model under minioar's engine: jobs that wait, start, and are preempted, killed and run again, in virtual time.
namespace gleaner::wrapper::test {
namespace {

/// Random tasks and moments.
class Chance final : public Fates {
 public:
  explicit Chance(std::uint64_t seed) : dice_{seed} {}
  TaskPlan task(const TaskRun& run) override {
    ran.push_back(fmt::format("{}.{}", run.task, run.attempt));
    return {.duration = std::chrono::milliseconds{dice_.roll(0, 40'000)},
            .status = dice_.roll(0, 3) == 0 ? 1 : 0,
            .ignores_term = dice_.roll(0, 3) == 0,
            .at_checkpoint = {.state = "half", .after = 1s, .status = dice_.roll(0, 1) == 0 ? std::optional{66} : std::nullopt}};
  }
  TaskPlan other_job(std::int64_t, const std::string&) override { return {.duration = std::chrono::seconds{dice_.roll(1, 30)}}; }
  Moment before(const TaskRun&, Step) override {
    const int chance = dice_.roll(0, 199);
    return {.pause = std::chrono::milliseconds{dice_.roll(0, 2) == 0 ? dice_.roll(0, 3000) : 0},
            .outcome = chance == 0   ? Outcome::killed
                       : chance == 1 ? Outcome::fails
                                     : Outcome::works};
  }
  std::vector<std::string> ran;

 private:
  tests::Dice dice_;
};

class WrapperUnderEngine : public WrapperModel {
 protected:
  struct Run {
    std::string records;  ///< the engine's log and journal
    std::map<std::string, std::string> files;
    std::vector<std::string> ran;
    std::size_t unfinished = 0;
  };

  static std::string text_of(const fs::path& path) {
    std::ifstream file{path};
    return {std::istreambuf_iterator<char>{file}, {}};
  }

  /// An hour of jobs of every kind; each attempt of a task is sent twice.
  Run play(std::uint64_t seed) {
    fs::remove_all(root_ / "state");
    fs::remove_all(root_ / "homes");
    fs::create_directories(root_ / "homes/griduser1");
    with_pool_list(500, 540)(root_ / "homes/griduser1");
    tests::Dice dice{seed};
    Chance fates{seed};
    ModelExecutor executor{fates};
    Time now{1'000'000s};
    const auto start = [&] {
      minioar::EngineOptions options{.state_directory = root_ / "state", .homes = root_ / "homes", .shape = {.nodes = 2, .cores = 2}};
      options.clock = [&] { return now; };
      return minioar::Engine::start_driven(std::move(options), executor).value();
    };
    auto engine = start();
    for (int i = 0; i < 120; ++i) {
      now += std::chrono::milliseconds{dice.roll(0, 20'000)};
      engine->step_to(now);
      switch (dice.roll(0, 9)) {
        case 0: (void)engine->preempt(std::nullopt, 1); break;
        case 1: (void)engine->kill("griduser1", dice.roll(1, i + 1)); break;
        case 2: (void)engine->checkpoint("griduser1", dice.roll(1, i + 1)); break;
        case 3: engine = start(); break;
        case 4: submit_other(*engine); break;
        default: submit(*engine, dice, i);
      }
    }
    now += 24h;
    engine->step_to(now);
    Run run{text_of(root_ / "state/executions.log") + text_of(root_ / "state/journal"), {}, fates.ran, 0};
    run.unfinished = engine->read([](minioar::Ledger& ledger) { return ledger.unfinished().size(); });
    for (const auto& entry : fs::recursive_directory_iterator{root_ / "homes"})
      run.files[entry.path().string()] = entry.is_directory() ? "" : text_of(entry.path());
    return run;
  }

  void submit_other(minioar::Engine& engine) {
    minioar::Submission submission;
    submission.user = "griduser1";
    submission.directory = (root_ / "homes/griduser1").string();
    submission.stdout_file = submission.stderr_file = "OAR.other";
    EXPECT_TRUE(engine.submit(std::move(submission), {"sleep 9"}));
  }
  void submit(minioar::Engine& engine, tests::Dice& dice, int task) {
    Scenario scenario;
    const int kind = dice.roll(0, 2);
    if (kind == 0) scenario.launch = [](runner::LaunchFacts& facts) { make_pool(facts, 1); };
    if (kind == 1) scenario.launch = [](runner::LaunchFacts& facts) { facts.checkpoint_signal = "USR2"; };
    auto text = command_of(scenario).text();
    for (auto at = text.find("\\$"); at != std::string::npos; at = text.find("\\$", at)) text.erase(at, 1);
    minioar::Submission submission;
    submission.user = "griduser1";
    submission.types = {"besteffort", "idempotent"};
    submission.resources = {"/core=1,walltime=0:2:0"};
    submission.directory = (root_ / "homes/griduser1").string();
    submission.stdout_file = "OAR.%jobid%.stdout";
    submission.stderr_file = "OAR.%jobid%.stderr";
    std::vector<std::string> commands;
    for (int twin = 0; twin < 2; ++twin) commands.push_back(text + " " + line_of({.task = task, .job = 1000 + 2 * task + twin}));
    EXPECT_TRUE(engine.submit(std::move(submission), std::move(commands)));
  }
};

TEST_F(WrapperUnderEngine, SameSeed_GivesTheSameLogJournalAndFiles_ToTheByte) {
  const auto seed = tests::test_seed();
  const auto first = play(seed);
  const auto second = play(seed);
  EXPECT_GT(first.records.size(), 20'000U);
  EXPECT_EQ(first.records, second.records);
  EXPECT_EQ(first.files, second.files);
  EXPECT_NE(first.records, play(seed + 1).records);
}

TEST_F(WrapperUnderEngine, EachAttempt_RunsOnceAtMost_AndEveryJobEnds) {
  const auto seed = tests::test_seed();
  for (std::uint64_t more = 0; more < 5; ++more) {
    const auto run = play(seed + more);
    EXPECT_EQ(run.unfinished, 0U) << more;
    EXPECT_GT(run.ran.size(), 50U);
    EXPECT_EQ(std::set<std::string>(run.ran.begin(), run.ran.end()).size(), run.ran.size()) << "an attempt ran twice, seed " << seed + more;
    std::size_t noted = 0;
    for (const auto& [name, content] : run.files) noted += std::regex_search(name, std::regex{R"(\.\d+\.\d+\.(s|e\d+.*)$)"}) ? 1U : 0U;
    EXPECT_GE(noted, run.ran.size()) << "a task ran without a file of its job";
  }
}

}  // namespace
}  // namespace gleaner::wrapper::test
