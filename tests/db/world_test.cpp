#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <fmt/format.h>
#include <unistd.h>
#include <pqxx/pqxx>

#include "lib/grid/clock.hpp"
#include "lib/process/exit_code.hpp"
#include "lib/store/clock.hpp"
#include "lib/store/database.hpp"
#include "sim/world/database.hpp"
#include "sim/world/shrink.hpp"
#include "sim/world/stepping_clock.hpp"
#include "sim/world/world.hpp"
#include "tests/named_queries.hpp"
#include "tests/seed.hpp"

/// The world (docs/architecture/world.md): its time, and that a seed decides all.
namespace gleaner::world {
namespace {

namespace fs = std::filesystem;

class TheWorld : public testing::Test {
 protected:
  TheWorld() {
    folder_ = fs::path{"/dev/shm"} / fmt::format("gleaner-world-test-{}", ::getpid());
    fs::create_directories(folder_);
  }
  ~TheWorld() override { fs::remove_all(folder_); }
  [[nodiscard]] const fs::path& folder() const { return folder_; }
  [[nodiscard]] static Settings small(double hours, int clusters, int campaigns) {
    Settings settings;
    settings.seed = tests::test_seed();
    settings.hours = hours;
    settings.clusters = clusters;
    settings.campaigns = campaigns;
    settings.programs = std::getenv("GLEANER_BIN_DIR");
    return settings;
  }
  [[nodiscard]] static std::string content(const fs::path& file) {
    std::ifstream in{file};
    return {std::istreambuf_iterator<char>{in}, {}};
  }

