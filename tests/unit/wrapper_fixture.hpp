#pragma once
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "lib/text/words.hpp"
#include "runner/command/command.hpp"
#include "sim/wrapper/executor.hpp"

/// Jobs that bash carries out with the wrapper itself, and the model of it in virtual time.
namespace gleaner::wrapper::test {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

/// The files below a home: name, number of names, content. Times, hosts and measurements are masked.
using State = std::map<std::string, std::string>;

inline std::string masked_name(const std::string& name) {
  static const std::regex kMeasured{R"((\.(e\d+|w))\.\d+\.c\d+(\.m)?(\d+)?(\.i\d+)?(\.x.*)?$)"};
  return std::regex_replace(name, kMeasured, "$1.N.cN$3$6", std::regex_constants::format_first_only);
}

inline std::string masked_content(const std::string& name, std::string content) {
  static const std::regex kOwnLine{R"(^\d+ \S+ (\d+ \d+)\n$)"};
  static const std::regex kHost{R"(on host [^)]+\))"};
  if (name.ends_with(".m")) return content.empty() ? "" : "N";
  content = std::regex_replace(content, kOwnLine, "T H $1\n");
  return std::regex_replace(content, kHost, "on host H)");
}

inline State state_of(const fs::path& home) {
  State state;
  for (const auto& entry : fs::recursive_directory_iterator{home}) {
    const auto name = fs::relative(entry.path(), home).string();
    struct stat status {};
    ::lstat(entry.path().c_str(), &status);
    std::ifstream file{entry.path()};
    auto content = entry.is_directory() ? "folder" : masked_content(name, {std::istreambuf_iterator<char>{file}, {}});
    for (auto at = content.find(home.string()); at != std::string::npos; at = content.find(home.string())) {
      content.replace(at, home.string().size(), "HOME");
    }
    state[masked_name(name)] = entry.is_directory() ? content : fmt::format("{}: {}", status.st_nlink, content);
  }
  return state;
}

/// A job, and what happens to it while its command runs.
struct AJob {
  int task = 0;
  int attempt = 0;
  int job = 100;
  int remote = 900;
  std::string fence = "7";
  std::vector<std::string> arguments = {};
  int signal = 0;     ///< to the wrapper alone
  bool kill = false;  ///< SIGTERM to all, as OAR does
};

/// A task for bash and for the model.
struct ATask {
  std::string shell = "true";
  TaskPlan plan = {};
};

/// How a command has the program: in it, or as a file in the home.
enum class Form { inline_text, file };

struct Scenario {
  std::vector<AJob> jobs{{}};
  std::map<int, ATask> tasks = {};  ///< by the numbers of their jobs; others are `true`
  std::function<void(runner::LaunchFacts&)> launch = [](runner::LaunchFacts&) {};
  std::function<void(const fs::path&)> prepare = [](const fs::path&) {};
  std::string nodes = "node\n";
  Form form = Form::inline_text;
};

class Model final : public Fates {
 public:
  Model(const Scenario& scenario, int killed_at) : scenario_{scenario}, killed_at_{killed_at} {}
  TaskPlan task(const TaskRun& run) override {
    const auto found = scenario_.tasks.find(static_cast<int>(run.job));
    auto plan = found == scenario_.tasks.end() ? TaskPlan{} : found->second.plan;
    plan.duration += 100ms;
    return plan;
  }
  TaskPlan other_job(std::int64_t, const std::string&) override { return {}; }
  Moment before(const TaskRun&, Step) override {
    return {.pause = 1ms, .outcome = ++steps_ == killed_at_ ? Outcome::killed : Outcome::works};
  }
  MemoryBy memory_by() override { return fs::exists("/usr/bin/time") ? MemoryBy::gnu_time : MemoryBy::nothing; }
  [[nodiscard]] bool was_killed() const { return steps_ >= killed_at_; }

 private:
  const Scenario& scenario_;
  int killed_at_;
  int steps_ = 0;
};

/// The states that are found at the commands 1, 2, … until there is none. Each fifth command is tried, and those between two that differ.
class Walk {
 public:
  explicit Walk(std::function<std::optional<State>(int)> state_at) : state_at_{std::move(state_at)} {}
  std::set<State> states() {
    constexpr int kStride = 5;
    for (int at = 1;; at += kStride) {
      const auto found = look(at);
      if (at > 1) between(at - kStride, at);
      if (!found) break;
    }
    std::set<State> all;
    for (const auto& [at, state] : seen_) {
      if (state) all.insert(*state);
    }
    return all;
  }

