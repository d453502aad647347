#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "lib/text/members.hpp"
#include "tests/unit/planner_builders.hpp"

namespace gleaner::planner::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const ClusterNames kNames{{cluster_id(1), "alpha"}};

bool is_of_whole_campaign(const Reason& reason) {
  return is_one_of<reason::Paused, reason::CampaignBraked, reason::Awaits, reason::AwaitsTasks, reason::TasksHeld, reason::BagEmpty,
                   reason::EpiloguesLeft, reason::NoCluster>(reason);
}

Decision a_decision(const Reason& reason) {
  Decision decision{.campaign = campaign_id(1), .cluster = cluster_id(1), .stage = Stage::match, .reason = reason, .jobs = 4};
  if (is_of_whole_campaign(reason)) decision.cluster = std::nullopt;
  return decision;
}

template <class... All>
std::vector<std::variant<All...>> all_of(std::type_identity<std::variant<All...>>) {
  return {All{}...};
}

void change(std::string& text) { text += "more"; }
void change(grid::Preparation& preparation) {
  preparation = preparation == grid::Preparation::prologue_runs ? grid::Preparation::prologue_failed : grid::Preparation::prologue_runs;
}
void change(grid::DependencyKind& kind) { kind = grid::DependencyKind::after_each; }
void change(grid::TokenFault& fault) { fault = grid::TokenFault::ended; }
void change(bool& truth) { truth = !truth; }
void change(std::optional<grid::CampaignState>& state) { state = grid::CampaignState::paused; }
void change(std::optional<std::int64_t>& number) { number = 1; }
void change(std::optional<std::string>& text) { text = "a text"; }
void change(std::optional<double>& number) { number = 1.5; }
void change(std::optional<grid::CampaignId>& id) { id = grid::CampaignId{1}; }
void change(std::optional<grid::LimitEach>& each) { each = grid::LimitEach::user; }
void change(grid::LimitKind& kind) { kind = grid::LimitKind::consumable; }
void change(std::vector<std::string>& texts) { texts.emplace_back("a text"); }
void change(std::vector<decisions::Holder>& holders) { holders.push_back({.campaign = grid::CampaignId{1}, .used = 1.0}); }
void change(std::vector<decisions::KeptFor>& keeps) { keeps.push_back({.name = "a", .resources = 1, .whom = "b", .until = {}}); }
void change(grid::CampaignId& id) { id = grid::CampaignId{id.value() + 1}; }
void change(grid::Instant& time) { time += grid::Seconds{1}; }
void change(std::optional<grid::Instant>& time) { time = grid::from_unix(1); }
void change(auto& number) requires std::is_arithmetic_v<std::remove_reference_t<decltype(number)>> { ++number; }

template <class... All>
void change_each(std::variant<All...>& value, const std::function<void()>& check);

/// Changes each figure, alone and for a moment.
template <class T>
void change_each(T& value, const std::function<void()>& check) {
  if constexpr (requires { change(value); }) {
    const T before = value;
    change(value);
    check();
    value = before;
  } else {
    std::apply([&](const auto&... members) { (change_each(const_cast<std::remove_cvref_t<decltype(members)>&>(members), check), ...); },
               text::members_of(value));
  }
}
template <class... All>
void change_each(std::variant<All...>& value, const std::function<void()>& check) {
  std::visit([&](auto& alternative) { change_each(alternative, check); }, value);
}

TEST(Explain, EveryReason_HasANameAndAText) {
  std::set<std::string> texts;
  std::set<std::string_view> names;
  for (const auto& reason : all_of(std::type_identity<Reason>{})) {
    const auto text = explain(a_decision(reason), kNames);
    EXPECT_THAT(text, testing::AnyOf(testing::StartsWith("waiting for resources"), testing::StartsWith("waiting for another campaign: "),
                                     testing::StartsWith("nothing left to start: ")));
    EXPECT_GT(text.size(), 30U) << text;
    if (!is_of_whole_campaign(reason)) {
      EXPECT_THAT(text, HasSubstr("alpha"));
    }
    texts.insert(text);
    names.insert(name_of(reason));
  }
  EXPECT_EQ(texts.size(), std::variant_size_v<Reason>);
  EXPECT_EQ(names.size(), std::variant_size_v<Reason>);
}

