// Every pair of what a campaign file may say and a user may do meanwhile, in some campaign; all these campaigns share two clusters.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "sim/combinations/features.hpp"
#include "tests/seed.hpp"
#include "tests/system/grid_under_test.hpp"

namespace gleaner::tests {
namespace {

namespace fs = std::filesystem;

using combinations::all_pairs;
using combinations::covering_array;
using combinations::kAction;
using combinations::kAlwaysFails;
using combinations::kFailsOnce;
using combinations::kTasks;
using combinations::Pair;
using combinations::pairs_of;
using combinations::replaced;

const std::vector<combinations::Feature>& features() {
  static const auto kFeatures = combinations::features(combinations::Stage::processes);
  return kFeatures;
}

bool is_allowed(const Pair& pair) { return combinations::is_allowed(features(), pair); }

std::string json_with(const std::vector<std::string>& members, std::string_view command) {
  std::string text =
      fmt::format(R"({{"name": "row", "nb_jobs": {}, "exec_file": "{}", "clusters": {{"alpha": {{}}, "beta": {{}}}})", kTasks, command);
  for (const auto& member : members) {
    if (!member.empty()) text += ", " + member;
  }
  return text + "}";
}

struct Row {
  grid::CampaignId id{0};
  grid::CampaignId before{0};  ///< 0: none
  std::map<std::string, std::string> values;
  bool is_cancelled = false;
  [[nodiscard]] const std::string& action() const { return values.at(std::string{kAction}); }
  [[nodiscard]] std::string text() const {
    std::string all;
    for (const auto& [name, value] : values) {
      if (!value.empty()) all += (all.empty() ? "" : ", ") + (name == kAction ? "user: " + value : value);
    }
    return fmt::format("campaign {}: {}", id.value(), all);
  }
};

class Combinations : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(grid.folder() / "data");
    for (int i = 0; i < kTasks; ++i) std::ofstream{grid.folder() / "data" / fmt::format("{}.bin", i)} << "input " << i << '\n';
    grid.start_api();
    does("gridctl", {"limit", "set", "consumable", std::string{combinations::kConsumable}, "8"});
    for (const auto* const cluster : {"alpha", "beta"})
      does("gridctl", {"cluster", "edit", cluster, "--memory-property=mem", "--memory-unit=1024", "--memory-max=16384"});
    does("gridctl", {"user", "allow-normal", ::getpwuid(::geteuid())->pw_name});
  }

  std::string does(const std::string& name, const std::vector<std::string>& arguments) {
    const auto said = grid.run(name, arguments);
    EXPECT_TRUE(said.end.succeeded()) << name << ' ' << said.output << said.errors;
    return said.output;
  }

  /// A campaign or tasks that were over before their user acted refuse this; nothing else may.
  bool does_unless_over(const Row& row, const std::string& name, const std::vector<std::string>& arguments) {
    const auto said = grid.run(name, arguments);
    if (said.end.succeeded()) return true;
    const bool nothing_is_left = said.end.exit_status == 4;
    EXPECT_TRUE(nothing_is_left || state_of(row) == "terminated") << row.text() << '\n' << name << ' ' << said.output << said.errors;
    return false;
  }

  [[nodiscard]] std::string command(const Row& row) const {
    const auto folder = grid.oracle().folder().string();
    // A job of type normal preempts it: OAR signals it first, and without a trap that is its end.
    std::string before = row.values.at("checkpoint").empty() ? "sleep 0.2; " : R"(trap "" USR1; sleep 0.2; )";
    if (!row.values.at("input_files").empty()) before += "cat $CIGRI_INPUTS/data/$1.bin > /dev/null || exit 11; ";
    if (!row.values.at("output_files").empty()) before += "echo $1 > result-$1.dat; ";
    before += fmt::format("case $1 in {}) exit 9;; {}) mkdir {}/failed-$CIGRI_CAMPAIGN_ID 2>/dev/null && exit {};; esac; true",
                          kAlwaysFails, kFailsOnce, folder, combinations::kStatusOfOnce);
    return grid.oracle().task(before);
  }