 private:
  const std::optional<State>& look(int at) {
    const auto found = seen_.find(at);
    return found != seen_.end() ? found->second : seen_[at] = state_at_(at);
  }
  void between(int first, int last) {
    if (last - first < 2 || look(first) == look(last)) return;
    const int middle = (first + last) / 2;
    look(middle);
    between(first, middle);
    between(middle, last);
  }
  std::function<std::optional<State>(int)> state_at_;
  std::map<int, std::optional<State>> seen_;
};

class WrapperModel : public testing::Test {
 protected:
  void SetUp() override {
    auto pattern = (fs::temp_directory_path() / "gleaner-wrapper-XXXXXX").string();
    root_ = ::mkdtemp(pattern.data());
  }
  void TearDown() override { fs::remove_all(root_); }

  [[nodiscard]] static runner::JobCommand command_of(const Scenario& scenario) {
    std::string program = "t(){ case $CIGRI_JOB_ID in ";
    for (const auto& [job, how] : scenario.tasks) program += fmt::format("{}){};;", job, how.shell);
    runner::LaunchFacts facts{"grid", grid::CampaignId{12}, program + "*):;;esac;};t", "alpha", "griduser1", "$HOME", "/core=1", "1:30:00"};
    scenario.launch(facts);
    return runner::JobCommand::create(facts).value();
  }
  /// The call with another home than that of the shell that reads it.
  static std::string at_home(std::string call, const fs::path& home) { return call.replace(call.find('~'), 1, home.string()); }
  static std::string line_of(const AJob& job) {
    return runner::parameter_line({grid::TaskNumber{job.task}, job.attempt, grid::JobId{job.job}, job.fence, job.arguments}).value();
  }
  fs::path new_home(const Scenario& scenario) {
    const auto home = root_ / fmt::format("home{}", ++homes_);
    fs::create_directories(home);
    if (scenario.form == Form::file) {
      const auto program = command_of(scenario).program().value();
      fs::create_directories(home / ".gleaner/programs");
      std::ofstream{home / ".gleaner/programs" / program.sha256} << program.content;
    }
    scenario.prepare(home);
    return home;
  }

