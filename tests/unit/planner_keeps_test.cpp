// Resources that are kept for some campaigns (`gridctl keep`).
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "lib/grid/keep.hpp"
#include "tests/unit/planner_facts.hpp"

namespace gleaner::planner::test {
namespace {

using testing::HasSubstr;

/// A time of day, in the week of 2026-11-23.
grid::Instant day_at(int day, int hour, int minute = 0, int second = 0) {
  return grid::Instant{std::chrono::sys_days{std::chrono::year{2026} / 11 / (23 + day)}} + std::chrono::hours{hour} +
         std::chrono::minutes{minute} + std::chrono::seconds{second};
}

/// Ada's campaign 1 and zoe's campaign 2, which came later, on alpha, which has 16 resources, all free, and a flood of 8.
struct KeptPart : FactsOfOne {
  grid::Instant now = day_at(0, 12);

  explicit KeptPart(std::string_view part = "4", int resources_per_job = 1) : FactsOfOne{resources_per_job} {
    facts.clusters[0].flood = 0.5;
    auto& zoes = facts.campaigns.emplace_back(facts.campaigns[0]);
    zoes.id = campaign_id(2);
    zoes.user = "zoe";
    zoes.submitted += std::chrono::seconds{1};
    auto& pair = facts.pairs.emplace_back(facts.pairs[0]);
    pair.campaign = zoes.id;
    pair.login = "zoe";
    keep("class", part).user = "zoe";
  }
  grid::Keep& keep(std::string name, std::string_view part) {
    return facts.policies.keeps.emplace_back(
        grid::Keep{.name = std::move(name), .cluster = cluster_id(1), .cluster_name = "alpha", .part = *grid::kept_part(part)});
  }
  grid::Keep& first() { return facts.policies.keeps[0]; }
  void only_ada() {
    facts.campaigns.pop_back();
    facts.pairs.pop_back();
  }
  [[nodiscard]] Snapshot snapshot() const {
    auto seen = facts;
    for (auto& cluster : seen.clusters) cluster.status_at = now;
    return metascheduler::snapshot_of(seen, config, now);
  }
  [[nodiscard]] Plan made() const { return plan(snapshot(), planner); }
  [[nodiscard]] int jobs_of(std::int64_t campaign) const { return jobs_on(made(), campaign, 1); }
  [[nodiscard]] std::string why() const { return explain(*decision_on(made(), 1, 1), {{cluster_id(1), "alpha"}}); }
};

TEST(Document001, APortionKeptForSomebody_IsNotUsedByOthers_AndByThoseItIsFor) {
  KeptPart kept;
  EXPECT_EQ(kept.made(), (Expect{.launched = {{1, 1, 12}, {2, 1, 12}}})) << "ada gets what is not kept, and zoe 4 and the flood";
  kept.only_ada();
  EXPECT_EQ(kept.jobs_of(1), 12) << "and nothing of hers waits, as OAR would start it on what is kept";
  kept.facts.policies.keeps.clear();
  EXPECT_EQ(kept.jobs_of(1), 24);
}

TEST(Document001, APortionForNewUsers_IsForThoseWhoseFirstCampaignIsYoung) {
  KeptPart kept;
  kept.first().user.reset();
  kept.first().new_users = 30 * 86400;
  kept.facts.policies.first_campaigns = {{"ada", kept.now - std::chrono::days{31}}, {"zoe", kept.now - std::chrono::days{29}}};
  for (auto& campaign : kept.facts.campaigns) campaign.submitted = kept.now - std::chrono::hours{1};
  EXPECT_EQ(kept.jobs_of(1), 12);
  EXPECT_GE(kept.jobs_of(2), 4);
  kept.facts.policies.first_campaigns[1].submitted = kept.now - std::chrono::days{30};
  kept.facts.campaigns[0].waiting_tasks = 0;
  EXPECT_EQ(kept.jobs_of(2), 12) << "zoe is not new any more";
  kept.facts.policies.first_campaigns.clear();
  EXPECT_EQ(kept.jobs_of(2), 24) << "somebody of whom nothing else is known is new";
}

TEST(Keeps, AreOfWhatTheirUsersDoNotUseYet) {
  KeptPart kept;
  kept.facts.campaigns[1].waiting_tasks = 0;
  auto& zoes = kept.facts.pairs[1];
  zoes.active = true;
  zoes.running = 3;
  kept.facts.clusters[0].free_resources = 13;
  EXPECT_EQ(kept.jobs_of(1), 12) << "one is still kept";
  zoes.running = 4;
  kept.facts.clusters[0].free_resources = 12;
  EXPECT_EQ(kept.jobs_of(1), 12);
  zoes.running = 10;
  kept.facts.clusters[0].free_resources = 6;
  EXPECT_EQ(kept.jobs_of(1), 6);
}

TEST(Keeps, WhatThosePlannedBeforeTake_IsKeptNoMore) {
  KeptPart kept;
  kept.facts.campaigns[1].submitted = kept.facts.campaigns[0].submitted - std::chrono::seconds{1};
  kept.facts.campaigns[1].waiting_tasks = 6;
  EXPECT_EQ(kept.made(), (Expect{.launched = {{1, 1, 10}, {2, 1, 6}}}));
}

TEST(Keeps, OfACluster_AddUp_AndACampaignOfOneOfThemUsesThatOne) {
  KeptPart kept;
  kept.keep("tests", "2").type = grid::CampaignType::test;
  kept.facts.campaigns[1].waiting_tasks = 0;
  EXPECT_EQ(kept.jobs_of(1), 10);
  kept.facts.campaigns[1].waiting_tasks = 100;
  kept.facts.campaigns[0].waiting_tasks = 0;
  EXPECT_EQ(kept.jobs_of(2), 14) << "zoe's campaign is no test";
}

TEST(Keeps, OfTwoOnWhichACampaignCounts_EachResourceCountsInOne) {
  KeptPart kept;
  kept.keep("more", "4").user = "zoe";
  kept.facts.campaigns[1].waiting_tasks = 0;
  kept.facts.pairs[1].active = true;
  kept.facts.pairs[1].running = 4;
  kept.facts.clusters[0].free_resources = 12;
  EXPECT_EQ(kept.jobs_of(1), 8);
}

TEST(Keeps, ByPercent_AreOfTheResourcesOfTheCluster_AndOneAtLeast) {
  const auto others_get = [](std::string_view part) {
    KeptPart kept{part};
    kept.only_ada();
    return kept.jobs_of(1);
  };
  EXPECT_EQ(others_get("25%"), 12);
  EXPECT_EQ(others_get("0.1%"), 15);
  EXPECT_EQ(others_get("100%"), 0);
  EXPECT_EQ(others_get("5000"), 0) << "more than the cluster has";
}

TEST(Keeps, AreForTheCampaignsThatMatchAllThatIsNamed) {
  KeptPart kept;
  auto& keep = kept.first();
  auto& zoes = kept.facts.campaigns[1];
  kept.facts.campaigns[0].waiting_tasks = 0;
  EXPECT_EQ(kept.jobs_of(2), 24);
  keep.group = "chem";
  EXPECT_EQ(kept.jobs_of(2), 12);
  zoes.groups = {"bio", "chem"};
  EXPECT_EQ(kept.jobs_of(2), 24);
  keep.project = "dft";
  EXPECT_EQ(kept.jobs_of(2), 12);
  zoes.project = "dft";
  EXPECT_EQ(kept.jobs_of(2), 24);
  keep.campaign = campaign_id(3);
  EXPECT_EQ(kept.jobs_of(2), 12);
  keep.campaign = campaign_id(2);
  EXPECT_EQ(kept.jobs_of(2), 24);
}

/// Anybody may name a project, at the submission or by an edit.
TEST(Keeps, OfAProjectThatHasShares_AreForItsMembersAlone_WhateverProjectACampaignNames) {
  KeptPart kept;
  kept.facts.campaigns[0].waiting_tasks = 0;
  auto& zoes = kept.facts.campaigns[1];
  zoes.project = "dft";
  kept.first().user.reset();
  kept.first().project = "dft";
  EXPECT_EQ(kept.jobs_of(2), 24) << "it is in no tree: those who name it are in it";
  kept.facts.policies.shares = {{.id = 1, .name = "dft", .parent = {}}, {.id = 2, .name = "ada", .is_user = true, .parent = 1}};
  EXPECT_EQ(kept.jobs_of(2), 12);
  kept.facts.policies.shares.push_back({.id = 3, .name = "theory", .parent = 1});
  kept.facts.policies.shares.push_back({.id = 4, .name = "zoe", .is_user = true, .parent = 3});
  EXPECT_EQ(kept.jobs_of(2), 24) << "below it";
  kept.facts.policies.shares.back() = {.id = 4, .name = "chem", .parent = 1, .is_group = true};
  EXPECT_EQ(kept.jobs_of(2), 12);
  zoes.groups = {"chem"};
  EXPECT_EQ(kept.jobs_of(2), 24) << "a group of hers is";
  zoes.project = "other";
  EXPECT_EQ(kept.jobs_of(2), 12);
}

TEST(Document004, AReservation_HoldsWhileItIsActive_AndNotBeforeNorAfter) {
  KeptPart kept;
  kept.only_ada();
  kept.first().hours = grid::day_hours("08:00-18:00");
  const auto at = [&](grid::Instant now) {
    kept.now = now;
    return kept.jobs_of(1);
  };
  EXPECT_EQ(at(day_at(0, 7, 59, 59)), 24);
  EXPECT_EQ(at(day_at(0, 8)), 12);
  EXPECT_EQ(at(day_at(0, 17, 59, 59)), 12);
  EXPECT_EQ(at(day_at(0, 18)), 24);
  kept.first().from = day_at(1, 10);
  kept.first().until = day_at(2, 9);
  EXPECT_EQ(at(day_at(1, 9)), 24);
  EXPECT_EQ(at(day_at(1, 10)), 12);
  EXPECT_EQ(at(day_at(2, 8)), 12);
  EXPECT_EQ(at(day_at(2, 9)), 24);
}

TEST(Keeps, AreExplainedInWords) {
  KeptPart kept{"16"};
  kept.only_ada();
  kept.first().user.reset();
  kept.first().new_users = 86400;
  kept.first().hours = grid::day_hours("08:00-18:00");
  kept.facts.policies.first_campaigns = {{"ada", kept.now - std::chrono::days{40}}};
  EXPECT_EQ(reason_on(kept.made(), 1, 1), "kept_for_others");
  EXPECT_THAT(kept.why(),
              HasSubstr("waiting for resources on alpha: 16 of 16 resources of alpha are kept for new users (keep 'class'), "
                        "until 2026-11-23 18:00:00 UTC: 16 of 16 resources are free, 16 are kept for other campaigns, 0 may wait"));
  kept.first().part = *grid::kept_part("4");
  EXPECT_THAT(kept.why(), HasSubstr("they fill the 12 resources offered (16 of 16 resources are free, 4 are kept for other campaigns"));
  kept.facts.clusters[0].free_resources = 0;
  EXPECT_EQ(reason_on(kept.made(), 1, 1), "no_free_resources") << "what is full is not full by a keep";
}

TEST(Keeps, StandBesideHeadroom_AndLetNoShortJobsWaitBehindEachOther) {
  KeptPart kept;
  kept.only_ada();
  kept.facts.clusters[0].headroom = *grid::headroom("2");
  EXPECT_EQ(kept.jobs_of(1), 10);
  kept.facts.clusters[0].headroom = *grid::headroom("0");
  kept.facts.pairs[0].forecast_ratio = 2;
  EXPECT_EQ(kept.jobs_of(1), 12);
}

TEST(Keeps, AreNotTakenByReplicas) {
  KeptPart kept;
  kept.only_ada();
  auto& beta = kept.facts.clusters.emplace_back(kept.facts.clusters[0]);
  beta.id = cluster_id(2);
  beta.name = "beta";
  beta.free_resources = 0;
  kept.facts.campaigns[0].waiting_tasks = 0;
  kept.facts.campaigns[0].replicas_allowed = true;
  auto& there = kept.facts.pairs.emplace_back(kept.facts.pairs[0]);
  there.cluster = cluster_id(2);
  there.active = true;
  there.running = 16;
  kept.facts.policies.replicable = {{.campaign = campaign_id(1), .cluster = cluster_id(2), .tasks = 16, .expired = 0, .expected = {}}};
  EXPECT_EQ(kept.made().replicas.at(0).jobs, 12);
}

/// A wide job of one whom a keep is not for gets freed resources held back, and what is kept stays kept.
TEST(Keeps, AreLeftOutOfTheResourcesThatAreHeldBackForAWideJob) {
  KeptPart kept{"4", 8};
  kept.facts.clusters[0].flood = 0;
  kept.facts.clusters[0].free_resources = 8;
  kept.facts.clusters[0].our_resources = 8;
  kept.facts.policies.endings = {{.after = 100, .resources = 8, .cluster = cluster_id(1)}};
  kept.facts.pairs[1].resources_per_job = 1;
  kept.facts.pairs[1].walltime = 1e6;
  const auto made = kept.made();
  ASSERT_EQ(made.reservations.size(), 1U);
  EXPECT_EQ(made.reservations[0].campaign, campaign_id(1));
  EXPECT_EQ(jobs_on(made, 2, 1), 8) << "4 that are kept for zoe, and 4 that ada's job will not need";
}

TEST(Keeps, AreNotFilledByKills_NorKillWhatRuns) {
  KeptPart kept;
  kept.facts.clusters[0].flood = 0;
  kept.facts.clusters[0].free_resources = 4;
  kept.facts.campaigns[0].waiting_tasks = 2;
  kept.facts.campaigns[1].waiting_tasks = 0;
  auto& lowest = kept.facts.campaigns.emplace_back(kept.facts.campaigns[0]);
  lowest.id = campaign_id(3);
  lowest.priority = kLowestPriority;
  lowest.waiting_tasks = 0;
  auto& pair = kept.facts.pairs.emplace_back(kept.facts.pairs[0]);
  pair.campaign = lowest.id;
  pair.active = true;
  pair.running = 12;
  EXPECT_EQ(kept.made().preemptions.at(0).jobs, 2) << "for ada's two jobs: what is free is not for her";
  kept.facts.campaigns[0].waiting_tasks = 0;
  EXPECT_TRUE(kept.made().preemptions.empty());
  kept.facts.campaigns[1].waiting_tasks = 4;
  EXPECT_TRUE(kept.made().preemptions.empty()) << "zoe's fit into what is kept for her";
}

/// Neither what jobs leave nor what kills free is enough for a job that needs more than the keeps leave.
TEST(Keeps, ThatLeaveTooFewForOneJob_AreWhatItWaitsFor_AndNothingIsHeldBackNorKilledForIt) {
  KeptPart kept{"8", 10};
  EXPECT_EQ(reason_on(kept.made(), 1, 1), "kept_for_others");
  EXPECT_THAT(kept.why(),
              HasSubstr("8 of 16 resources of alpha are kept for user zoe (keep 'class'), without an end: 16 of 16 resources are "
                        "free, 8 are kept for other campaigns, 0 may wait; a job needs 10, more than is left beside that, "
                        "whichever jobs end; it starts when less is kept, or with a smaller request in the JDL"));
  kept.facts.clusters[0].free_resources = 8;
  EXPECT_EQ(reason_on(kept.made(), 1, 1), "kept_for_others") << "its cores may be on several nodes: it does not wait for one of them";
  kept.facts.clusters[0].free_resources = 0;
  kept.facts.clusters[0].our_resources = 16;
  kept.facts.policies.endings = {{.after = 100, .resources = 16, .cluster = cluster_id(1)}};
  kept.facts.campaigns[1].priority = kLowestPriority;
  kept.facts.campaigns[1].waiting_tasks = 0;
  kept.facts.pairs[1].resources_per_job = 1;
  kept.facts.pairs[1].active = true;
  kept.facts.pairs[1].running = 16;
  const auto busy = kept.made();
  EXPECT_EQ(reason_on(busy, 1, 1), "kept_for_others") << "those that it is for use all of it";
  EXPECT_TRUE(busy.reservations.empty());
  EXPECT_TRUE(busy.preemptions.empty());
  kept.first().part = *grid::kept_part("6");
  const auto fits = kept.made();
  EXPECT_NE(reason_on(fits, 1, 1), "kept_for_others") << "10 are left";
  EXPECT_FALSE(fits.preemptions.empty());
}

/// Whoever comes first, and however many keeps there are: those whom no keep is for get no more than what is offered and not kept.
RC_GTEST_PROP(Keeps, OthersTogether_GetNoMoreThanWhatIsOfferedAndNotKept, ()) {
  KeptPart kept;
  kept.facts.policies.keeps.clear();
  int all = 0;
  const int number = *rc::gen::inRange(1, 4);
  for (int i = 0; i < number; ++i) {
    const int part = *rc::gen::inRange(1, 12);
    kept.keep(fmt::format("k{}", i), std::to_string(part)).user = *rc::gen::element<std::string>("zoe", "eve");
    all += part;
  }
  const int running = *rc::gen::inRange(0, 12);
  kept.facts.pairs[1].active = running > 0;
  kept.facts.pairs[1].running = running;
  kept.facts.clusters[0].free_resources = *rc::gen::inRange(0, 17 - running);
  kept.facts.campaigns[1].waiting_tasks = *rc::gen::inRange(0, 20);
  for (int id = 3; id < 5; ++id) {
    auto& campaign = kept.facts.campaigns.emplace_back(kept.facts.campaigns[0]);
    campaign.id = campaign_id(id);
    campaign.submitted += std::chrono::seconds{*rc::gen::inRange(-5, 5)};
    auto& pair = kept.facts.pairs.emplace_back(kept.facts.pairs[0]);
    pair.campaign = campaign.id;
    pair.resources_per_job = *rc::gen::inRange(1, 4);
    pair.best_effort = *rc::gen::arbitrary<bool>();
  }
  int for_zoe = 0;
  for (const auto& keep : kept.facts.policies.keeps) for_zoe += keep.user == "zoe" ? keep.part.of(16) : 0;
  const auto made = kept.made();
  int others = 0;
  for (const auto& pair : kept.facts.pairs) {
    if (pair.campaign != campaign_id(2)) others += jobs_on(made, pair.campaign.value(), 1) * pair.resources_per_job.value_or(1);
  }
  const int zoes = running + jobs_on(made, 2, 1);
  const int still_kept = all - std::min(for_zoe, zoes);
  RC_ASSERT(others <= std::max(0, kept.facts.clusters[0].free_resources - still_kept));
}

TEST(Keeps, AreWrittenAsTheyAreRead) {
  EXPECT_EQ(grid::day_hours("08:00-18:00")->text(), "08:00-18:00");
  EXPECT_EQ(grid::day_hours("22:00-06:30")->text(), "22:00-06:30");
  EXPECT_EQ(grid::day_hours("00:00-24:00")->text(), "00:00-24:00");
  EXPECT_EQ(grid::day_hours("22:00-00:00")->text(), "22:00-24:00");
  EXPECT_EQ(grid::day_hours("08:00:05-18:00")->text(), "08:00:05-18:00");
  for (const auto* text :
       {"", "8-18", "08:00", "08:00-08:00", "24:00-08:00", "08:60-09:00", "25:00-26:00", "08:00-24:01", "08:00-18:00:00:00"})
    EXPECT_FALSE(grid::day_hours(text)) << text;
  for (const auto* text : {"", "0", "-1", "0%", "101%", "nan%", "four", "1.5"}) EXPECT_FALSE(grid::kept_part(text)) << text;
  EXPECT_EQ(grid::kept_part("2.5%")->text(), "2.5%");
}

TEST(Keeps, OfTheNight_GoPastMidnight) {
  const grid::Keep night{.name = "night", .hours = grid::day_hours("22:00-06:00")};
  EXPECT_TRUE(grid::is_active(night, day_at(0, 23)));
  EXPECT_TRUE(grid::is_active(night, day_at(1, 5)));
  EXPECT_FALSE(grid::is_active(night, day_at(1, 6)));
  EXPECT_EQ(grid::end_of(night, day_at(0, 23)), day_at(1, 6));
  EXPECT_EQ(grid::end_of(night, day_at(1, 5)), day_at(1, 6));
}

TEST(Document004, AReservation_BeginsAndEndsAtTimesThatAreKnownBefore) {
  grid::Keep keep{.name = "class", .hours = grid::day_hours("08:00-18:00"), .from = day_at(1, 10), .until = day_at(2, 12)};
  std::vector<grid::Instant> changes;
  for (auto next = grid::next_change(keep, day_at(0, 9)); next; next = grid::next_change(keep, *next)) changes.push_back(*next);
  EXPECT_THAT(changes, testing::ElementsAre(day_at(1, 10), day_at(1, 18), day_at(2, 8), day_at(2, 12)));
  keep.hours.reset();
  EXPECT_EQ(grid::next_change(keep, day_at(0, 9)), day_at(1, 10));
  EXPECT_EQ(grid::next_change(keep, day_at(1, 10)), day_at(2, 12));
  EXPECT_EQ(grid::next_change({.name = "always"}, day_at(1, 10)), std::nullopt);
  keep.hours = grid::day_hours("13:00-14:00");
  EXPECT_EQ(grid::next_begin(keep, day_at(0, 9)), day_at(1, 13)) << "not at 10, when its dates begin";
  EXPECT_EQ(grid::next_begin(keep, day_at(1, 13, 30)), day_at(1, 13, 30));
  EXPECT_EQ(grid::next_begin(keep, day_at(1, 14)), std::nullopt) << "its dates end before";
}

/// Between two changes nothing changes, at any time.
RC_GTEST_PROP(Keeps, ChangeAtNoOtherTime, ()) {
  const auto second = [] { return *rc::gen::inRange(0, 86400); };
  grid::Keep keep{.name = "any"};
  if (*rc::gen::arbitrary<bool>()) keep.hours = grid::DayHours{.from = second(), .to = second() + 1};
  if (keep.hours && keep.hours->from == keep.hours->to) keep.hours.reset();
  if (*rc::gen::arbitrary<bool>()) keep.from = day_at(1, 0) + std::chrono::seconds{second()};
  if (*rc::gen::arbitrary<bool>()) keep.until = day_at(2, 0) + std::chrono::seconds{second()};
  const auto now = day_at(*rc::gen::inRange(0, 4), 0) + std::chrono::seconds{second()};
  const auto next = grid::next_change(keep, now).value_or(now + std::chrono::days{9});
  RC_ASSERT(next > now);
  const auto between =
      now + std::chrono::seconds{*rc::gen::inRange<std::int64_t>(0, std::chrono::floor<std::chrono::seconds>(next - now).count())};
  RC_ASSERT(grid::is_active(keep, between) == grid::is_active(keep, now));
  const auto begin = grid::next_begin(keep, now);
  RC_ASSERT(!begin || (*begin >= now && grid::is_active(keep, *begin)));
  const auto later = now + std::chrono::seconds{*rc::gen::inRange(0, 5 * 86400)};
  RC_ASSERT((begin && later >= *begin) || !grid::is_active(keep, later));
}

/// On a clock whose time 0 is now, such as gridsim's.
RC_GTEST_PROP(Keeps, HaveTheSameHoursOnAClockThatBeginsNow, ()) {
  grid::DayHours hours{.from = *rc::gen::inRange(0, 86400), .to = *rc::gen::inRange(1, 86401)};
  RC_PRE(hours.from != hours.to);
  const auto now = day_at(0, 0) + std::chrono::seconds{*rc::gen::inRange(0, 86400)};
  const auto later = std::chrono::seconds{*rc::gen::inRange(0, 200000)};
  const grid::Keep there{.name = "there", .hours = hours};
  const grid::Keep here{.name = "here", .hours = grid::counted_from(hours, now)};
  RC_ASSERT(grid::is_active(there, now + later) == grid::is_active(here, grid::Instant{later}));
}

}  // namespace
}  // namespace gleaner::planner::test