TEST(Explain, EveryFigure_ChangesTheDigest) {
  auto reasons = all_of(std::type_identity<Reason>{});
  for (auto& bound : all_of(std::type_identity<Bound>{})) reasons.emplace_back(reason::Launched{std::move(bound)});
  int figures = 0;
  for (auto& reason : reasons) {
    const auto same = digest_of(a_decision(reason));
    EXPECT_EQ(digest_of(a_decision(reason)), same);
    change_each(reason, [&] {
      ++figures;
      EXPECT_NE(digest_of(a_decision(reason)), same) << name_of(reason);
    });
  }
  EXPECT_GT(figures, 80);
  std::set<std::uint64_t> digests;
  for (const auto& reason : reasons) digests.insert(digest_of(a_decision(reason)));
  EXPECT_EQ(digests.size(), reasons.size() - 1) << "the first reason is launched, by the first bound";
}

TEST(Explain, FullCluster_StatesItsFigures) {
  auto snapshot = one_of_each(4);
  snapshot.clusters[0].free_resources = 0;
  snapshot.clusters[0].flood = 0.5;
  snapshot.clusters[0].waiting_resources = 8;
  const auto result = plan(snapshot);
  EXPECT_EQ(
      explain(*decision_on(result, 1, 1), kNames),
      "waiting for resources on alpha: alpha is full: 0 of 16 resources are free, 8 may wait, 8 wait already; a job needs 4, and starts when some are free");
}

TEST(Explain, LaunchesOfUnknownFate_AreNamed_WhereTheyHoldTheRoom) {
  auto snapshot = one_of_each();
  auto& cluster = snapshot.clusters[0];
  cluster.unaccounted_resources = cluster.unknown_resources = cluster.unknown_jobs = 16;
  cluster.unknown_launches = 2;
  EXPECT_EQ(
      explain(*decision_on(plan(snapshot), 1, 1), kNames),
      "waiting for resources on alpha: alpha has no room: 16 of 16 resources are free, 0 may wait, 16 are held for 16 jobs of 2 launches whose fate is unknown; "
      "a job needs 1, and starts when the cluster has reported whether it accepted the submission");
  // The cluster is full without them too: they are named as a part of the figures.
  cluster.free_resources = 4;
  cluster.unaccounted_resources = 5;
  cluster.unknown_resources = cluster.unknown_jobs = cluster.unknown_launches = 1;
  cluster.waiting_resources = 3;
  EXPECT_EQ(
      explain(*decision_on(plan(snapshot), 1, 1), kNames),
      "waiting for resources on alpha: alpha is full: 4 of 16 resources are free, 0 may wait, 3 wait already, 4 were just given, 1 are held for 1 job of 1 launch whose fate is unknown; "
      "a job needs 1, and starts when some are free");
}

TEST(Explain, EarlierCampaigns_AreNamed) {
  auto snapshot = one_of_each();
  snapshot.campaigns.push_back(a_campaign(2));
  snapshot.pairs.push_back(a_pair(2, 1));
  EXPECT_EQ(
      explain(*decision_on(plan(snapshot), 2, 1), kNames),
      "waiting for resources on alpha: campaign 1 took 16 resources of alpha in this cycle; 0 are left, and a job needs 1; it starts when they leave enough");
}

TEST(Explain, Brake_StatesItsReasonAndItsEnd) {
  auto snapshot = one_of_each();
  snapshot.pairs[0].brake = Brake{"run.sh: command not found", grid::from_unix(0)};
  EXPECT_EQ(
      explain(*decision_on(plan(snapshot), 1, 1), kNames),
      "no jobs on alpha for now: the campaign is braked on alpha (run.sh: command not found) until 1970-01-01 00:00:00 UTC, or until the brake "
      "is cleared");
}

TEST(Explain, Launched_StatesWhyNotMore) {
  auto snapshot = one_of_each();
  EXPECT_EQ(
      explain(*decision_on(plan(snapshot), 1, 1), kNames),
      "starting jobs on alpha: 16 jobs to alpha in this cycle; they fill the 16 resources offered (16 of 16 resources are free, 0 may wait); more "
      "start when more are free");
  snapshot.campaigns[0].waiting_tasks = 1;
  EXPECT_EQ(explain(*decision_on(plan(snapshot), 1, 1), kNames),
            "starting jobs on alpha: 1 job to alpha in this cycle; no other task waits");
  snapshot.campaigns[0].waiting_tasks = 100;
  snapshot.pairs[0].max_jobs = 2;
  EXPECT_THAT(explain(*decision_on(plan(snapshot), 1, 1), kNames), HasSubstr("max_jobs is 2; more start when jobs end"));
}

