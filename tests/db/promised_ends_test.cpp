#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "lib/jdl/problem.hpp"
#include "sim/gridsim/engine/scenario_file.hpp"
#include "sim/gridsim/engine/simulation.hpp"
#include "sim/gridsim/engine/what_if.hpp"
#include "sim/world/campaigns.hpp"
#include "sim/world/random.hpp"
#include "tests/db/played_grid.hpp"
#include "tests/seed.hpp"

/// Ends of campaigns in a world (docs/architecture/world.md), as `--what-if` promises them before the submission, and as gridsim plays them
/// from the same campaign files: with each pair of the traits below in at least one campaign.
namespace gleaner::tests {
namespace {

using clients::Json;

enum class Trait { pools, wide, one_cluster, max_jobs, needs, replicas, normal, lowest, checkpoint, after_each, side_by_side, prologue };
constexpr std::array<std::string_view, 12> kNames{"pools",  "wide",   "one_cluster", "max_jobs",   "needs",        "replicas",
                                                  "normal", "lowest", "checkpoint",  "after_each", "side_by_side", "prologue"};
using Traits = std::array<bool, kNames.size()>;

bool has(const Traits& traits, Trait trait) { return traits[static_cast<std::size_t>(trait)]; }
std::string words(const Traits& traits) {
  std::vector<std::string_view> said;
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (traits[i]) said.push_back(kNames[i]);
  }
  return said.empty() ? "plain" : fmt::format("{}", fmt::join(said, "+"));
}

/// Whether the API accepts it without a word (docs/combinations.md).
bool is_accepted(const Traits& traits) {
  const auto both = [&](Trait one, Trait other) { return has(traits, one) && has(traits, other); };
  return !both(Trait::pools, Trait::checkpoint) && !both(Trait::side_by_side, Trait::checkpoint) && !both(Trait::replicas, Trait::pools) &&
         !both(Trait::replicas, Trait::side_by_side) && !both(Trait::replicas, Trait::checkpoint) &&
         !both(Trait::replicas, Trait::after_each) && !(has(traits, Trait::side_by_side) && !has(traits, Trait::wide));
}

/// Campaigns in which each accepted pair of a trait with another one occurs: the best of a few random ones, one after the other.
std::vector<Traits> covering(std::uint64_t seed) {
  constexpr auto kTraits = kNames.size();
  world::Random random{seed, "traits"};
  std::vector<Traits> chosen{Traits{}};
  std::array<std::array<bool, kTraits>, kTraits> seen{};
  constexpr int kVain = 20;
  for (int vain = 0; vain < kVain;) {
    Traits best{};
    int most = 0;
    for (int i = 0; i < 30; ++i) {
      Traits drawn{};
      for (auto& one : drawn) one = random.chance(0.45);
      if (!is_accepted(drawn)) continue;
      int fresh = 0;
      for (std::size_t a = 0; a < kTraits; ++a) {
        for (std::size_t b = a; b < kTraits; ++b) fresh += drawn[a] && drawn[b] && !seen[a][b] ? 1 : 0;
      }
      if (fresh > most) {
        most = fresh;
        best = drawn;
      }
    }
    if (most == 0) {
      ++vain;
      continue;
    }
    for (std::size_t a = 0; a < kTraits; ++a) {
      for (std::size_t b = a; b < kTraits; ++b) seen[a][b] = seen[a][b] || (best[a] && best[b]);
    }
    chosen.push_back(best);
  }
  return chosen;
}

/// A campaign of a case.
struct Written {
  std::string name;
  std::string text;
  std::vector<std::int64_t> durations;
};

Written written(const std::string& name, const Traits& traits, std::uint64_t seed) {
  const auto is = [&](Trait trait) { return has(traits, trait); };
  world::Random random{seed, "durations of " + name};
  Written campaign{.name = name, .text = {}, .durations = {}};
  std::vector<std::string> parameters;
  const int tasks = is(Trait::pools) ? 80 : 20;
  for (int task = 0; task < tasks; ++task) {
    campaign.durations.push_back(is(Trait::pools) ? random.between(2, 8) : random.between(30, 90));
    parameters.push_back(fmt::format("\"{}\"", world::text_of({.seconds = campaign.durations.back()})));
  }
  std::vector<std::string> keys{fmt::format(R"("name": "{}")", name), fmt::format(R"("params": [{}])", fmt::join(parameters, ", ")),
                                R"("exec_file": "task", "walltime": "0:10:00")",
                                fmt::format(R"("resources": "{}")", is(Trait::wide) ? "/nodes=1/core=2" : "/core=1")};
  if (is(Trait::pools)) keys.emplace_back(R"("temporal_grouping": true)");
  if (is(Trait::side_by_side)) keys.emplace_back(R"("dimensional_grouping": true)");
  if (is(Trait::needs)) keys.push_back(fmt::format(R"("needs": {{"{}": 1}})", world::kConsumable));
  if (is(Trait::replicas)) keys.emplace_back(R"("replicas": "allowed")");
  if (is(Trait::normal)) keys.emplace_back(R"("type": "normal")");
  if (is(Trait::lowest)) keys.emplace_back(R"("campaign_priority": "lowest")");
  if (is(Trait::checkpoint)) keys.emplace_back(R"("checkpoint": {"signal": "USR1", "period": "0:02:00", "cost": "0:00:02"})");
  if (is(Trait::after_each)) keys.emplace_back(R"("after_each": "first", "after_each_cluster": "any")");
  if (is(Trait::prologue)) keys.emplace_back(R"("prologue": ["task run=20 exit=0"])");
  const auto alpha = is(Trait::max_jobs) ? R"("k00": {"max_jobs": 3})" : R"("k00": {})";
  keys.push_back(fmt::format(R"("clusters": {{{}{}}})", alpha, is(Trait::one_cluster) ? "" : R"(, "k01": {})"));
  campaign.text = fmt::format("{{{}}}", fmt::join(keys, ", "));
  return campaign;
}

/// The same ends, by three.
struct Ends {
  std::string traits;
  double world = 0;    ///< seconds from the submission until the grid knew of its end
  double gridsim = 0;  ///< the same in gridsim, which knows the durations
  std::optional<gridsim::Times> promised{};
  std::string evidence{};
};

class PromisedEnds : public testing::Test {
 protected:
  PromisedEnds() {
    std::filesystem::create_directories(folder_);
    world::Settings settings;
    settings.seed = seed_;
    settings.clusters = 2;
    settings.nodes = 2;
    settings.cores = 4;
    if (const auto* trace = std::getenv("GLEANER_WORLD_TRACE")) settings.trace = trace;
    grid_.emplace(settings, 8);
    // The clusters are reached, and the durations of both kinds of tasks are known.
    static_cast<void>(grid_->play_until([] { return false; }, 25));
    for (const auto is_short : {false, true}) {
      Traits traits{};
      traits[static_cast<std::size_t>(Trait::pools)] = is_short;
      static_cast<void>(played(traits, written(is_short ? "short" : "long", traits, seed_), {}));
    }
  }
  ~PromisedEnds() override { std::filesystem::remove_all(folder_); }

