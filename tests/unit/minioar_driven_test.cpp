#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include <fmt/format.h>

#include "sim/minioar/api.hpp"
#include "sim/minioar/engine.hpp"
#include "tests/seed.hpp"

/// The engine on a clock from outside, with jobs that are timers.
namespace gleaner::minioar {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Time = Executor::Time;

const Time kBegin{1'000'000s};

/// Each job takes as many seconds as its command says.
class Timers final : public Executor {
 public:
  tl::expected<void, std::string> begin(const Execution& execution, Time now) override {
    if (execution.command == "no such node") return tl::unexpected{std::string{"no route"}};
    ends_[execution.job] = now + std::chrono::seconds{std::stoi(execution.command)};
    statuses_[execution.job] = 0;
    return {};
  }
  Trace find(JobKey job) override {
    if (ends_.contains(job)) return Trace::alive;
    return statuses_.contains(job) ? Trace::over : Trace::never_began;
  }
  void kill(JobKey job, Time now) override { end_at(job, now + 1s, SIGTERM); }
  void signal(JobKey job, int signal, Time now) override { signals.push_back(fmt::format("{} to {} at {}", signal, job.id, since(now))); }
  void signal_all(JobKey job, int signal, Time now) override { this->signal(job, -signal, now); }
  std::vector<JobKey> ended(Time now) override {
    std::vector<std::pair<Time, JobKey>> over;
    for (const auto& [job, end] : ends_) {
      if (end <= now) over.emplace_back(end, job);
    }
    std::sort(over.begin(), over.end());
    std::vector<JobKey> jobs;
    for (const auto& [end, job] : over) {
      ends_.erase(job);
      stops_[job] = end;
      jobs.push_back(job);
    }
    return jobs;
  }
  [[nodiscard]] std::optional<Time> next_event() const override {
    std::optional<Time> next;
    for (const auto& [job, end] : ends_) next = std::min(next.value_or(end), end);
    return next;
  }
  std::optional<JobEnding> ending(JobKey job) override {
    if (!stops_.contains(job)) return std::nullopt;
    return JobEnding{JobEnding::Kind::exited, statuses_.at(job), seconds_of(stops_.at(job))};
  }
  void remove(JobKey job) override {
    stops_.erase(job);
    statuses_.erase(job);
  }

  static std::int64_t since(Time now) { return seconds_of(now) - seconds_of(kBegin); }
  [[nodiscard]] std::size_t live() const { return ends_.size(); }
  std::vector<std::string> signals;

 private:
  void end_at(JobKey job, Time end, int status) {
    const auto found = ends_.find(job);
    if (found == ends_.end() || found->second <= end) return;
    found->second = end;
    statuses_[job] = status;
  }
  std::map<JobKey, Time> ends_;
  std::map<JobKey, Time> stops_;
  std::map<JobKey, int> statuses_;
};

class OneText final : public http::Body {
 public:
  explicit OneText(std::string text) : text_{std::move(text)} {}
  tl::expected<std::size_t, http::BodyError> read(std::span<char> into) override {
    const auto size = text_.copy(into.data(), into.size());
    text_.erase(0, size);
    return size;
  }

 private:
  std::string text_;
};

class Driven : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "minioar-driven-XXXXXX").string();
    directory_ = ::mkdtemp(name.data());
    start();
  }
  void TearDown() override {
    engine_.reset();
    std::filesystem::remove_all(directory_);
  }

  void start() {
    engine_.reset();
    EngineOptions options{.state_directory = directory_ / "state", .homes = directory_ / "homes", .shape = {.nodes = 1, .cores = 2}};
    options.clock = [this] { return now_; };
    engine_ = Engine::start_driven(std::move(options), timers_).value();
  }
  void go_to(std::chrono::milliseconds since_begin) {
    now_ = kBegin + since_begin;
    engine_->step_to(now_);
  }
  JobNumber submit(const std::string& seconds, std::int64_t walltime, const std::vector<std::string>& types = {}) {
    Submission submission;
    submission.user = "someone";
    submission.types = types;
    submission.resources = {"/core=1,walltime=" + walltime_text(walltime)};
    submission.directory = "/";
    submission.checkpoint = checkpoint_;
    return engine_->submit(std::move(submission), {seconds}).value().front();
  }
  /// "1 Terminated 0-5": a job, its state, and its time from the beginning on.
  std::vector<std::string> jobs() {
    return engine_->read([](Ledger& ledger) {
      std::vector<std::string> all;
      const auto date = [](std::int64_t time) { return time == 0 ? "" : std::to_string(time - seconds_of(kBegin)); };
      for (const auto& job : ledger.jobs())
        all.push_back(fmt::format("{} {} {}-{}", job.id, name_of(job.state), date(job.start_time), date(job.stop_time)));
      return all;
    });
  }
  std::string log() {
    std::ifstream file{directory_ / "state/executions.log"};
    return (std::stringstream{} << file.rdbuf()).str();
  }
  std::string journal() {
    std::ifstream file{directory_ / "state/journal"};
    return (std::stringstream{} << file.rdbuf()).str();
  }

  std::filesystem::path directory_;
  Timers timers_;
  Time now_ = kBegin;
  std::int64_t checkpoint_ = 0;
  std::unique_ptr<Engine> engine_;
};

