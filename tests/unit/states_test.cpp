#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "lib/grid/states.hpp"

namespace gleaner::grid {
namespace {

using Arrow = std::pair<std::string, std::string>;

std::string trimmed(std::string text) {
  const auto begin = text.find_first_not_of(" \t\r");
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

/// The arrows of the state diagram under a heading, without those from the start and to the end.
std::multiset<Arrow> drawn(std::istream& document, const std::string& heading) {
  std::multiset<Arrow> arrows;
  bool in_section = false;
  bool in_diagram = false;
  for (std::string line; std::getline(document, line);) {
    if (line.starts_with("#")) in_section = line == heading;
    if (line.starts_with("```")) in_diagram = in_section && line == "```mermaid";
    const auto arrow = line.find("-->");
    if (!in_diagram || arrow == std::string::npos) continue;
    auto to = line.substr(arrow + 3);
    to = trimmed(to.substr(0, to.find(':')));
    const auto from = trimmed(line.substr(0, arrow));
    if (from != "[*]" && to != "[*]") arrows.emplace(from, to);
  }
  return arrows;
}

std::multiset<Arrow> drawn(const std::string& machine) {
  const char* root = std::getenv("GLEANER_SOURCE_DIR");
  std::ifstream document{std::string{root ? root : "."} + "/ARCHITECTURE.md"};
  EXPECT_TRUE(document) << "ARCHITECTURE.md cannot be read";
  return drawn(document, "### " + machine);
}

template <class State>
std::multiset<Arrow> coded(std::span<const Transition<State>> table) {
  std::multiset<Arrow> arrows;
  for (const auto& [from, to] : table) arrows.emplace(name_of(from), name_of(to));
  return arrows;
}

TEST(Drawing, Campaign_IsTheTable) { EXPECT_EQ(drawn("Campaign"), coded(campaign_transitions())); }
TEST(Drawing, Task_IsTheTable) { EXPECT_EQ(drawn("Task"), coded(task_transitions())); }
TEST(Drawing, Job_IsTheTable) { EXPECT_EQ(drawn("Job"), coded(job_transitions())); }
TEST(Drawing, Launch_IsTheTable) { EXPECT_EQ(drawn("Launch"), coded(launch_transitions())); }

TEST(Drawing, IsReadFromItsOwnSectionOnly) {
  std::istringstream document{
      "### A\n```mermaid\nstateDiagram-v2\n  [*] --> x\n  x --> y: why\n```\nx --> no\n### B\n```mermaid\ny --> z\n```\n"};
  EXPECT_THAT(drawn(document, "### A"), testing::ElementsAre(Arrow{"x", "y"}));
}

template <class State>
void expect_sound(std::span<const Transition<State>> table, State start, std::set<State> ends) {
  std::set<std::pair<State, State>> seen;
  std::set<State> reached{start};
  for (std::size_t round = 0; round < table.size(); ++round) {
    for (const auto& [from, to] : table) {
      if (reached.contains(from)) reached.insert(to);
    }
  }
  std::set<State> left;
  for (const auto& [from, to] : table) {
    EXPECT_TRUE(seen.emplace(from, to).second) << name_of(from) << " -> " << name_of(to) << " is there twice";
    EXPECT_NE(from, to);
    EXPECT_TRUE(reached.contains(from)) << name_of(from) << " is never reached";
    left.insert(from);
  }
  for (const auto end : ends) EXPECT_FALSE(left.contains(end)) << name_of(end) << " is an end, and is left";
}

TEST(States, EveryStateIsReached_AndEndsAreNotLeft) {
  expect_sound<CampaignState>(campaign_transitions(), CampaignState::in_treatment, {CampaignState::cancelled});
  expect_sound<TaskState>(task_transitions(), TaskState::waiting, {TaskState::cancelled});
  expect_sound<JobState>(job_transitions(), JobState::planned, {JobState::terminated, JobState::killed});
  expect_sound<LaunchState>(launch_transitions(), LaunchState::planned, {LaunchState::refused});
}

TEST(States, NamesAreReadBack) {
  for (int i = 0; i < 4; ++i) EXPECT_EQ(campaign_state(name_of(static_cast<CampaignState>(i))), static_cast<CampaignState>(i));
  for (int i = 0; i < 7; ++i) EXPECT_EQ(task_state(name_of(static_cast<TaskState>(i))), static_cast<TaskState>(i));
  for (int i = 0; i < 8; ++i) EXPECT_EQ(job_state(name_of(static_cast<JobState>(i))), static_cast<JobState>(i));
  for (int i = 0; i < 6; ++i) EXPECT_EQ(launch_state(name_of(static_cast<LaunchState>(i))), static_cast<LaunchState>(i));
  std::set<std::string_view> ends;
  for (int i = 0; i < 15; ++i) ends.insert(name_of(static_cast<JobEnd>(i)));
  EXPECT_EQ(ends.size(), 15U);
  EXPECT_EQ(name_of(LaunchState::void_), "void");
}

TEST(States, UnknownName_IsNoState) {
  EXPECT_FALSE(campaign_state("running"));
  EXPECT_FALSE(task_state(""));
  EXPECT_FALSE(job_state("Waiting"));
  EXPECT_FALSE(launch_state("void_"));
}

TEST(Charge, OnlyTheTasksOwnFailures_AreChargedToIt) {
  for (const auto end : {JobEnd::task_error, JobEnd::walltime, JobEnd::bad_request}) EXPECT_EQ(charge_of(end), Charge::task);
  for (const auto end : {JobEnd::done, JobEnd::rerun_first, JobEnd::rerun_last, JobEnd::preempted, JobEnd::killed_by_us,
                         JobEnd::killed_elsewhere, JobEnd::node_failure, JobEnd::cannot_start, JobEnd::never_began, JobEnd::lost,
                         JobEnd::duplicate, JobEnd::never_submitted, JobEnd::not_reached})
    EXPECT_EQ(charge_of(end), Charge::nobody) << name_of(end);
}

}  // namespace
}  // namespace gleaner::grid
