#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "api/what_if/played.hpp"
#include "api/what_if_json.hpp"
#include "api/what_if_question.hpp"
#include "api/what_ifs.hpp"
#include "lib/process/options.hpp"

/// Questions what if: how they are read, who may ask how many, how often they are played, and whom a change serves.
namespace gleaner::api {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

WhatIfQuestion right(std::string_view body) {
  auto question = read_what_if(body);
  EXPECT_TRUE(question) << (question ? "" : question.error().body);
  return question ? *question : WhatIfQuestion{};
}

/// The body of the refusal.
std::string refusal(std::string_view body) {
  const auto question = read_what_if(body);
  return question ? "it was read" : question.error().body;
}

TEST(WhatIfQuestion, HasEachChange_AndAnEmptyOneHasNone) {
  EXPECT_TRUE(right("{}").is_empty());
  EXPECT_TRUE(right(R"({"jdl": null, "changes": {"clusters_off": [], "after": 0, "campaigns": []}})").is_empty());
  const auto question = right(
      R"({"jdl": "{}", "changes": {"clusters_off": ["beta", "alpha", "beta"], "order": "priority,fairshare", "after": 3600,
          "campaigns": [{"id": 12, "priority": 2}, {"id": 7, "paused": true}]}})");
  EXPECT_FALSE(question.is_empty());
  EXPECT_EQ(question.jdl, "{}");
  EXPECT_THAT(question.changes.clusters_off, ElementsAre("alpha", "beta")) << "one question has one form";
  EXPECT_EQ(question.changes.order, "priority,fairshare");
  EXPECT_EQ(question.changes.after, grid::Seconds{3600});
  EXPECT_EQ(question.changes.campaigns.at(grid::CampaignId{12}).priority, 2);
  EXPECT_EQ(question.changes.campaigns.at(grid::CampaignId{7}).paused, true);
}

TEST(WhatIfQuestion, ThatIsWrong_IsRefused_WithTheKeyAndTheValue) {
  EXPECT_THAT(refusal("{"), HasSubstr("not JSON"));
  EXPECT_THAT(refusal("[]"), HasSubstr("no JSON object"));
  EXPECT_THAT(refusal(R"({"change": {}})"), HasSubstr("did you mean 'changes'"));
  EXPECT_THAT(refusal(R"({"changes": {"clusters_of": ["beta"]}})"), HasSubstr("did you mean 'clusters_off'"));
  EXPECT_THAT(refusal(R"({"changes": {"clusters_off": "beta"}})"), HasSubstr(R"(\"beta\" is not a list of names)"));
  EXPECT_THAT(refusal(R"({"changes": {"clusters_off": [3]}})"), HasSubstr("3 is not the name of a cluster"));
  EXPECT_THAT(refusal(R"({"changes": {"off_after": 3600}})"), HasSubstr("the clusters of 'clusters_off' are off, and there are none"));
  EXPECT_THAT(refusal(R"({"changes": {"clusters_off": ["beta"], "off_after": 604801}})"), HasSubstr("from 0 to 604800"));
  EXPECT_THAT(refusal(R"({"changes": {"after": -1}, "jdl": "{}"})"), HasSubstr("changes.after: -1 is not"));
  EXPECT_THAT(refusal(R"({"changes": {"after": 604801}, "jdl": "{}"})"), HasSubstr("604801 is not"));
  EXPECT_THAT(refusal(R"({"changes": {"after": 60}})"), HasSubstr("give its 'jdl'"));
  EXPECT_THAT(refusal(R"({"changes": {"campaigns": [{"priority": 2}]}})"), HasSubstr("its 'id' is a number"));
  EXPECT_THAT(refusal(R"({"changes": {"campaigns": [{"id": 12, "priority": 8}]}})"), HasSubstr("8 is not a whole number from 1"));
  EXPECT_THAT(refusal(R"({"changes": {"campaigns": [{"id": 12}]}})"), HasSubstr("a change: give 'priority' or 'paused'"));
  EXPECT_THAT(refusal(R"({"changes": {"campaigns": [{"id": 12, "paused": true}, {"id": 12, "priority": 1}]}})"),
              HasSubstr("changed twice"));
  EXPECT_THAT(refusal(R"({"changes": {"order": "fifo", "order": "fairshare"}})"), HasSubstr("given twice"));
  EXPECT_THAT(refusal(R"({"changes": {"order": ")" + std::string(201, 'x') + R"("}})"), HasSubstr("is not an order of campaigns"));
  EXPECT_THAT(refusal(std::string(100, '[')), HasSubstr("nested deeper"));
}

