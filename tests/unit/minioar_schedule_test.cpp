#include <memory>

#include <gtest/gtest.h>

#include "sim/minioar/schedule.hpp"

namespace gleaner::minioar {
namespace {

constexpr std::int64_t kNow = 1000;

/// A cluster of one node with four cores, and its queue.
class Scene {
 public:
  Scene& holds(JobNumber job, std::vector<int> places, std::int64_t end) {
    holders_.push_back({job, std::move(places), kNow - 10, end, false, false});
    return *this;
  }
  Scene& holds_best_effort(JobNumber job, std::vector<int> places, std::int64_t start) {
    holders_.push_back({job, std::move(places), start, kNow + 10'000, true, false});
    return *this;
  }
  Scene& being_killed() {
    holders_.back().being_killed = true;
    return *this;
  }
  Scene& as_oar3() {
    groups_meet_ = true;
    return *this;
  }
  Scene& wants(JobNumber job, std::string_view request) { return add(job, request, false); }
  Scene& wants_best_effort(JobNumber job, std::string_view request) { return add(job, request, true); }
  Scene& node_is(ResourceState state) {
    for (auto& resource : resources_) resource.state = state;
    return *this;
  }
  [[nodiscard]] Schedule run() const { return schedule(kNow, resources_, holders_, candidates_); }
  [[nodiscard]] std::vector<JobNumber> started() const {
    std::vector<JobNumber> jobs;
    for (const auto& start : run().starts) jobs.push_back(start.job);
    return jobs;
  }

 private:
  Scene& add(JobNumber job, std::string_view request, bool best_effort) {
    requests_.push_back(std::make_unique<std::vector<Moldable>>(1, parse_moldable(request).value()));
    candidates_.push_back({job, requests_.back().get(), &any_, best_effort, groups_meet_});
    return *this;
  }
  std::vector<Resource> resources_ = make_resources({.name = "n", .nodes = 1, .cores = 4});
  Condition any_;
  std::vector<std::unique_ptr<std::vector<Moldable>>> requests_;
  std::vector<Holder> holders_;
  std::vector<Candidate> candidates_;
  bool groups_meet_ = false;
};

using Jobs = std::vector<JobNumber>;

TEST(Schedule, PartsOfARequest_HaveResourcesOfTheirOwn_ButInOar3) {
  constexpr auto kParts = "/core=1+/nodes=1/core=2,walltime=1";
  EXPECT_EQ(Scene{}.wants(1, kParts).run().starts, (std::vector<Start>{{1, 0, {0, 1, 2}}}));
  EXPECT_EQ(Scene{}.as_oar3().wants(1, kParts).run().starts, (std::vector<Start>{{1, 0, {0, 1}}}));
}

TEST(Schedule, JobsStartInTheirOrder_WhileTheyFit) {
  const auto scene = Scene{}.wants(1, "/core=2,walltime=1").wants(2, "/core=2,walltime=1").wants(3, "/core=1,walltime=1").run();
  EXPECT_EQ(scene.starts, (std::vector<Start>{{1, 0, {0, 1}}, {2, 0, {2, 3}}}));
  EXPECT_EQ(scene.predictions, (std::vector<Prediction>{{3, kNow + 3600}}));
}

TEST(Schedule, SmallJobBehindAWideOne_StartsWhenItDelaysNothing) {
  Scene scene;
  scene.holds(9, {0, 1}, kNow + 600).wants(1, "/core=4,walltime=1");
  EXPECT_EQ(Scene{std::move(scene)}.wants(2, "/core=1,walltime=0:10:0").started(), (Jobs{2}));
}

TEST(Schedule, JobThatWouldDelayAnEarlierOne_Waits) {
  EXPECT_EQ(Scene{}.holds(9, {0, 1}, kNow + 600).wants(1, "/core=4,walltime=1").wants(2, "/core=1,walltime=0:10:1").started(), Jobs{});
}

TEST(Schedule, BestEffortJobs_ComeAfterNormalOnes) {
  EXPECT_EQ(Scene{}
                .wants(2, "/core=3,walltime=1")
                .wants_best_effort(1, "/core=2,walltime=1")
                .wants_best_effort(3, "/core=1,walltime=1")
                .started(),
            (Jobs{2, 3}));
}

TEST(Schedule, NormalJob_KillsTheYoungestBestEffortJobsInItsWay_AndStartsLater) {
  const auto plan = Scene{}
                        .holds_best_effort(1, {0}, kNow - 100)
                        .holds_best_effort(2, {1}, kNow - 50)
                        .holds_best_effort(3, {2}, kNow - 10)
                        .wants(4, "/core=3,walltime=1")
                        .run();
  EXPECT_EQ(plan.starts, std::vector<Start>{});
  EXPECT_EQ(plan.kills, (Jobs{3, 2}));
}

TEST(Schedule, FreeResources_AreTakenBeforeBestEffortOnes) {
  const auto plan = Scene{}.holds_best_effort(1, {0, 1}, kNow - 100).wants(4, "/core=2,walltime=1").run();
  EXPECT_EQ(plan.kills, Jobs{});
  EXPECT_EQ(plan.starts, (std::vector<Start>{{4, 0, {2, 3}}}));
}

TEST(Schedule, JobsBeingKilled_AreWaitedFor_AndNoOtherIsKilledInstead) {
  const auto plan = Scene{}
                        .holds_best_effort(1, {0, 1}, kNow - 100)
                        .being_killed()
                        .holds_best_effort(2, {2, 3}, kNow - 10)
                        .wants(4, "/core=2,walltime=1")
                        .run();
  EXPECT_EQ(plan.kills, Jobs{});
  EXPECT_EQ(plan.starts, std::vector<Start>{});
}

TEST(Schedule, NodeThatIsNotAlive_RunsNothing) {
  EXPECT_EQ(Scene{}.node_is(ResourceState::suspected).wants(1, "/core=1").started(), Jobs{});
}

TEST(Schedule, JobPastItsWalltime_StillHoldsItsResources) {
  EXPECT_EQ(Scene{}.holds(9, {0, 1, 2, 3}, kNow - 5).wants(1, "/core=1").started(), Jobs{});
}

}  // namespace
}  // namespace gleaner::minioar