  void submit(Row& row) {
    const auto file = [&](const std::string& name, const std::string& text) {
      std::ofstream{grid.folder() / name} << text;
      return (grid.folder() / name).string();
    };
    if (!row.values.at("after").empty()) {
      const auto text = fmt::format(
          R"({{"name": "before", "nb_jobs": {}, "min_duration": "0", "gives": ["size"],
              "exec_file": "sh -c 'echo size=$(($1 % 3 + 1)) > $CIGRI_GIVES' t",
              "clusters": {{"alpha": {{}}, "beta": {{}}}}}})",
          kTasks + 3);
      row.before = grid::CampaignId{std::stoll(does("gridsub", {"-q", "-f", file("before.jdl", text)}))};
    }
    std::vector<std::string> members;
    for (const auto& [name, value] : row.values) {
      if (name != kAction) members.push_back(replaced(value, combinations::kBefore, std::to_string(row.before.value())));
    }
    auto escaped = replaced(replaced(command(row), "\\", "\\\\"), "\"", "\\\"");
    const auto path = file("row.jdl", json_with(members, escaped));
    const auto said = grid.run("gridsub", {"-q", "-f", path});
    ASSERT_TRUE(said.end.succeeded()) << row.text() << '\n' << said.output << said.errors;
    row.id = grid::CampaignId{std::stoll(said.output)};
  }

  void act(Row& row) {
    const auto id = std::to_string(row.id.value());
    const auto& action = row.action();
    if (action == "append") does("gridsub", {"-c", id, "-J", R"(["0", "1", "2"])"});
    // griddel acknowledges the failures of a campaign that is over.
    if (action == "cancel") row.is_cancelled = does_unless_over(row, "griddel", {id}) && state_of(row) != "terminated";
    if (action == "edit") does_unless_over(row, "gridsub", {"--edit", id, "max_jobs=3"});
    if (action == "hold_some" && does_unless_over(row, "gridsub", {"--hold", id, "--task", "1-*"}))
      does_unless_over(row, "gridsub", {"--resume", id, "--task", "0-*"});
    if (action == "hold" && does_unless_over(row, "gridsub", {"--hold", id})) does_unless_over(row, "gridsub", {"--resume", id});
    if (action == "cancel_some") does_unless_over(row, "griddel", {id, "--task", row.values.at("test_mode").empty() ? "1,6" : "1"});
  }

  [[nodiscard]] std::string state_of(const Row& row) {
    return grid.value(fmt::format("SELECT state FROM campaigns WHERE id = {}", row.id.value()));
  }

  void ends(const Row& row) {
    const auto over = fmt::format("SELECT state IN ('terminated', 'cancelled') FROM campaigns WHERE id = {}", row.id.value());
    if (grid.becomes(over, "t")) return;
    ADD_FAILURE() << row.text() << "\ndoes not end:\n" << grid.run("gridstat", {std::to_string(row.id.value()), "--why"}).output;
  }

  void has_done_what_it_said(const Row& row) {
    SCOPED_TRACE(row.text());
    EXPECT_EQ(state_of(row), row.is_cancelled ? "cancelled" : "terminated");
    const int most = row.action() == "append" ? 2 : 1;  // two tasks have one parameter, which is what a task notes
    for (const auto& [execution, count] : grid.oracle().executions(row.id))
      EXPECT_LE(count, most) << "task " << execution.first << ", attempt " << execution.second;
    EXPECT_TRUE(grid.becomes(fmt::format("SELECT count(*) FROM jobs WHERE campaign_id = {} AND is_live(state)", row.id.value()), "0"));
    if (row.is_cancelled) return;
    const bool is_retried = !row.values.at("retries").empty() || row.action() == "retry";
    for (const auto& task : grid.tasks_of(row.id)) {
      SCOPED_TRACE(fmt::format("task {}", task.number));
      if (task.number < 0) {  // a script
        EXPECT_EQ(task.state, "done");
        continue;
      }
      if (task.number == kAlwaysFails) {
        EXPECT_EQ(task.state, "failed");
      } else if (task.number == kFailsOnce) {
        // A second copy that runs beside the first one does it: the first success counts.
        if (!row.values.at("replicas").empty() && !is_retried) EXPECT_THAT(task.state, ::testing::AnyOf("done", "failed"));
        else EXPECT_EQ(task.state, is_retried ? "done" : "failed");
      } else if (row.action() == "cancel_some" && (task.number == 1 || task.number == 6)) {
        EXPECT_THAT(task.state, ::testing::AnyOf("cancelled", "done"));
      } else if (task.state != "failed" || !was_ended_by_its_signal(row, task.number)) {
        EXPECT_EQ(task.state, "done") << jobs_of(row, task.number);
      }
    }
  }

  /// A job of type normal preempts it: OAR signals the job first, and a command that has not set its trap by then is ended, and fails
  /// (docs/commands.md). On a busy machine a shell takes that long.
  [[nodiscard]] bool was_ended_by_its_signal(const Row& row, std::int64_t task) {
    if (row.values.at("checkpoint").empty()) return false;
    return grid.number(
               fmt::format("SELECT count(*) FROM jobs WHERE campaign_id = {} AND task = {} AND ending = 'task_error' AND exit_status = {}",
                           row.id.value(), task, 128 + SIGUSR1)) == 1;
  }

  [[nodiscard]] std::string jobs_of(const Row& row, std::int64_t task) {
    return grid.value(
        fmt::format("SELECT string_agg(row_to_json(j)::text, E'\n' ORDER BY id) FROM jobs j WHERE campaign_id = {} AND task = {}",
                    row.id.value(), task));
  }

  /// Each task of after_each, where the one ran that it comes after; unless its user frees it.
  void has_followed(const Row& row) {
    if (row.values.at("after") != features()[0].values[3]) return;
    EXPECT_EQ(
        grid.number(fmt::format("SELECT count(*) FROM jobs j JOIN jobs f ON f.campaign_id = {} AND f.task = j.task AND f.ending = 'done' "
                                "WHERE j.campaign_id = {} AND j.ending = 'done' AND j.task >= 0 AND j.cluster_id <> f.cluster_id",
                                row.before.value(), row.id.value())),
        0)
        << row.text();
  }

  void is_carried_out_once(const Row& row) {
    SCOPED_TRACE(row.text());
    const bool has_replicas = !row.values.at("replicas").empty();
    const auto parameter_of = [](std::int64_t task) { return task < kTasks ? task : task - kTasks; };
    // A job that OAR kills between its task's note and its wrapper's is the one moment that nothing can close (Oracle::CutOff).
    std::map<std::int64_t, int> cut_off;
    std::istringstream preempted{grid.value(fmt::format(
        "SELECT coalesce(string_agg(task::text, ' '), '') FROM jobs WHERE campaign_id = {} AND task >= 0 AND ending = 'preempted'",
        row.id.value()))};
    for (std::int64_t of_job = 0; preempted >> of_job;) ++cut_off[parameter_of(of_job)];
    std::map<std::int64_t, int> times;
    for (const auto& [execution, count] : grid.oracle().executions(row.id)) times[execution.first] += count;
    std::map<std::int64_t, int> wanted;
    for (const auto& task : grid.tasks_of(row.id)) {
      if (task.state == "done" && task.number >= 0) ++wanted[parameter_of(task.number)];
    }
    for (const auto& [parameter, count] : wanted) {
      EXPECT_GE(times[parameter], count) << "parameter " << parameter;
      if (!has_replicas && row.action() != "cancel" && row.action() != "cancel_some") {
        EXPECT_LE(times[parameter], count + cut_off[parameter]) << "parameter " << parameter;
      }
    }
  }

  GridUnderTest grid{{.configuration = {{"max_charged_attempts", "1"}}}};
};