store::GridState a_state() {
  store::GridState state;
  for (const auto* name : {"alpha", "beta", "gamma"}) {
    grid::ClusterFacts cluster;
    cluster.id = grid::ClusterId{std::ssize(state.planning.clusters) + 1};
    cluster.name = name;
    cluster.max_resources = 16;
    cluster.reachable = true;
    cluster.enabled = cluster.name != "gamma";
    state.planning.clusters.push_back(cluster);
    grid::PairFacts pair;
    pair.campaign = grid::CampaignId{12};
    pair.cluster = cluster.id;
    state.planning.pairs.push_back(pair);
  }
  grid::CampaignFacts campaign;
  campaign.id = grid::CampaignId{12};
  campaign.user = "ada";
  state.planning.campaigns.push_back(campaign);
  return state;
}

std::string wrong_change(const WhatIfChanges& changes, const Readership& readership) {
  const auto checked = check_changes(changes, a_state(), readership);
  return checked ? "" : checked.error().body;
}

TEST(WhatIfChanges, OfWhatIsNotThere_OrIsAnotherUsers_AreRefused) {
  const Caller bob{.user = "bob"};
  const Readership all{bob, std::nullopt};
  EXPECT_EQ(wrong_change({.clusters_off = {"beta"}, .campaigns = {{grid::CampaignId{12}, {.priority = 1}}}}, all), "");
  EXPECT_THAT(wrong_change({.clusters_off = {"zzz"}}, all), HasSubstr("there is no cluster 'zzz'"));
  EXPECT_THAT(wrong_change({.clusters_off = {"betta"}}, all), HasSubstr("did you mean 'beta'"));
  EXPECT_THAT(wrong_change({.clusters_off = {"gamma"}}, all), HasSubstr("gamma is disabled: it gets no job as it is"));
  EXPECT_THAT(wrong_change({.campaigns = {{grid::CampaignId{13}, {.priority = 1}}}}, all), HasSubstr("campaign 13 is not in treatment"));
  const Readership own{bob, store::views::Readers{.user = "bob", .projects = {}}};
  const auto refused = wrong_change({.campaigns = {{grid::CampaignId{12}, {.priority = 1}}}}, own);
  EXPECT_THAT(refused, HasSubstr("not_yours"));
  EXPECT_THAT(refused, Not(HasSubstr("ada"))) << "whose it is stays hidden";
}

TEST(WhatIfChanges, AreOfTheStateAndTheConfiguration) {
  auto state = a_state();
  auto config = process::default_config();
  apply_changes({.clusters_off = {"beta"}, .order = "fairshare", .campaigns = {{grid::CampaignId{12}, {.priority = 1, .paused = true}}}},
                state, config, grid::Instant{});
  EXPECT_EQ(config.campaign_order, "fairshare");
  EXPECT_EQ(state.planning.pairs[0].max_jobs, std::nullopt);
  EXPECT_EQ(state.planning.pairs[1].max_jobs, 0);
  EXPECT_EQ(state.planning.campaigns[0].priority, 1);
  EXPECT_EQ(state.planning.campaigns[0].state, grid::CampaignState::paused);
  apply_changes({.campaigns = {{grid::CampaignId{12}, {.paused = false}}}}, state, config, grid::Instant{});
  EXPECT_EQ(state.planning.campaigns[0].state, grid::CampaignState::in_treatment);
}

TEST(WhatIfChanges, OfAClusterThatIsOffLater_KeepItForNobody_FromThenOn) {
  auto state = a_state();
  auto config = process::default_config();
  apply_changes({.clusters_off = {"beta"}, .off_after = grid::Seconds{3600}}, state, config, grid::Instant{grid::Seconds{1000}});
  EXPECT_EQ(state.planning.pairs[1].max_jobs, std::nullopt);
  ASSERT_EQ(state.planning.policies.keeps.size(), 1U);
  const auto& keep = state.planning.policies.keeps[0];
  EXPECT_EQ(keep.cluster_name, "beta");
  EXPECT_EQ(keep.part.of(64), 64);
  EXPECT_EQ(keep.from, grid::Instant{grid::Seconds{4600}});
  EXPECT_FALSE(grid::is_for(keep, {.id = grid::CampaignId{12}, .user = "ada", .project = ""}, grid::Instant{grid::Seconds{5000}}));
}

