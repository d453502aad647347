#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "sim/gridsim/engine/scenario_file.hpp"
#include "sim/gridsim/engine/simulation.hpp"
#include "sim/gridsim/engine/what_if.hpp"

// How often what then happens is within the interval that is said to hold it in 8 of 10 cases.
namespace gleaner::gridsim {
namespace {

/// As the database keeps durations: the bounds of buckets a tenth apart, and how many jobs are in each.
std::string seen_of(const Distribution& truth, int jobs, std::uint64_t seed) {
  Draws draws{truth, Random{seed, 7}};
  std::map<int, int> buckets;
  for (int i = 0; i < jobs; ++i) ++buckets[static_cast<int>(std::ceil(std::log(draws.next()) / std::log(1.1)))];
  std::string text;
  for (const auto& [bucket, count] : buckets) text += fmt::format("{}[{:.3f}, {}]", text.empty() ? "" : ", ", std::pow(1.1, bucket), count);
  return "[" + text + "]";
}

/// A campaign of which 12 jobs run, and one behind it of which nothing does, on a cluster of which others hold a quarter.
std::string a_state(const Distribution& truth, int jobs, std::uint64_t seed) {
  constexpr auto kCampaign = R"({{"name": "{}", "user": "ada", "waiting": {}, "durations": {}, "evidence": "{}", "seen": {},
    "clusters": [{{"name": "alpha", "resources_per_job": 1, "walltime": 36000{}}}]}})";
  const auto seen = seen_of(truth, jobs, seed);
  const auto first = fmt::format(kCampaign, "first", 40, seen, "own", jobs, R"(, "running": [[5, 4], [40, 4], [70, 4]])");
  const auto second = fmt::format(kCampaign, "second", 30, seen, "history", jobs, "");
  return fmt::format(
      R"({{"seed": {}, "configuration": {{"cycle_period": "30s"}}, "clusters": {{"alpha": {{"nodes": 1, "cores": 16, "held": 4}}}}, "live": [{}, {}]}})",
      seed * 1000, first, second);
}

/// Where what happens lies, in so many cases.
struct Counts {
  int cases = 0;
  int before = 0;
  int behind = 0;
  [[nodiscard]] double within() const { return 1.0 - static_cast<double>(before + behind) / cases; }
};

void count(Counts& counts, const Times& times, double time) {
  ++counts.cases;
  counts.before += time < times.earliest ? 1 : 0;
  counts.behind += time > times.latest ? 1 : 0;
}

struct Held {
  Counts starts, ends;
};

double first_start(const Outcome& outcome, int campaign) {
  double first = outcome.end;
  for (const auto& job : outcome.jobs) {
    if (job.campaign == campaign && job.held) first = std::min(first, seconds_of(*job.held));
  }
  return first;
}

/// Says when they end from what was seen of so many jobs, then plays them with durations that nobody has seen.
void try_once(const Distribution& truth, int jobs, std::uint64_t seed, Held& held) {
  const auto state = a_state(truth, jobs, seed);
  const auto said = what_if(state, {.seconds = 600, .most_seconds = 600});
  ASSERT_TRUE(said) << said.error();
  auto really = read_scenario(state, ".").value();
  really.seed = 1'000'000 + seed;
  for (auto& campaign : really.campaigns) campaign.duration = truth;
  const auto outcome = simulate(really);
  ASSERT_TRUE(outcome.complete);
  for (std::size_t i = 0; i < 2; ++i) count(held.ends, *said->campaigns[i].end, *outcome.campaigns[i].ended);
  count(held.starts, *said->campaigns[1].start, first_start(outcome, 1));
}

TEST(WhatIfCoverage, TheEnd_IsWithinTheInterval_InSomeEightOfTenCases) {
  constexpr int kTrials = 25;
  struct Case {
    std::string name;
    Distribution truth;
    int jobs;
  };
  for (const auto& [name, truth, jobs] :
       {Case{"lognormal", Lognormal{.median = 90, .sigma = 0.6, .least = 5, .most = 3000}, 300}, Case{"uniform", Uniform{30, 200}, 20}}) {
    Held held;
    for (int trial = 0; trial < kTrials; ++trial) ASSERT_NO_FATAL_FAILURE(try_once(truth, jobs, static_cast<std::uint64_t>(trial), held));
    for (const auto& [what, counts] : {std::pair{"starts", held.starts}, std::pair{"ends", held.ends}}) {
      const auto said = fmt::format("{:.3f}, {} before and {} behind, of {}", counts.within(), counts.before, counts.behind, counts.cases);
      RecordProperty(fmt::format("{}_{}", name, what), said);
      EXPECT_GE(counts.within(), 0.65) << name << " " << what << ": " << said;
      EXPECT_LE(counts.within(), 0.96) << name << " " << what << ": " << said;
    }
  }
}

}  // namespace
}  // namespace gleaner::gridsim