TEST_F(Driven, JobsWaitStartAndEnd_AtTheirOwnMoments_HoweverFarTheClockJumps) {
  submit("5", 60);
  submit("7", 60);
  submit("3", 60);
  go_to(1h);
  EXPECT_THAT(jobs(), ElementsAre("1 Terminated 0-5", "2 Terminated 0-7", "3 Terminated 5-8"));
  EXPECT_FALSE(engine_->next_event());
}

TEST_F(Driven, NextEvent_IsTheMomentAtWhichSomethingHappens) {
  EXPECT_EQ(engine_->next_event(), kBegin);
  go_to(0s);
  EXPECT_FALSE(engine_->next_event());
  now_ = kBegin + 100s;
  submit("5", 60);
  EXPECT_EQ(engine_->next_event(), kBegin + 100s);
  go_to(100s);
  EXPECT_EQ(engine_->next_event(), kBegin + 105s);
  go_to(104s);
  EXPECT_THAT(jobs(), ElementsAre("1 Running 100-"));
  go_to(105s);
  EXPECT_THAT(jobs(), ElementsAre("1 Terminated 100-105"));
}

TEST_F(Driven, WalltimeEndsAJob_AfterTheSignalForItsCheckpoint) {
  checkpoint_ = 20;
  submit("900", 60);
  go_to(1h);
  EXPECT_THAT(jobs(), ElementsAre("1 Error 0-61"));
  EXPECT_THAT(timers_.signals, ElementsAre("12 to 1 at 40"));
}

TEST_F(Driven, ClockThatSteps_MovesDatesAndWalltimes_ButNoWait) {
  submit("900", 600);
  submit("30", 600);
  go_to(10s);
  engine_->step_clock(-300s);
  EXPECT_EQ(engine_->date(), seconds_of(kBegin) - 290);
  go_to(40s);
  submit("5", 60);
  go_to(100s);
  EXPECT_THAT(jobs(), ElementsAre("1 Running 0-", "2 Terminated 0--270", "3 Terminated -260--255"));
  engine_->step_clock(850s);
  go_to(110s);
  EXPECT_THAT(jobs().front(), "1 Error 0-651") << "600 s after its begin, by OAR's clock, with 1 s of grace";
}

TEST_F(Driven, LocalJob_PreemptsABestEffortOne_AndRunsInItsPlace) {
  submit("900", 1000, {"besteffort"});
  submit("900", 1000, {"besteffort"});
  go_to(10s);
  submit("5", 60);
  go_to(30s);
  EXPECT_THAT(jobs(), ElementsAre("1 Running 0-", "2 Error 0-11", "3 Terminated 11-16"));
  EXPECT_THAT(engine_->preempt(std::nullopt, 1), ElementsAre(1));
  go_to(40s);
  EXPECT_THAT(jobs().front(), "1 Error 0-31");
}

TEST_F(Driven, AJobThatCannotBeExecuted_IsInError) {
  submit("no such node", 60);
  go_to(1s);
  EXPECT_THAT(jobs(), ElementsAre("1 Error 0-0"));
  EXPECT_THAT(journal(), HasSubstr("cannot start it: no route"));
}