TEST(WhatIfChanges, OfAPriorityThatTheOrderDoesNotHeed_AreNoted) {
  WhatIfChanges changes{.campaigns = {{grid::CampaignId{12}, {.priority = 2}}}};
  auto config = process::default_config();
  config.campaign_order = "fifo";
  EXPECT_THAT(notes_on(changes, config), ElementsAre(HasSubstr("campaign 12: campaign_priority 2")));
  config.campaign_order = "priority,fifo";
  EXPECT_TRUE(notes_on(changes, config).empty());
  changes.order = "fairshare";
  EXPECT_EQ(notes_on(changes, config).size(), 1U) << "the order that would be decides";
}

gridsim::Prospect ends_in(double seconds) {
  gridsim::Prospect one;
  one.end = gridsim::Times{.expected = seconds, .earliest = seconds, .latest = seconds};
  return one;
}

TEST(WhatIfEffect, IsWhomTheChangeServes) {
  const auto early = ends_in(3600), late = ends_in(7200), never = gridsim::Prospect{};
  EXPECT_EQ(effect_of(nullptr, early, true), "new");
  EXPECT_EQ(effect_of(&early, late, true), "pays");
  EXPECT_EQ(effect_of(&late, early, true), "gains");
  EXPECT_EQ(effect_of(&late, ends_in(7259), true), "same") << "less than a minute";
  EXPECT_EQ(effect_of(&late, ends_in(7261), true), "same") << "less than a hundredth";
  EXPECT_EQ(effect_of(&late, ends_in(7273), true), "pays");
  EXPECT_EQ(effect_of(&early, never, true), "pays");
  EXPECT_EQ(effect_of(&never, early, true), "gains");
  EXPECT_EQ(effect_of(&never, never, true), "unknown");
  EXPECT_EQ(effect_of(&early, never, false), "unknown") << "the time was over: it may end later";
}

TEST(WhatIfAnswer, OfTheProgram_ComesBackAsItWas_AndAPartOfItIsNone) {
  what_if::Answer answer;
  auto& prospects = answer.prospects;
  prospects.runs = 20;
  prospects.out_of_time = true;
  prospects.known_until = 0.1 + 0.2;
  prospects.clusters = {{"alpha", 3, 16}};
  prospects.campaigns = {ends_in(1.0 / 3), {}};
  prospects.campaigns[0].start = gridsim::Times{1, 0.5, 2};
  prospects.campaigns[0].evidence = "own";
  prospects.campaigns[0].seen = 7;
  prospects.campaigns[0].group = 50;
  prospects.campaigns[0].behind_walltimes = true;
  prospects.campaigns[1].blocked = "paused";
  prospects.campaigns[1].started = true;
  const auto text = what_if::text_of(answer);
  const auto read = what_if::read_answer(text);
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(what_if::text_of(*read), text);
  EXPECT_EQ(read->prospects.campaigns[0].end->expected, 1.0 / 3);
  EXPECT_EQ(read->prospects.known_until, 0.1 + 0.2);
  for (std::size_t length = 0; length < text.size(); ++length) EXPECT_FALSE(what_if::read_answer(text.substr(0, length))) << length;
}

/// A program in place of `what-if`: it notes that it runs, and answers as its script says.
class Plays : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "gleaner-what-if-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder); }
  /// The options of one whose program runs these commands of the shell.
  [[nodiscard]] WhatIfs::Options running(const std::string& commands) const {
    const auto program = folder / "what-if";
    std::ofstream{program} << "#!/bin/sh\necho run >> " << (folder / "runs").string() << "\n" << commands << "\n";
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    return {.program = program};
  }
  [[nodiscard]] std::ptrdiff_t runs() const {
    std::ifstream file{folder / "runs"};
    return std::count(std::istreambuf_iterator<char>{file}, {}, '\n');
  }
  static constexpr auto kAnswer = R"(echo '{"runs": 3, "clusters": [], "campaigns": []}')";
  static std::string a_scenario() { return "{}"; }
  std::filesystem::path folder;
};

TEST_F(Plays, EqualQuestionsOfManyAtOnce_CostOneRun) {
  WhatIfs all{running(std::string{"cat > /dev/null; sleep 0.2; "} + kAnswer)};
  std::atomic<int> answered = 0;
  std::vector<std::jthread> viewers;
  for (int i = 0; i < 12; ++i) {
    viewers.emplace_back([&] {
      const auto played = all.play("1", a_scenario, 20);
      answered += played && played->runs == 3 ? 1 : 0;
    });
  }
  viewers.clear();
  EXPECT_EQ(answered, 12);
  EXPECT_EQ(runs(), 1);
  EXPECT_TRUE(all.play("1", a_scenario, 20));
  EXPECT_EQ(runs(), 1) << "it is kept";
  EXPECT_TRUE(all.play("2", a_scenario, 20));
  EXPECT_EQ(runs(), 2) << "another question";
}