TEST_F(Combinations, OfAllPairs_RunToTheirEnd_EachTaskOnce_AndLeaveTheCheckClean) {
  std::vector<std::size_t> sizes;
  for (const auto& feature : features()) sizes.push_back(feature.values.size());
  const auto array = covering_array(sizes, is_allowed, test_seed());
  std::set<Pair> covered;
  std::vector<Row> rows;
  for (const auto& choices : array) {
    for (const auto& pair : pairs_of(choices)) covered.insert(pair);
    auto& row = rows.emplace_back();
    for (std::size_t i = 0; i < choices.size(); ++i) row.values[features()[i].name] = features()[i].values[choices[i]];
  }
  const auto pairs = all_pairs(sizes, is_allowed);
  std::cout << "[ pairs    ] " << pairs.size() << " in " << rows.size() << " campaigns" << std::endl;
  for (const auto& pair : pairs)
    EXPECT_TRUE(covered.contains(pair)) << features()[pair.first.dimension].values[pair.first.value] << " | "
                                        << features()[pair.second.dimension].values[pair.second.value];
  grid.almighty().start();
  for (auto& row : rows) {
    submit(row);
    if (HasFatalFailure()) return;
    // The one before it is under way, or has ended.
    if (&row != rows.data()) act(*(&row - 1));
  }
  act(rows.back());
  for (const auto& row : rows) {
    ends(row);
    if (row.action() == "retry" && grid.run("gridsub", {"--retry", std::to_string(row.id.value())}).end.succeeded()) ends(row);
  }
  for (const auto& row : rows) {
    has_done_what_it_said(row);
    is_carried_out_once(row);
    has_followed(row);
  }
  EXPECT_TRUE(grid.is_consistent());
}

}  // namespace
}  // namespace gleaner::tests