/// The message for 950 tasks in pools was that all are settled.
TEST(Explain, AnEmptyBag_StatesWhereTheLastTasksAre) {
  const auto text = [](int live_jobs, std::int64_t unsettled) {
    return explain(a_decision(reason::BagEmpty{live_jobs, unsettled}), kNames);
  };
  EXPECT_THAT(text(0, 0), HasSubstr("all are settled"));
  EXPECT_THAT(text(1, 1), HasSubstr("the last 1 job lives"));
  EXPECT_THAT(text(8, 8), HasSubstr("the last 8 jobs live"));
  EXPECT_THAT(text(12, 950), HasSubstr("12 jobs carry out the last 950 tasks, one after the other"));
  EXPECT_THAT(text(0, 950),
              HasSubstr("the jobs of the last 950 tasks are over, and the files that tell how the tasks ended are still to be read"));
  const auto of_given = [](int live_jobs, std::int64_t unsettled, std::int64_t withheld) {
    return explain(a_decision(reason::BagEmpty{live_jobs, unsettled, false, withheld}), kNames);
  };
  EXPECT_THAT(of_given(0, 8, 8), AllOf(HasSubstr("in its bag: 8 tasks wait outside of it, as what they ask for cannot be computed"),
                                       Not(HasSubstr("are over"))));
  EXPECT_THAT(of_given(2, 3, 1), HasSubstr("the last 2 jobs live, and 1 task waits outside of it, as what it asks for"));
  EXPECT_THAT(of_given(2, 100'002, 1000), HasSubstr("the last 2 jobs live, and 1000 tasks and more wait outside of it"));
  const auto of_finalize = [](std::int64_t unsettled) { return explain(a_decision(reason::BagEmpty{1, unsettled, true}), kNames); };
  EXPECT_THAT(text(1, 1), Not(HasSubstr("replica")));
  EXPECT_THAT(of_finalize(1), HasSubstr("a task that runs gets a replica, once, when resources for it are free elsewhere"));
  EXPECT_THAT(of_finalize(0), Not(HasSubstr("replica")));
}

TEST(Explain, ClusterThatIsGone_IsNamedByItsNumber) {
  EXPECT_THAT(explain(a_decision(reason::Unreachable{}), {}), HasSubstr("cluster 1 does not answer"));
}

/// In a slice of one resource alpha takes one of ada's four short tasks, a long one of beta does not fit beside it, gamma takes three.
TEST(Explain, AClusterThatASliceSkipped_IsNotSaidToBeTakenByOthers_WhenTheTasksAreGone) {
  auto snapshot = users({"ada", "bob"});
  snapshot.campaigns[0].waiting_tasks = 4;
  snapshot.clusters.push_back(a_cluster(2, "beta"));
  snapshot.clusters.push_back(a_cluster(3, "gamma"));
  snapshot.pairs.push_back(a_pair(1, 2));
  snapshot.pairs.push_back(a_pair(1, 3));
  snapshot.pairs[0].job_ratio = snapshot.pairs[3].job_ratio = 4.0;
  snapshot.pairs[0].max_jobs = 1;
  for (const auto* order : {"fairshare", "fairtree", "tickets"}) {
    const auto result = plan(snapshot, {.campaign_order = order});
    EXPECT_EQ(jobs_on(result, 1, 3), 3) << order;
    EXPECT_EQ(reason_on(result, 1, 2), "tasks_elsewhere") << order;
  }
}

TEST(Explain, TasksThatFollowOthers_NameTheClusterThatTheyWaitFor_AlsoWhileItIsBraked) {
  auto snapshot = one_of_each();
  snapshot.clusters.push_back(a_cluster(2, "beta"));
  snapshot.pairs.push_back(a_pair(1, 2));
  snapshot.campaigns[0].waiting_tasks = 3;
  snapshot.pairs[1].returned_tasks = snapshot.pairs[1].following_tasks = 3;
  snapshot.pairs[1].brake = grid::Brake{"its jobs fail", {}};
  const auto result = plan(snapshot);
  EXPECT_EQ(jobs_on(result, 1, 1), 0);
  EXPECT_EQ(reason_on(result, 1, 1), "tasks_follow");
  EXPECT_THAT(explain(*decision_on(result, 1, 1), kNames),
              HasSubstr("3 tasks wait for beta, where the files of the tasks they come after are"));
  snapshot.pairs[0].fitting_tasks = 0;  // as the database counts those that are bound elsewhere
  snapshot.pairs[1].fitting_tasks = 3;
  EXPECT_EQ(reason_on(plan(snapshot), 1, 1), "tasks_follow") << "they would fit";
  snapshot.pairs[1].following_tasks = 2;
  EXPECT_THAT(explain(*decision_on(plan(snapshot), 1, 1), kNames),
              AllOf(HasSubstr("2 tasks wait for beta"), HasSubstr("; 1 more came back")));
}

TEST(Explain, TasksThatAJobOfAVoidLaunchMayRun_AreNotSaidToWaitForTheirCheckpoints) {
  auto snapshot = one_of_each();
  snapshot.clusters.push_back(a_cluster(2, "beta"));
  snapshot.pairs.push_back(a_pair(1, 2));
  snapshot.campaigns[0].waiting_tasks = 3;
  snapshot.campaigns[0].checkpoint_cost = 60;
  snapshot.pairs[1].returned_tasks = 3;
  snapshot.pairs[1].brake = grid::Brake{"its jobs fail", {}};
  EXPECT_EQ(reason_on(plan(snapshot), 1, 1), "tasks_kept");
  snapshot.pairs[1].fenced_tasks = 1;
  EXPECT_THAT(explain(*decision_on(plan(snapshot), 1, 1), kNames),
              AllOf(HasSubstr("the last 2 tasks wait for another cluster, which has their checkpoints"), HasSubstr("; 1 more came back")));
  snapshot.pairs[1].fenced_tasks = 3;
  EXPECT_EQ(reason_on(plan(snapshot), 1, 1), "tasks_reserved");
}

TEST(Explain, AFullLimit_NamesWhatStartsMoreJobs_AndThatDoes) {
  const auto limited = [](LimitKind kind, double most, double used) {
    auto snapshot = one_of_each();
    snapshot.campaigns[0].waiting_tasks = 3;
    snapshot.limits = {{.id = 7, .kind = kind, .most = most, .used = used, .days = 3}};
    return snapshot;
  };
  const auto why = [](const Snapshot& snapshot) { return explain(*decision_on(plan(snapshot), 1, 1), kNames); };
  EXPECT_THAT(why(limited(LimitKind::running_jobs, 2, 2)), HasSubstr("more jobs start on alpha when jobs end, or with a larger limit"));
  EXPECT_THAT(why(limited(LimitKind::running_jobs, 0, 0)),
              AllOf(HasSubstr("a job starts on alpha with a larger limit"), Not(HasSubstr("needs less"))));
  EXPECT_THAT(why(limited(LimitKind::resource_seconds, 3600, 3600)),
              AllOf(HasSubstr("more jobs start on alpha when use of 3 days ago leaves the window"), Not(HasSubstr("jobs end"))));
  auto waiting = limited(LimitKind::waiting_jobs, 0, 0);
  waiting.clusters[0].flood = 0.5;
  waiting.clusters[0].free_resources = 0;
  EXPECT_THAT(why(waiting), HasSubstr("more jobs start on alpha when resources are free there, or with a larger limit"));
  waiting.clusters[0].free_resources = 1;
  EXPECT_EQ(jobs_on(plan(waiting), 1, 1), 1) << "as it says";
}

TEST(Explain, AFullLimitOnWaitingJobs_IsNamed_BesideOneOnRunningJobsThatHasRoom) {
  auto snapshot = one_of_each();
  snapshot.clusters[0].free_resources = 0;
  snapshot.clusters[0].flood = 0.5;
  snapshot.limits = {{.id = 7, .kind = LimitKind::running_jobs, .most = 100, .used = 20},
                     {.id = 8, .kind = LimitKind::waiting_jobs, .most = 5, .used = 5}};
  EXPECT_THAT(explain(*decision_on(plan(snapshot), 1, 1), kNames), HasSubstr("limit 8 (the whole grid): at most 5 jobs in a queue, 5 now"));
}

}  // namespace
}  // namespace gleaner::planner::test