TEST_F(Driven, NodeThatIsNotAlive_StartsNothingUntilItIs) {
  submit("5", 60);
  EXPECT_TRUE(engine_->set_node_state("minioar-1", ResourceState::dead));
  go_to(10s);
  engine_->set_node_state("minioar-1", ResourceState::alive);
  go_to(20s);
  EXPECT_THAT(jobs(), ElementsAre("1 Terminated 10-15"));
}

TEST_F(Driven, ServerThatIsDead_RecordsAnEndWhenTheJobReportsItAgain) {
  submit("5", 60);
  go_to(1s);
  engine_->server_dies({.ends = EndsMeanwhile::late, .report_again = 30s});
  go_to(20s);
  submit("2", 60);
  go_to(25s);
  EXPECT_THAT(jobs(), ElementsAre("1 Running 0-", "2 Waiting -"));
  engine_->server_starts();
  go_to(100s);
  EXPECT_THAT(jobs(), ElementsAre("1 Terminated 0-35", "2 Terminated 25-27"));
}

TEST_F(Driven, EngineStartedAgain_FindsItsJobs_RunningAndOver) {
  submit("5", 60);
  submit("50", 600);
  go_to(1s);
  engine_.reset();
  now_ = kBegin + 20s;
  (void)timers_.ended(now_);
  start();
  go_to(100s);
  EXPECT_THAT(jobs(), ElementsAre("1 Terminated 0-5", "2 Terminated 0-50"));
}

TEST_F(Driven, SpoiltLaunches_EndByWalltimeAndDeletion_WithoutAProcess) {
  engine_->spoil_launches(LaunchFate::running, 1);
  engine_->spoil_launches(LaunchFate::unseen, 1);
  submit("5", 60);
  submit("90", 60);
  go_to(1h);
  EXPECT_THAT(jobs(), ElementsAre("1 Error 0-81", "2 Terminated 0-90"));
}

/// OAR applies walltimes to jobs that it knows to run, and to no others.
TEST_F(Driven, LaunchThatOarGaveUp_RunsOnPastItsWalltime_BesideTheJobInItsPlace) {
  engine_->spoil_launches(LaunchFate::run_twice, 1);
  submit("90", 60);
  go_to(70s);
  EXPECT_THAT(jobs(), ElementsAre("1 Error 0-0", "2 Error 0-61"));
  EXPECT_THAT(engine_->strays(), ElementsAre(1));
  EXPECT_EQ(timers_.live(), 1U);
  go_to(100s);
  EXPECT_THAT(engine_->strays(), IsEmpty());
  EXPECT_EQ(timers_.live(), 0U);
  EXPECT_THAT(jobs(), ElementsAre("1 Error 0-0", "2 Error 0-61"));
}

TEST_F(Driven, ForgottenJobs_RunOn_BesideNewOnesWithTheirIds) {
  submit("50", 600);
  go_to(1s);
  engine_->forget_after(0, Processes::left);
  submit("5", 60);
  go_to(20s);
  EXPECT_THAT(jobs(), ElementsAre("1 Terminated 1-6"));
  EXPECT_EQ(timers_.live(), 1U);
  go_to(100s);
  EXPECT_EQ(timers_.live(), 0U);
  EXPECT_THAT(jobs(), ElementsAre("1 Terminated 1-6"));
}

TEST_F(Driven, Reservation_StartsAtItsDate) {
  Submission submission;
  submission.user = "someone";
  submission.directory = "/";
  submission.not_before = seconds_of(kBegin) + 500;
  ASSERT_TRUE(engine_->submit(submission, {"5"}));
  go_to(1h);
  EXPECT_THAT(jobs(), ElementsAre("1 Terminated 500-505"));
}

TEST_F(Driven, Reservation_HasItsResourcesAtItsDate_AndJobsThatWouldRunIntoIt_StartAfterIt) {
  Submission reservation;
  reservation.user = "someone";
  reservation.directory = "/";
  reservation.resources = {
      fmt::format("/core={},walltime=0:5:0", engine_->read([](const Ledger& ledger) { return ledger.resources().size(); }))};
  reservation.not_before = seconds_of(kBegin) + 500;
  ASSERT_TRUE(engine_->submit(reservation, {"5"}));
  submit("5", 600);
  submit("5", 400);
  submit("5", 3600, {"besteffort"});
  go_to(250s);
  submit("5", 60, {"besteffort"});
  go_to(1h);
  const auto at_once = testing::MatchesRegex("[34] Terminated [0-9]-[0-9]+");
  const auto afterwards = testing::MatchesRegex("[25] Terminated 5[0-9][0-9]-5[0-9][0-9]");
  EXPECT_THAT(jobs(), ElementsAre("1 Terminated 500-505", afterwards, at_once, at_once, afterwards))
      << "a best-effort job counts for 300 s, whatever its walltime";
}