  static std::string user_of(const Traits& traits) { return has(traits, Trait::pools) ? "bob" : "alice"; }

  std::int64_t submitted(const std::string& user, const Written& campaign) {
    const auto answer = grid_->ask(user, "POST", "/v1/campaigns", campaign.text);
    if (answer.status != 201) throw std::runtime_error{answer.body + campaign.text};
    return answer.json["id"].integer();
  }
  /// As gridsub --what-if asks.
  gridsim::Prospect promised(const std::string& user, const Written& campaign) {
    const auto checked = grid_->ask(user, "POST", "/v1/campaigns?dry_run=1", campaign.text);
    EXPECT_EQ(checked.status, 200U) << checked.body;
    const auto state = grid_->ask(user, "GET", "/v1/scenario");
    std::vector<Json::Member> members;
    for (const auto& [key, value] : state.json["scenario"].members()) {
      auto live = value.items();
      if (key == "live") live.push_back(checked.json["candidate"]);
      members.emplace_back(key, key == "live" ? Json::of(std::move(live)) : value);
    }
    const auto prospects = gridsim::what_if(clients::dump(Json::of(std::move(members)), clients::Layout::one_line),
                                            {.most_runs = runs_, .least_runs = runs_, .clock = [] { return 0.0; }});
    EXPECT_TRUE(prospects) << prospects.error();
    return prospects ? prospects->campaigns.back() : gridsim::Prospect{};
  }
  double ended(std::int64_t id, double most_seconds) {
    Json campaign;
    const auto is_over = [&] {
      campaign = grid_->ask("alice", "GET", fmt::format("/v1/campaigns/{}", id)).json;
      return campaign["state"].text() == "terminated";
    };
    EXPECT_TRUE(grid_->play_until(is_over, most_seconds)) << grid_->ask("alice", "GET", fmt::format("/v1/campaigns/{}/decisions", id)).body;
    return static_cast<double>(campaign["end_time"].seconds() - grid::to_unix(world::VirtualClock::begin()));
  }
  /// In gridsim, from the campaign files.
  double simulated(const std::string& user, const std::vector<Written>& campaigns, const std::vector<OwnJob>& own_jobs) {
    std::vector<std::string> written;
    for (const auto& one : campaigns) {
      std::ofstream{folder_ / (one.name + ".jdl")} << one.text;
      written.push_back(fmt::format(R"({{"name": "{}", "jdl": "{}.jdl", "user": "{}", "duration": {{"list": [{}]}}}})", one.name, one.name,
                                    user, fmt::join(one.durations, ", ")));
    }
    std::vector<std::string> clusters;
    for (const auto& name : {"k00", "k01"}) {
      std::ofstream trace{folder_ / fmt::format("{}.swf", name)};
      int number = 0;
      for (const auto& job : own_jobs) {
        if (job.cluster == name)
          trace << fmt::format("{} {:.0f} 0 {} {} -1 -1 {} 7200 -1 1 1 1 1 1 1 -1 -1\n", ++number, job.at, job.seconds, job.cores,
                               job.cores);
      }
      const auto local = number > 0 ? fmt::format(R"(, "local": {{"trace": "{}.swf"}})", name) : std::string{};
      clusters.push_back(fmt::format(
          R"("{}": {{"nodes": 2, "cores": 4, "start_delay": 0.5, "start_rate": 1000, "api_latency": 0.02, "preemption_delay": 1{}}})", name,
          local));
    }
    const auto state = grid_->ask(user, "GET", "/v1/scenario").json["scenario"];
    const auto text = fmt::format(
        R"({{"cycle_work": 0.1, "configuration": {}, "policies": {{"limits": {}}}, "clusters": {{{}}}, "campaigns": [{}]}})",
        clients::dump(state["configuration"], clients::Layout::one_line),
        clients::dump(state["policies"]["limits"], clients::Layout::one_line), fmt::join(clusters, ", "), fmt::join(written, ", "));
    const auto scenario = gridsim::read_scenario(text, folder_);
    EXPECT_TRUE(scenario) << jdl::render(scenario.error(), text);
    if (!scenario) return 0;
    return gridsim::simulate(*scenario).campaigns.back().ended.value_or(0);
  }