TEST_F(Plays, DifferentQuestions_ArePlayedOneAtATime) {
  const auto lock = (folder / "lock").string();
  WhatIfs all{running("mkdir " + lock + " || exit 9; sleep 0.1; rmdir " + lock + "; " + kAnswer)};
  std::atomic<int> answered = 0;
  std::vector<std::jthread> viewers;
  for (int i = 0; i < 5; ++i) viewers.emplace_back([&, i] { answered += all.play(std::to_string(i), a_scenario, 20) ? 1 : 0; });
  viewers.clear();
  EXPECT_EQ(answered, 5);
  EXPECT_EQ(runs(), 5);
}

TEST_F(Plays, WhoseTurnDoesNotCome_AreRefusedUntilLater_AndNothingIsKeptOfThat) {
  const auto go = (folder / "go").string();
  auto options = running("while [ ! -e " + go + " ]; do sleep 0.02; done; " + kAnswer);
  options.patience = std::chrono::milliseconds{50};
  WhatIfs all{options};
  std::jthread first{[&] { EXPECT_TRUE(all.play("1", a_scenario, 20)); }};
  while (runs() == 0) std::this_thread::yield();
  const auto second = all.play("2", a_scenario, 20);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().status, 503U);
  EXPECT_TRUE(second.error().headers.find("Retry-After"));
  EXPECT_THAT(second.error().body, HasSubstr("gridsub --what-if"));
  std::ofstream{go};
  first.join();
  EXPECT_TRUE(all.play("2", a_scenario, 20));
}

TEST_F(Plays, ThatTakeTooLong_AreKilled_AndThoseThatFail_AreSaid) {
  auto options = running("echo $$ > " + (folder / "pid").string() + "; exec sleep 600");
  options.most = std::chrono::milliseconds{300};
  WhatIfs slow{options};
  const auto late = slow.play("1", a_scenario, 20);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().status, 503U);
  std::string pid;
  std::ifstream{folder / "pid"} >> pid;
  ASSERT_FALSE(pid.empty());
  EXPECT_FALSE(std::filesystem::exists("/proc/" + pid));
  WhatIfs failing{running("exit 2")};
  const auto failed = failing.play("1", a_scenario, 20);
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().body, HasSubstr("more than the 512 MiB"));
  WhatIfs missing{WhatIfs::Options{.program = folder / "nothing"}};
  ASSERT_FALSE(missing.play("1", a_scenario, 20));
}

TEST_F(Plays, AScenarioThatTheEngineRefuses_IsAWrongQuestion) {
  WhatIfs all{running(R"(echo '{"wrong": "campaign_order fifi: no such order", "clusters": [], "campaigns": []}')")};
  const auto played = all.play("1", a_scenario, 20);
  ASSERT_FALSE(played);
  EXPECT_EQ(played.error().status, 400U);
  EXPECT_THAT(played.error().body, HasSubstr("fifi"));
}

TEST_F(Plays, OfOneUser_AreTwoAtOnce_AndTheOthersStillAsk) {
  WhatIfs all{WhatIfs::Options{.program = {}, .askers = 3}};
  const auto one = all.ask("ada"), two = all.ask("ada");
  EXPECT_TRUE(one && two);
  const auto three = all.ask("ada");
  ASSERT_FALSE(three);
  EXPECT_EQ(three.error().status, 503U);
  const auto other = all.ask("ben");
  EXPECT_TRUE(other);
  EXPECT_FALSE(all.ask("cleo")) << "three are all";
}

TEST_F(Plays, OnePicture_IsForAll_UntilItIsOld_AndAFailureLeavesNone) {
  WhatIfs all{WhatIfs::Options{.program = {}, .picture_lasts = std::chrono::hours{1}}};
  int read = 0;
  const auto reads = [&] {
    ++read;
    return WhatIfs::Picture{};
  };
  const auto first = all.picture(reads);
  EXPECT_EQ(all.picture(reads), first);
  EXPECT_EQ(read, 1);
  WhatIfs fleeting{WhatIfs::Options{.program = {}, .picture_lasts = std::chrono::milliseconds{0}}};
  const auto old = fleeting.picture(reads)->number;
  EXPECT_NE(fleeting.picture(reads)->number, old) << "its answers are not those of the one before";
  EXPECT_THROW(static_cast<void>(fleeting.picture([]() -> WhatIfs::Picture { throw std::runtime_error{"away"}; })), std::runtime_error);
  EXPECT_NE(fleeting.picture(reads)->number, old);
}

}  // namespace
}  // namespace gleaner::api
