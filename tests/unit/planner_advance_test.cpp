// Advance reservations of OAR (oarsub -r) that local users made.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/unit/planner_facts.hpp"

namespace gleaner::planner::test {
namespace {

using testing::HasSubstr;

/// A campaign on alpha, which has 16 resources, all free, and a flood of 8. The plan is made at 1001 s.
struct Booked : FactsOfOne {
  explicit Booked(std::string reservations, double walltime = 30, int resources_per_job = 1) : FactsOfOne{resources_per_job} {
    facts.clusters[0].flood = 0.5;
    facts.clusters[0].advance_reservations = std::move(reservations);
    facts.pairs[0].walltime = walltime;
    facts.pairs[0].best_effort = false;
    config.reservation_margin = std::chrono::seconds{0};
  }
  /// Another campaign on the same cluster.
  grid::PairFacts& another(double walltime) {
    auto& campaign = facts.campaigns.emplace_back(facts.campaigns[0]);
    campaign.id = campaign_id(2);
    campaign.submitted += std::chrono::seconds{1};
    auto& pair = facts.pairs.emplace_back(facts.pairs[0]);
    pair.campaign = campaign.id;
    pair.walltime = walltime;
    return pair;
  }
  Booked& after(double walltime) {
    facts.pairs[0].walltime = walltime;
    return *this;
  }
};

TEST(Document004, JobsThatEndBeforeAReservationOfOar_UseItsResources_AndOthersDoNot) {
  Booked booked{"1101-2000x12"};
  EXPECT_EQ(booked.jobs(), 24) << "all that is free, and the flood";
  EXPECT_EQ(booked.after(100).jobs(), 24) << "one that ends when it begins";
  EXPECT_EQ(booked.after(101).jobs(), 4) << "and nothing of it waits, as it would not start before the reservation is over";
  booked.facts.clusters[0].advance_reservations = "1101-2000x16";
  EXPECT_EQ(booked.jobs(), 0);
  EXPECT_EQ(reason_on(booked.made(), 1, 1), "reserved_in_oar");
  EXPECT_THAT(booked.why(), HasSubstr("16 of 16 resources of alpha are reserved in OAR from 1970-01-01 00:18:21 UTC to 1970-01-01 "
                                      "00:33:20 UTC, and a job needs 0:01:41 before that"));
}

TEST(Document004, JobsEndAMarginBeforeAReservationOfOar_AsOarWantsThem) {
  Booked booked{"1101-2000x16"};
  booked.config.reservation_margin = std::chrono::seconds{70};
  EXPECT_EQ(booked.after(30).jobs(), 24);
  EXPECT_EQ(booked.after(31).jobs(), 0);
}

TEST(Document004, LongJobsThatWaitAlready_DoNotKeepShortOnesFromWhatIsFreeUntilAReservation) {
  Booked booked{"1101-2000x12"};
  auto& waiting = booked.another(3600);
  waiting.active = true;
  waiting.waiting = 8;
  booked.facts.campaigns[1].waiting_tasks = 0;
  EXPECT_EQ(booked.jobs(), 16) << "the flood is what the waiting ones leave of it";
  waiting.waiting = 20;
  EXPECT_EQ(booked.jobs(), 12) << "four of the waiting ones may start, on what is not reserved";
  waiting.walltime = 100;
  EXPECT_EQ(booked.jobs(), 4) << "all of them may start";
}

/// Seen on OAR 2.5.9: such a job counts there for 300 s, whatever its walltime, and is killed when the reservation begins.
TEST(Document004, ABestEffortJob_EndsBeforeAReservationOfOar_AndStartsFiveMinutesBeforeAtLeast) {
  Booked booked{"1311-2000x16"};
  booked.facts.pairs[0].best_effort = true;
  EXPECT_EQ(booked.after(30).jobs(), 24) << "300 s, and 10 s on its way";
  EXPECT_EQ(booked.after(310).jobs(), 24);
  EXPECT_EQ(booked.after(311).jobs(), 0);
  booked.facts.clusters[0].advance_reservations = "1310-2000x16";
  EXPECT_EQ(booked.after(30).jobs(), 0);
  booked.facts.pairs[0].best_effort = false;
  EXPECT_EQ(booked.jobs(), 24);
}

TEST(Document004, BestEffortJobsThatWait_AreStartedByOar_UntilFiveMinutesBeforeAReservation) {
  Booked booked{"1302-2000x16"};
  auto& waiting = booked.another(3600);
  waiting.best_effort = true;
  waiting.active = true;
  waiting.waiting = 16;
  booked.facts.clusters[0].flood = 0;
  booked.facts.campaigns[1].waiting_tasks = 0;
  EXPECT_EQ(booked.jobs(), 0) << "they take all that is free";
  booked.facts.clusters[0].advance_reservations = "1300-2000x16";
  EXPECT_EQ(booked.jobs(), 16) << "they wait until the reservation is over";
}

TEST(Document004, JobsOfSeveralTasks_EndBeforeAReservationOfOar_AndAreOfOneTaskOtherwise) {
  Booked booked{"1201-2000x16"};
  booked.config.reservation_margin = booked.planner.reservation_margin = std::chrono::seconds{10};
  booked.facts.campaigns[0].grouping = grid::Grouping::on;
  booked.facts.campaigns[0].waiting_tasks = 10000;
  const auto pooled = [&](double walltime) {
    booked.after(walltime);
    EXPECT_GE(booked.jobs(), 16) << walltime;
    int tasks = 0;
    for (const auto& launch : booked.made().launches) tasks += launch.pooled;
    return tasks;
  };
  EXPECT_GT(pooled(70), 0) << "120 s for further tasks, and the margin";
  EXPECT_EQ(pooled(71), 0);
  EXPECT_EQ(pooled(190), 0);
  EXPECT_EQ(booked.after(191).jobs(), 0);
}

TEST(AdvanceReservations, AtTheSameTime_AddUp_AndOneAfterTheOther_CountAsTheSameResources) {
  EXPECT_EQ((Booked{"1101-2000x4 1500-1800x4", 3600}.jobs()), 8);
  EXPECT_EQ((Booked{"1101-2000x4 2000-2500x6", 3600}.jobs()), 10);
  EXPECT_EQ((Booked{"1101-2000x4 2000-2500x6", 900}.jobs()), 12) << "it ends before the second one";
  EXPECT_EQ((Booked{"1101-2000x12 1101-2000x12", 900}.jobs()), 0) << "no more than the cluster has";
}

TEST(AdvanceReservations, ThatShouldHaveBegun_HoldTheirResources_UntilTheyAreOver) {
  EXPECT_EQ((Booked{"900-1100x16", 1}.jobs()), 0);
  EXPECT_EQ((Booked{"900-1001x16", 1}.jobs()), 24);
}

TEST(AdvanceReservations, OfSomeWideJobs_LeaveRoomForAsManyAsDoNotNeedThem) { EXPECT_EQ((Booked{"1101-2000x5", 3600, 4}.jobs()), 2); }

TEST(AdvanceReservations, Nonsense_HarmsNothing) {
  for (const auto* text : {"", "x", "1101-2000", "2000x4", "1101-2000x0", "1101-2000x-4", "2000-1101x4", "-5-2000x4", "1101-2000x4,",
                           "9999999999999-9999999999999x1"})
    EXPECT_EQ((Booked{text, 3600}.jobs()), 24) << text;
  std::vector<grid::AdvanceReservation> many;
  for (int i = 0; i < 5000; ++i) many.push_back({grid::from_unix(2000 + i), grid::from_unix(900'000), 1'000'000});
  const auto kept = grid::upcoming(many, grid::from_unix(1001), 16);
  ASSERT_EQ(kept.size(), 100U);
  EXPECT_EQ(kept[0], (grid::AdvanceReservation{grid::from_unix(2000), grid::from_unix(900'000), 16}));
  EXPECT_EQ((Booked{grid::text_of(kept), 999}.jobs()), 24);
  EXPECT_EQ((Booked{grid::text_of(kept), 1000}.jobs()), 0);
}

RC_GTEST_PROP(AdvanceReservations, AreStoredAsTheyAre_AndNeverBookMoreThanTheClusterHas, ()) {
  std::vector<grid::AdvanceReservation> some;
  for (int i = *rc::gen::inRange(0, 20); i > 0; --i) {
    const auto from = *rc::gen::inRange(0, 5000);
    some.push_back({grid::from_unix(from), grid::from_unix(from + *rc::gen::inRange(-10, 3000)), *rc::gen::inRange(-3, 40)});
  }
  const auto now = grid::from_unix(1000);
  const auto kept = grid::upcoming(some, now, 16);
  RC_ASSERT(grid::advance_reservations(grid::text_of(kept)) == std::optional{kept});
  double after = -1.0;
  int resources = 0;
  for (const auto& booking : grid::bookings_of(kept, now, 16)) {
    RC_ASSERT(booking.after >= after);
    RC_ASSERT(booking.resources >= resources);
    RC_ASSERT(booking.resources <= 16);
    after = booking.after;
    resources = booking.resources;
  }
}

}  // namespace
}  // namespace gleaner::planner::test
