#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <random>

#include "lib/grid/sink.hpp"

namespace gleaner::grid {
namespace {

using Durations = std::vector<double>;

/// Durations around a usual one, half of it to one and a half.
Durations honest(double usual, std::size_t count) {
  Durations ends;
  for (const auto part : *rc::gen::container<std::vector<int>>(count, rc::gen::inRange(50, 150))) ends.push_back(usual * part / 100.0);
  return ends;
}

Durations empty_ends(std::size_t count) { return Durations(count, 0.0); }

Durations joined(Durations first, const Durations& then) {
  first.insert(first.end(), then.begin(), then.end());
  return first;
}

TEST(Sink, AHundredGoodEnds_HideNoEmptyOnes) {
  const Durations good(100, 60.0);
  LastEnds last{.here = joined(empty_ends(3), good), .elsewhere = {good}};
  const auto sink = find_sink(last);
  ASSERT_TRUE(sink);
  EXPECT_EQ(sink->ends, 3U);
  EXPECT_DOUBLE_EQ(sink->usual, 60.0);
  last.here.front() = 60.0;
  EXPECT_FALSE(find_sink(last));
}

TEST(Sink, TheFirstEndsOfACluster_NeedNoMoreThanThree) {
  LastEnds last{.here = {1, 0, 2}, .elsewhere = {{60, 61, 59}}};
  ASSERT_TRUE(find_sink(last));
  last.here.pop_back();
  EXPECT_FALSE(find_sink(last)) << "two ends are no evidence";
  EXPECT_FALSE(find_sink({.here = {1, 0, 2}, .elsewhere = {{60, 61}}})) << "nor are two elsewhere";
}

/// A pair whose first three tasks took hundreds of seconds, before anything ended elsewhere.
LastEnds after_three(std::size_t empty) { return {.here = joined(empty_ends(empty), {352, 316, 274}), .others_may_judge = true}; }

TEST(Sink, TheEndsBefore_AreCompared_WhileNoOtherClusterCanBe) {
  const auto sink = find_sink(after_three(9));
  ASSERT_TRUE(sink);
  EXPECT_EQ(sink->ends, 9U);
  EXPECT_EQ(sink->by, Sink::By::before);
  EXPECT_DOUBLE_EQ(sink->usual, 316.0);
  EXPECT_FALSE(sink->is_over);
  EXPECT_FALSE(find_sink(after_three(8))) << "chance brings that about more than once in a million times";
  const Durations good(47, 300.0);
  EXPECT_TRUE(find_sink({.here = joined(empty_ends(4), good), .others_may_judge = true})) << "the more ends, the fewer are needed";
  EXPECT_FALSE(find_sink({.here = joined(empty_ends(3), good), .others_may_judge = true}));
  EXPECT_FALSE(find_sink({.here = joined(empty_ends(40), {352, 316}), .others_may_judge = true})) << "two ends are no evidence";
}

TEST(Sink, TheEndsBefore_AreNotCompared_WhereNoOtherClusterCouldDoTheTasks_OrOneShowsHowLongTheyTake) {
  auto last = after_three(20);
  last.others_may_judge = false;
  EXPECT_FALSE(find_sink(last)) << "the tasks could go nowhere else";
  last = after_three(20);
  last.elsewhere = {{1, 1, 1}};
  EXPECT_FALSE(find_sink(last)) << "the campaign's tasks have become short";
  EXPECT_TRUE(shows_work(last));
  last = after_three(9);
  last.elsewhere = {{1, 1}};
  EXPECT_FALSE(find_sink(last)) << "short ends elsewhere count, however few";
}

TEST(Sink, EndsThatTookSomeWork_AreNotShort_ByTheEndsBefore) {
  const Durations before(10, 1000.0);
  EXPECT_FALSE(find_sink({.here = joined(Durations(9, 6.0), before), .others_may_judge = true}));
  EXPECT_TRUE(find_sink({.here = joined(Durations(9, 4.0), before), .others_may_judge = true}));
  EXPECT_TRUE(find_sink({.here = joined(Durations(9, 9.0), before), .start_cost = 5, .others_may_judge = true}));
  EXPECT_FALSE(find_sink({.here = joined(Durations(20, 0.0), Durations(10, 9.0)), .others_may_judge = true})) << "all tasks are short";
  EXPECT_FALSE(shows_work({.here = {4}, .suspected = true, .others_may_judge = true}));
  EXPECT_TRUE(shows_work({.here = {6}, .suspected = true, .others_may_judge = true}));
}

TEST(Sink, JobsThatBeganAmongShortOnes_AndRunForLonger_ShowThatTheClusterWorks) {
  const Durations good(30, 60.0);
  LastEnds last{.here = joined(empty_ends(8), good), .elsewhere = {good}};
  EXPECT_EQ(find_sink(last)->ends, 8U);
  last.running = {{.seconds = 600, .younger = 8}, {.seconds = 5, .younger = 2}};
  EXPECT_EQ(find_sink(last)->ends, 8U) << "one began before them, and the other one may be as short";
  last.running = {{.seconds = 7, .younger = 5}};
  EXPECT_EQ(find_sink(last)->ends, 5U);
  last.running = {{.seconds = 7, .younger = 0}};
  EXPECT_FALSE(find_sink(last));
  last.running = {{.seconds = 1, .younger = 3}};
  EXPECT_EQ(find_sink(last)->ends, 8U) << "five began before it, and are enough";
  last.running = {{.seconds = 1, .younger = 6}};
  EXPECT_FALSE(find_sink(last)) << "the others may be just those of many jobs that end first";
}

TEST(Sink, EndsThatOthersFollowed_AreFound_WhenTheyCanBeComparedAtLast) {
  const Durations good(37, 300.0);
  LastEnds last{.here = joined(good, after_three(10).here), .elsewhere = {{363, 371, 557}}, .others_may_judge = true};
  EXPECT_FALSE(find_sink(last)) << "they were compared in their time";
  last.uncompared_from = 30;
  const auto sink = find_sink(last);
  ASSERT_TRUE(sink);
  EXPECT_EQ(sink->first, 37U);
  EXPECT_EQ(sink->ends, 10U);
  EXPECT_DOUBLE_EQ(sink->mean, 0.0);
  EXPECT_TRUE(sink->is_over);
  last.running = {{.seconds = 50, .younger = 40}};
  EXPECT_EQ(find_sink(last)->first, 40U) << "a job that runs on began among them";
  last.running = {};
  last.elsewhere = {joined(empty_ends(20), {363, 371, 557})};
  EXPECT_FALSE(find_sink(last)) << "short ends are usual elsewhere";
  last.uncompared_from = last.here.size();
  EXPECT_FALSE(find_sink(last));
}

TEST(Sink, OarsOwnPartOfAJob_IsNoWork) {
  LastEnds last{.here = {2, 2, 1}, .elsewhere = {{12, 13, 12}}, .start_cost = 1.8};
  EXPECT_TRUE(find_sink(last)) << "a job of no time takes OAR two seconds";
  EXPECT_TRUE(is_sink(5.0 / 3, {}, 12.0, 1.8)) << "the plan probes there";
  last.start_cost = 0;
  EXPECT_FALSE(find_sink(last));
  last.here = {5, 5, 5};
  last.start_cost = 3;
  EXPECT_FALSE(find_sink(last)) << "the tasks took two seconds, more than a tenth";
  last.here = {7, 7, 7};
  last.start_cost = 600;
  EXPECT_FALSE(find_sink(last)) << "more than half as long as elsewhere, however much a start costs";
}

TEST(Sink, TheMedianOfTheOtherClusters_Counts_AndNotTheSlowest) {
  // The second cluster works as fast as this one, only the third one is slow.
  const Durations fast(5, 5.0), also_fast(5, 6.0), slow(5, 100.0);
  EXPECT_FALSE(find_sink({.here = fast, .elsewhere = {also_fast, slow}}));
  EXPECT_TRUE(find_sink({.here = fast, .elsewhere = {also_fast, slow, slow}}));
  EXPECT_EQ(lower_median({100, 6}), 6.0);
  EXPECT_EQ(lower_median({3, 1, 2}), 2.0);
  EXPECT_FALSE(lower_median({}));
}

TEST(Sink, MinDuration_IsTheUsersWord_WhateverHappensElsewhere) {
  EXPECT_TRUE(find_sink({.here = {4, 0, 3, 60}, .elsewhere = {{1, 1, 1}}, .min_duration = 5}));
  EXPECT_FALSE(find_sink({.here = {4, 0, 5, 0}, .elsewhere = {}, .min_duration = 5}));
  EXPECT_EQ(find_sink({.here = {4, 0, 3, 60}, .elsewhere = {}, .min_duration = 5})->by, Sink::By::min_duration);
}

TEST(Sink, ShortEndsThatAreUsualElsewhere_NeedALongRow) {
  Durations mixed;
  for (int i = 0; i < 50; ++i) mixed.push_back(i % 3 == 0 ? 0.1 : 60.0);
  const auto found_after = [&](std::size_t ends) {
    return find_sink({.here = joined(empty_ends(ends), mixed), .elsewhere = {mixed}}).has_value();
  };
  EXPECT_FALSE(found_after(8));
  EXPECT_TRUE(found_after(20));
}

TEST(Sink, ASuspectedCluster_IsClearedByItsFirstLongEnd_AndBrakedAgainByThreeShortOnes) {
  const Durations good(40, 60.0);
  Durations mixed = good;
  std::fill(mixed.begin(), mixed.begin() + 8, 0.1);
  std::ranges::rotate(mixed, mixed.begin() + 8);
  EXPECT_FALSE(find_sink({.here = joined(empty_ends(3), mixed), .elsewhere = {mixed}}));
  EXPECT_TRUE(find_sink({.here = joined(empty_ends(3), mixed), .elsewhere = {mixed}, .suspected = true}));
  EXPECT_TRUE(shows_work({.here = {50, 0, 0}, .elsewhere = {good}, .suspected = true}));
  EXPECT_FALSE(shows_work({.here = {0, 50, 50}, .elsewhere = {good}, .suspected = true}));
  EXPECT_FALSE(shows_work({.here = {50}, .elsewhere = {good}, .min_duration = 100, .suspected = true}));
  EXPECT_FALSE(shows_work({}));
}

RC_GTEST_PROP(SinkProperty, ALateSink_IsFoundByItsFirstFewEnds, ()) {
  const double usual = *rc::gen::inRange(20, 100'000);
  LastEnds last;
  for (auto clusters = *rc::gen::inRange(1, 5); clusters > 0; --clusters)
    last.elsewhere.push_back(honest(usual, static_cast<std::size_t>(kLastEnds)));
  last.here = joined(empty_ends(4), honest(usual, static_cast<std::size_t>(*rc::gen::inRange(0, kLastEnds))));
  const auto sink = find_sink(last);
  RC_ASSERT(sink.has_value());
  RC_ASSERT(sink->ends == 4U);
}

RC_GTEST_PROP(SinkProperty, OnlyShortEndsInARow_AreASink, ()) {
  const auto duration = rc::gen::map(rc::gen::inRange(0, 2000), [](int tenths) { return tenths / 10.0; });
  const auto durations = rc::gen::container<Durations>(duration);
  LastEnds last{
      .here = *durations, .elsewhere = *rc::gen::container<std::vector<Durations>>(durations), .suspected = *rc::gen::arbitrary<bool>()};
  if (*rc::gen::arbitrary<bool>()) last.min_duration = *duration;
  const auto sink = find_sink(last);
  if (!sink) return;
  RC_ASSERT(sink->ends >= static_cast<std::size_t>(kMinEnds));
  RC_ASSERT(sink->ends <= last.here.size());
  const double bound = sink->by == Sink::By::min_duration ? sink->usual : sink->usual / 10.0;
  RC_ASSERT(
      std::all_of(last.here.begin(), last.here.begin() + static_cast<std::ptrdiff_t>(sink->ends), [&](double end) { return end < bound; }));
  RC_ASSERT(sink->first == 0U);
  if (sink->ends < last.here.size()) RC_ASSERT(last.here[sink->ends] >= bound);
  RC_ASSERT(!shows_work(last));
}

RC_GTEST_PROP(SinkProperty, TheOrderOfTheOtherClusters_AndOfTheirEnds_HasNoInfluence, ()) {
  const auto duration = rc::gen::map(rc::gen::inRange(0, 200), [](int seconds) { return static_cast<double>(seconds); });
  LastEnds last{.here = empty_ends(5), .elsewhere = *rc::gen::container<std::vector<Durations>>(rc::gen::container<Durations>(duration))};
  auto other = last;
  std::ranges::reverse(other.elsewhere);
  for (auto& ends : other.elsewhere) std::ranges::reverse(ends);
  RC_ASSERT(find_sink(last).has_value() == find_sink(other).has_value());
}

RC_GTEST_PROP(SinkProperty, HowSlowTheSlowestClusterIs_HasNoInfluence, ()) {
  const double usual = *rc::gen::inRange(1, 1000);
  LastEnds last{.here = joined(empty_ends(static_cast<std::size_t>(*rc::gen::inRange(0, 8))), honest(usual, 30)), .elsewhere = {}};
  for (auto clusters = *rc::gen::inRange(1, 4); clusters > 0; --clusters) last.elsewhere.push_back(honest(usual, 20));
  auto slower = last;
  last.elsewhere.emplace_back(20, 2000.0);
  slower.elsewhere.emplace_back(20, 1e9);
  RC_ASSERT(find_sink(last).has_value() == find_sink(slower).has_value());
}

/// Tasks whose durations differ as much as those of an exponential law: a tenth of them is short, and some of these follow each other.
TEST(Sink, AnHonestClusterWhoseTasksVary_IsNone) {
  std::mt19937 random{1};
  std::exponential_distribution<double> draw{1.0 / 100.0};
  const auto last_of = [](const Durations& ends) {
    return Durations(ends.rbegin(), ends.rbegin() + std::min<std::ptrdiff_t>(kLastEnds, std::ssize(ends)));
  };
  Durations here, there;
  for (int i = 0; i < kLastEnds; ++i) {
    here.push_back(draw(random));
    there.push_back(draw(random));
  }
  int found = 0;
  for (int end = 0; end < 20'000; ++end) {
    here.push_back(draw(random));
    there.push_back(draw(random));
    if (find_sink({.here = last_of(here), .elsewhere = {last_of(there)}})) ++found;
  }
  EXPECT_EQ(found, 0);
}

/// A cluster's jobs of one campaign, as OAR runs them: a job begins when a core is free. More cores become free at once.
class Cores {
 public:
  explicit Cores(unsigned seed) : random_{seed} {}
  void more(int cores) {
    for (; cores > 0; --cores) begin();
  }
  /// The next end, and what is known then.
  LastEnds next() {
    const auto first = std::ranges::min_element(running_, {}, &Job::ends);
    ended_.push_back(*first);
    running_.erase(first);
    now_ = ended_.back().ends;
    begin();
    auto last = Jobs(ended_.end() - std::min<std::ptrdiff_t>(kLastEnds, std::ssize(ended_)), ended_.end());
    std::ranges::sort(last, std::greater{}, &Job::id);
    LastEnds known{.others_may_judge = true};
    for (const auto& job : last) known.here.push_back(job.ends - job.begins);
    for (const auto& job : running_) {
      const auto younger = std::ranges::count_if(last, [&](const Job& end) { return end.id > job.id; });
      known.running.push_back({.seconds = now_ - job.begins, .younger = static_cast<std::size_t>(younger)});
    }
    return known;
  }

 private:
  struct Job {
    int id;
    double begins, ends;
  };
  using Jobs = std::vector<Job>;
  void begin() { running_.push_back({next_++, now_, now_ + draw_(random_)}); }
  std::mt19937 random_;
  std::exponential_distribution<double> draw_{1.0 / 100.0};
  double now_ = 0;
  int next_ = 0;
  Jobs running_, ended_;
};

/// The shortest of many jobs that begin at once end first, in a row.
TEST(Sink, AnHonestClusterThatBeginsManyJobsAtOnce_IsNone) {
  const unsigned seeds = std::getenv("GLEANER_TEST_LONG") != nullptr ? 20 : 8;
  int found = 0, without_the_running_ones = 0;
  for (unsigned seed = 1; seed <= seeds; ++seed) {
    Cores cores{seed};
    cores.more(4);
    for (int end = 0; end < 600; ++end) {
      if (end == 20) cores.more(300);
      auto last = cores.next();
      if (find_sink(last)) ++found;
      last.running.clear();
      if (find_sink(last)) ++without_the_running_ones;
    }
  }
  EXPECT_EQ(found, 0);
  EXPECT_GT(without_the_running_ones, 0);
}

TEST(Unjudged, AClusterThatEndsTasksAtOnce_GetsAFewInAll_UntilAnotherHasEndedThree) {
  const Shown nothing;
  Shown alpha, beta{.done = 3};
  EXPECT_EQ(most_unjudged(beta, std::array{alpha}, 3, {}, 3600), 0) << "these three are all that it gets";
  EXPECT_EQ(most_unjudged(nothing, std::array{alpha}, 3, {}, 3600), 3) << "the first tasks anywhere";
  EXPECT_EQ(most_unjudged(nothing, std::array{alpha}, 1, {}, 3600), 1);
  EXPECT_EQ(most_unjudged({.done = 1}, std::array{alpha}, 1, {}, 3600), 2) << "or it could never judge another one";
  alpha = {.done = 2, .duration_sum = 120, .duration_squares = 7200};
  EXPECT_EQ(most_unjudged(beta, std::array{alpha}, 3, {}, 3600), 0);
  alpha.done = 3;
  EXPECT_FALSE(most_unjudged(beta, std::array{alpha}, 3, {}, 3600)) << "find_sink compares the two now";
}

TEST(Unjudged, AJobThatRunsOn_OrThatTookSomeTime_ShowsThatItsClusterWorks) {
  const std::array others{Shown{}};
  EXPECT_FALSE(most_unjudged({.runs_on = true}, others, 3, {}, 3600));
  EXPECT_FALSE(most_unjudged({.done = 1, .duration_sum = 6, .duration_squares = 36}, others, 3, {}, 3600));
  EXPECT_FALSE(most_unjudged({.done = 3, .duration_sum = 9, .duration_squares = 81}, others, 3, {}, 3600)) << "0 s, 0 s and 9 s";
  EXPECT_EQ(most_unjudged({.done = 3, .duration_sum = 9, .duration_squares = 27}, others, 3, {}, 3600), 0) << "3 s may be OAR's own";
  EXPECT_EQ(most_unjudged({.done = 3, .runs_on = true}, others, 3, {}, 3600), 0) << "one job may hang where the others did nothing";
}

TEST(Unjudged, TheUserAndTheCampaignsOnlyCluster_AreBelieved) {
  const Shown beta{.done = 3};
  const std::array others{Shown{}};
  EXPECT_FALSE(most_unjudged(beta, others, 3, 0.0, 3600)) << "tasks may end at once";
  EXPECT_FALSE(most_unjudged(beta, others, 3, 1.0, 3600)) << "find_sink compares with that";
  EXPECT_FALSE(most_unjudged(beta, others, 3, {}, 9)) << "by the walltime, no task takes long";
  EXPECT_FALSE(most_unjudged(beta, {}, 3, {}, 3600));
  EXPECT_FALSE(most_unjudged(beta, std::array{Shown{.judge = Shown::Judge::never}}, 3, {}, 3600));
  EXPECT_EQ(most_unjudged(beta, std::array{Shown{.judge = Shown::Judge::later}}, 3, {}, 3600), 3) << "a few at a time meanwhile";
}

TEST(Sink, AMinDurationOfZero_StatesThatTasksMayEndAtOnce) {
  const LastEnds last{.here = {0, 0, 0, 0}, .elsewhere = {{60, 60, 60}}, .min_duration = 0};
  EXPECT_FALSE(find_sink(last));
  EXPECT_TRUE(shows_work(last));
  EXPECT_FALSE(is_sink(0.0, 0.0, 60.0, 0.0));
}

TEST(Sink, ItsShortEnds_AreCountedBeyondTheLastOnes) {
  LastEnds last{.here = empty_ends(50), .elsewhere = {{60, 60, 60}}};
  auto sink = find_sink(last);
  ASSERT_TRUE(sink);
  EXPECT_EQ(sink->ends, 50U);
  lengthen(*sink, joined(empty_ends(747), Durations(3, 60.0)));
  EXPECT_EQ(sink->ends, 747U);
}

}  // namespace
}  // namespace gleaner::grid