TEST_F(Driven, Api_AnswersWithTheTimeOfTheClock_WithoutASocket) {
  ApiOptions options;
  options.accept = Users::any;
  options.admin = Admin::allowed;
  Api api{*engine_, options};
  const auto ask = [&](const std::string& method, const std::string& path, const std::string& text) {
    http::Request request{.method = method, .target = path, .path = path, .query = {}, .headers = {}, .peer = {}, .body = nullptr};
    request.headers.add("Content-Type", "application/json");
    request.headers.add("X_REMOTE_IDENT", "someone");
    request.peer.address = "127.0.0.1:1";
    OneText body{text};
    request.body = &body;
    return api.handle(request);
  };
  now_ = kBegin + 70s;
  EXPECT_EQ(ask("POST", "/oarapi-grid/jobs.json", R"({"command":"5","resource":"/core=1"})").status, 201U);
  go_to(72s);
  const auto shown = ask("GET", "/oarapi-grid/jobs/1.json", {}).body;
  EXPECT_THAT(shown, HasSubstr(R"("api_timestamp":1000072)"));
  EXPECT_THAT(shown, HasSubstr(R"("start_time":1000070,"state":"Running")"));
  EXPECT_EQ(ask("POST", "/_faults", R"({"match":"GET /jobs","delay_ms":3600000,"latency_ms":5})").status, 200U);
  EXPECT_EQ(ask("GET", "/oarapi-grid/jobs/1.json", {}).mishap.delay, 3'600'005ms);
}

/// Requests at random moments, of every kind.
void play(std::uint64_t seed, const std::function<JobNumber(const std::string&, const std::vector<std::string>&)>& submit, Engine& engine,
          const std::function<void(std::chrono::milliseconds)>& go_to) {
  tests::Dice dice{seed};
  std::chrono::milliseconds now{0};
  for (int i = 0; i < 300; ++i) {
    now += std::chrono::milliseconds{dice.roll(0, 20'000)};
    go_to(now);
    const auto job = static_cast<JobNumber>(dice.roll(1, i + 1));
    switch (dice.roll(0, 9)) {
      case 0: (void)engine.kill("someone", job); break;
      case 1: (void)engine.preempt(std::nullopt, 1); break;
      case 2: engine.server_dies({.ends = static_cast<EndsMeanwhile>(dice.roll(0, 2))}); break;
      case 3: engine.server_starts(); break;
      case 4: engine.spoil_launches(static_cast<LaunchFate>(dice.roll(0, 4)), 1); break;
      case 5: (void)engine.suspend("someone", job); break;
      case 6: (void)engine.resume("someone", job); break;
      default:
        (void)submit(std::to_string(dice.roll(0, 90)),
                     dice.roll(0, 1) == 0 ? std::vector<std::string>{} : std::vector<std::string>{"besteffort", "idempotent"});
    }
  }
  engine.server_starts();
  go_to(now + 100h);
}

TEST_F(Driven, SameRequestsAtTheSameTimes_GiveTheSameLogAndJournalToTheByte) {
  const auto seed = tests::test_seed();
  std::vector<std::string> runs;
  for (int run = 0; run < 2; ++run) {
    std::filesystem::remove_all(directory_ / "state");
    timers_ = {};
    now_ = kBegin;
    start();
    play(
        seed, [&](const std::string& seconds, const std::vector<std::string>& types) { return submit(seconds, 60, types); }, *engine_,
        [&](std::chrono::milliseconds at) { go_to(at); });
    runs.push_back(log() + journal());
  }
  EXPECT_GT(runs[0].size(), 10'000U);
  EXPECT_EQ(runs[0], runs[1]);
}

}  // namespace
}  // namespace gleaner::minioar