 private:
  fs::path folder_;
};

TEST_F(TheWorld, ItsTime_IsThatOfTheProcess_AndOfEachStatementOfTheDatabase) {
  VirtualClock clock;
  WorldDatabase database{folder() / "database", clock};
  store::Database connection{database.conninfo_of("test")};
  pqxx::connection other{database.conninfo_of("test")};
  const auto value = [&](const std::string& statement) {
    const auto rows = pqxx::nontransaction{other}.exec(statement);
    return rows.empty() ? std::string{} : std::string{rows[0][0].c_str()};
  };
  const auto now_in_a_trigger = [&] {
    value(
        "INSERT INTO admission_rules (name, position, text, created_by, changed_by) VALUES (clock_timestamp()::text, (SELECT max(position) + 1 FROM admission_rules), '', '', '')");
  };
  const auto expect_time = [&](const std::string& text) {
    database.set_time();
    EXPECT_EQ(grid::now(), clock.now());
    EXPECT_EQ(store::now(connection), clock.now());
    EXPECT_EQ(value("SELECT now()"), text);
    EXPECT_EQ(value("SELECT clock_timestamp()"), text);
    // A column's default, and a trigger's function in its language.
    value("DELETE FROM audit");
    now_in_a_trigger();
    EXPECT_EQ(value("SELECT max(acted_at) FROM audit"), text);
    EXPECT_EQ(value("SELECT max(created_at) FROM admission_rules"), text);
  };
  expect_time("2020-09-13 12:26:40+00");
  clock.advance(std::chrono::hours{1});
  expect_time("2020-09-13 13:26:40+00");
}

TEST_F(TheWorld, ItsQueries_AreAcceptedByItsDatabase_AndGiveTheColumnsOfTheirRows) {
  VirtualClock clock;
  const WorldDatabase database{folder() / "database", clock, WorldDatabase::Statements::counted};
  tests::expect_accepted(database.conninfo_of("test"), sql::kWorldQueries);
}

TEST_F(TheWorld, OfTheSameSeed_IsTheSameToTheByte) {
  auto settings = small(0.1, 2, 4);
  settings.cycle = std::chrono::minutes{1};
  settings.trace = folder() / "first";
  const auto first = run(settings);
  settings.trace = folder() / "second";
  const auto second = run(settings);
  EXPECT_EQ(first.lines, second.lines);
  EXPECT_EQ(first.digest, second.digest);
  EXPECT_TRUE(content(folder() / "first") == content(folder() / "second")) << summary(first) << summary(second);
  EXPECT_GT(first.done, 0) << summary(first);
  settings.seed += 1;
  settings.hours = 0.05;
  EXPECT_NE(run(settings).digest, first.digest);
}

TEST_F(TheWorld, OfAConductorThatStandsStill_GoesOnWithTheOther_WhoseTermItMeetsWhenItWakesUp) {
  auto settings = small(0.3, 1, 3);
  settings.cycle = std::chrono::seconds{30};
  settings.faults = {Fault::stopped};
  settings.rate = 20;
  settings.features = {};
  settings.trace = folder() / "trace";
  const auto met_the_other =
      testing::AllOf(testing::ContainsRegex("almighty of second conducts under term ([2-9]|[1-9][0-9]+)"),
                     testing::ContainsRegex("of first goes on"), testing::ContainsRegex("of first failed: .*(lease|term)"));
  // In one world of ten, only the conductor that stands by stands still, or the other one for too short a time.
  constexpr int kWorlds = 6;
  std::string trace;
  for (int i = 0; i < kWorlds && !testing::Value(trace, met_the_other); ++i, ++settings.seed) {
    const auto verdict = run(settings);
    EXPECT_TRUE(verdict.is_green()) << summary(verdict);
    EXPECT_GT(verdict.happened.at("stopped"), 0);
    trace = content(settings.trace);
  }
  EXPECT_THAT(trace, met_the_other);
}

TEST_F(TheWorld, WhoseLocalJobIsLaunchedForEver_GoesOnOnceItsUserDeletesIt) {
  auto settings = small(1, 1, 3);
  settings.seed = 7;
  settings.cycle = std::chrono::seconds{60};
  settings.faults = {Fault::local_jobs, Fault::failed_launch};
  settings.often = settings.faults;
  settings.features = {};
  settings.trace = folder() / "trace";
  const auto verdict = run(settings);
  EXPECT_TRUE(verdict.is_green()) << summary(verdict);
  EXPECT_THAT(content(settings.trace), testing::ContainsRegex("local job [0-9]+ was never launched, its user deletes it: true"));
}

/// Three tasks of a campaign take minutes on a cluster, which then swallows others, and works again, before any ended elsewhere.
TEST_F(TheWorld, WhoseClusterBecomesASink_BeforeTasksEndedElsewhere_ReportsWhatItSwallowed) {
  auto settings = small(1.5, 2, 4);
  settings.seed = 5102;
  settings.cycle = std::chrono::seconds{30};
  settings.faults = {Fault::sink};
  const auto verdict = run(settings);
  EXPECT_TRUE(verdict.is_green()) << summary(verdict);
  EXPECT_GE(verdict.happened.at("sink"), 10);
}

TEST(Clocks, OfAHost_StepAheadAndBack_AndComeBack_WhileItsSteadyClockGoesOn) {
  VirtualClock clock;
  Settings settings;
  settings.hours = 48;
  settings.faults = {Fault::clocks};
  Faults faults{settings, clock};
  const HostClock host{clock, faults};
  bool was_ahead = false;
  bool was_behind = false;
  for (; clock.seconds() < settings.hours * 3600; clock.advance(std::chrono::minutes{1})) {
    const auto ahead = grid::now() - clock.now();
    EXPECT_LE(ahead, std::chrono::hours{1});
    EXPECT_GE(ahead, std::chrono::hours{-1});
    was_ahead = was_ahead || ahead > std::chrono::minutes{1};
    was_behind = was_behind || ahead < std::chrono::minutes{-1};
    EXPECT_EQ(grid::SteadyClock::now().time_since_epoch(), clock.now().time_since_epoch());
  }
  EXPECT_TRUE(was_ahead && was_behind);
  EXPECT_EQ(grid::now(), clock.now()) << "no clock is wrong in peace";
  EXPECT_GT(faults.happened().at("clock of host"), 10);
}

TEST_F(TheWorld, WithoutTheProgramOfTheRules_IsNotBegun) {
  Settings settings;
  settings.programs = folder();
  EXPECT_THROW(static_cast<void>(run(settings)), process::Error) << "nothing would be submitted, and nothing would break";
}

TEST(Shrinking, KeepsWhatTheFaultNeeds_AndNothingElse) {
  const auto run = [](const Settings& settings) {
    Verdict verdict;
    verdict.simulated_s = 3000;
    const bool is_red = settings.faults.contains(Fault::lost) && settings.features.contains(Feature::hold) && settings.campaigns >= 3;
    if (is_red) verdict.faults.emplace_back("task 1 of campaign 3 was executed twice");
    return verdict;
  };
  Settings settings;
  settings.clusters = 10;
  settings.campaigns = 50;
  const auto shrunk = shrink(settings, run(settings), run);
  EXPECT_EQ(command_of(shrunk.settings),
            "tools/world --seed 1 --hours 0.8333333333333334 --clusters 1 --campaigns 3 --faults lost --features hold");
  EXPECT_FALSE(shrunk.verdict.is_green());
  EXPECT_LT(shrunk.runs, 60);
}

TEST(Arguments, SaidWrong_AreNamed_WithWhatWouldBeRight) {
  const auto error_of = [](const std::vector<std::string>& arguments) -> std::string {
    try {
      static_cast<void>(read_arguments(arguments));
    } catch (const std::exception& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_EQ(error_of({"--clusters", "0"}), "--clusters 0: a number from 1 to 100 is needed");
  EXPECT_EQ(error_of({"--seed"}), "--seed: its value is missing");
  EXPECT_EQ(error_of({"--huors=2"}), "there is no option '--huors=2' (see --help)");
  EXPECT_THAT(error_of({"--faults=lost,dead"}), testing::StartsWith("--faults: there is no 'dead'; there are refused, lost, "));
  EXPECT_EQ(command_of(read_arguments({"--seed=7", "--no-faults"}).settings),
            "tools/world --seed 7 --hours 2 --clusters 3 --campaigns 10 --faults none");
  EXPECT_EQ(error_of({"--rate", "0"}), "--rate 0: a rate, from more than 0 to 100, is needed");
  EXPECT_EQ(command_of(read_arguments({"--rate", "0.01", "--often=sink"}).settings),
            "tools/world --seed 1 --hours 2 --clusters 3 --campaigns 10 --rate 0.01 --often sink");
}

}  // namespace
}  // namespace gleaner::world