  /// @param killed_at  SIGKILL ends all processes before this command of the last job's shell; 0: it does not
  State real(const Scenario& scenario, int killed_at, std::vector<int>& statuses) {
    const auto home = new_home(scenario);
    const auto command = command_of(scenario);
    std::ofstream{root_ / "nodes"} << scenario.nodes;
    std::ofstream{root_ / "start"} << "unset BASH_ENV\nset -T\ntrap '((++gleaner_n==GLEANER_AT))&&kill -9 -- -$$' DEBUG\n";
    for (const auto& job : scenario.jobs) {
      const bool is_last = &job == &scenario.jobs.back();
      const auto run = fmt::format(
          "cd {0};setsid -w env -i HOME={0} USER=griduser1 LOGNAME=griduser1 PATH=\"$PATH\" OAR_JOB_ID={1} OAR_NODEFILE={2}/nodes {3} "
          "{4} {5} >>OAR.{1}.stdout 2>>OAR.{1}.stderr </dev/null",
          home.string(), job.remote, root_.string(),
          killed_at > 0 && is_last ? fmt::format("BASH_ENV={}/start GLEANER_AT={}", root_.string(), killed_at) : "",
          scenario.form == Form::file ? at_home(command.call(), home)
                                      : fmt::format("bash -c {} {}", text::quote(command.script()), command.mark()),
          line_of(job));
      std::string meanwhile;
      if (job.signal != 0 || job.kill) {
        // The task signals by its file that it runs, and names its wrapper's process there.
        meanwhile = fmt::format("&\nuntil [ -s {0}/ready ];do sleep 0.02;done;kill -{1} $(cat {0}/ready);rm {0}/ready;wait $!",
                                home.string(), job.kill ? "TERM -- " : std::to_string(job.signal));
      }
      const int status = std::system(("bash -c " + text::quote(run + meanwhile) + " 2>/dev/null").c_str());
      statuses.push_back(WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    }
    return state_of(home);
  }
  State real(const Scenario& scenario) {
    std::vector<int> ignored;
    return real(scenario, 0, ignored);
  }

  State model(const Scenario& scenario, int killed_at, std::vector<int>& statuses, bool* was_killed = nullptr) {
    const auto home = new_home(scenario);
    auto text = scenario.form == Form::file ? command_of(scenario).call() : command_of(scenario).text();
    for (auto at = text.find("\\$"); at != std::string::npos; at = text.find("\\$", at)) text.erase(at, 1);
    Time now{1'000'000s};
    for (const auto& job : scenario.jobs) {
      const bool is_last = &job == &scenario.jobs.back();
      Model fates{scenario, is_last ? killed_at : 0};
      ModelExecutor executor{fates};
      minioar::Execution execution;
      execution.job = {0, job.remote};
      execution.execution_log = (root_ / "log").string();
      execution.directory = home.string();
      execution.stdout_file = fmt::format("OAR.{}.stdout", job.remote);
      execution.stderr_file = fmt::format("OAR.{}.stderr", job.remote);
      execution.command = text + " " + line_of(job);
      execution.kill_grace = 1s;
      execution.nodes = scenario.nodes;
      execution.environment = {"HOME=" + home.string(), "USER=griduser1", "LOGNAME=griduser1", fmt::format("OAR_JOB_ID={}", job.remote)};
      EXPECT_TRUE(executor.begin(execution, now));
      std::optional<Time> event = job.signal != 0 || job.kill ? std::optional{now + 50ms} : std::nullopt;
      std::vector<minioar::JobKey> over;
      while (over.empty()) {
        const auto next = executor.next_event();
        if (event && (!next || *event <= *next)) {
          now = *std::exchange(event, std::nullopt);
          job.kill ? executor.kill(execution.job, now) : executor.signal(execution.job, job.signal, now);
          continue;
        }
        if (!next) break;
        now = *next;
        over = executor.ended(now);
      }
      EXPECT_FALSE(over.empty()) << "the job waits for nothing";
      if (over.empty()) break;
      const auto ending = executor.ending(execution.job).value();
      statuses.push_back(WIFEXITED(ending.wait_status) ? WEXITSTATUS(ending.wait_status) : 128 + WTERMSIG(ending.wait_status));
      if (was_killed != nullptr && is_last) *was_killed = fates.was_killed();
    }
    return state_of(home);
  }

  /// In both forms of the command.
  void expect_alike(Scenario scenario) {
    for (const auto form : {Form::inline_text, Form::file}) {
      scenario.form = form;
      std::vector<int> real_statuses;
      std::vector<int> model_statuses;
      EXPECT_EQ(real(scenario, 0, real_statuses), model(scenario, 0, model_statuses));
      EXPECT_EQ(real_statuses, model_statuses);
    }
  }
  /// The same when SIGKILL ends the last job at any moment.
  void expect_alike_killed_anywhere(const Scenario& scenario) {
    expect_alike(scenario);
    std::set<State> real_states;
    std::set<State> model_states;
    Walk walk{[&](int at) {
      std::vector<int> statuses;
      auto state = real(scenario, at, statuses);
      return statuses.back() == 128 + SIGKILL ? std::optional{std::move(state)} : std::nullopt;
    }};
    real_states = walk.states();
    for (int at = 1;; ++at) {
      std::vector<int> statuses;
      bool was_killed = true;
      auto state = model(scenario, at, statuses, &was_killed);
      if (!was_killed) break;
      model_states.insert(std::move(state));
    }
    model_states.insert(real(scenario));
    real_states.insert(real(scenario));
    EXPECT_GT(real_states.size(), 2U);
    EXPECT_EQ(real_states, model_states);
  }

  fs::path root_;
  int homes_ = 0;
};

inline void make_pool(runner::LaunchFacts& facts, int carriers) {
  facts.pool = runner::PoolFacts{"7", grid::Seconds{60}, grid::Seconds{60}, grid::JobId{100}, carriers};
}

inline std::function<void(const fs::path&)> with_pool_list(int first, int last) {
  return [=](const fs::path& home) {
    std::vector<std::string> lines;
    for (int task = first; task <= last; ++task)
      lines.push_back(runner::pool_line({grid::TaskNumber{task}, 0, grid::JobId{100 + task}, "7", {std::to_string(task)}}).value());
    const auto folder = home / ".gleaner/grid/12/7";
    fs::create_directories(folder);
    std::ofstream{folder / "pool"} << runner::pool_list(lines);
  };
}

}  // namespace gleaner::wrapper::test