  Ends played(const Traits& traits, const Written& campaign, const std::vector<OwnJob>& own_jobs) {
    constexpr double kMost = 3600;
    const auto user = user_of(traits);
    std::vector<Written> all;
    if (has(traits, Trait::after_each)) {
      Traits first{};
      first[static_cast<std::size_t>(Trait::pools)] = has(traits, Trait::pools);
      all.push_back(written("first", first, seed_ + campaign.name.size()));
      static_cast<void>(submitted(user, all.front()));
    }
    Ends ends{.traits = words(traits)};
    const auto prospect = promised(user, campaign);
    ends.promised = prospect.end;
    ends.evidence = prospect.evidence + prospect.blocked;
    const auto begin = grid_->seconds();
    const auto id = submitted(user, campaign);
    for (const auto& job : own_jobs) grid_->add(job);
    ends.world = ended(id, kMost) - begin;
    all.push_back(campaign);
    ends.gridsim = simulated(user, all, own_jobs);
    return ends;
  }

  static void print(const Ends& ends) {
    const auto promise =
        ends.promised ? fmt::format("{:.0f} ({:.0f} to {:.0f})", ends.promised->expected, ends.promised->earliest, ends.promised->latest)
                      : std::string{"none"};
    std::cout << fmt::format("| {} | {:.0f} | {:.0f} | {:.2f} | {} | {:.2f} |\n", ends.traits, ends.world, ends.gridsim,
                             ends.gridsim / ends.world, promise, ends.promised ? ends.promised->expected / ends.world : 0);
  }

  /// The error of one campaign is no bound: other seeds are for long runs.
  std::uint64_t seed_ = std::getenv("GLEANER_TEST_LONG") == nullptr ? 1 : test_seed();
  int runs_ = 9;
  std::filesystem::path folder_ = std::filesystem::path{"/dev/shm"} / fmt::format("gleaner-promised-{}", ::getpid());
  std::optional<PlayedGrid> grid_;
};

/// Within this part of the world's time, and a cycle, in which the grid knows of an end. Scripts are left out of simulations: a prologue's
/// job takes 30 s here, and a cycle or two.
bool agrees(double simulated, const Ends& ends, double part) {
  constexpr double kCycle = 10, kPrologue = 50;
  const bool has_prologue = ends.traits.find("prologue") != std::string::npos;
  const double off = simulated - ends.world;
  return off <= part * ends.world + kCycle && off >= -part * ends.world - kCycle - (has_prologue ? kPrologue : 0);
}

TEST_F(PromisedEnds, OfEachPairOfTraits_AreThoseOfTheWorld) {
  int number = 0;
  for (const auto& traits : covering(seed_)) {
    const auto ends = played(traits, written(fmt::format("c{}", ++number), traits, seed_), {});
    print(ends);
    EXPECT_TRUE(agrees(ends.gridsim, ends, 0.15)) << ends.traits;
    EXPECT_EQ(ends.evidence, "history");
    ASSERT_TRUE(ends.promised) << ends.traits;
    EXPECT_TRUE(agrees(ends.promised->expected, ends, 0.25)) << ends.traits;
  }
}

/// Beside jobs of the clusters' own users, of which no promise knows. Best-effort campaigns alone: in gridsim, a local job waits for normal
/// jobs, and later ones of these pass it, where OAR keeps the resources for it.
TEST_F(PromisedEnds, BesideLocalJobs_AreThoseOfTheWorld) {
  int number = 0;
  const std::vector<OwnJob> own_jobs{{20, "k00", 4, 100}, {40, "k01", 6, 60}, {90, "k00", 8, 45}};
  for (const auto& traits : covering(seed_)) {
    if (has(traits, Trait::normal) || has(traits, Trait::prologue)) continue;
    const auto ends = played(traits, written(fmt::format("c{}", ++number), traits, seed_), own_jobs);
    print(ends);
    EXPECT_TRUE(agrees(ends.gridsim, ends, 0.15)) << ends.traits;
  }
}

}  // namespace
}  // namespace gleaner::tests
