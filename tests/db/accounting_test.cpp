#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <set>

#include "lib/store/policies.hpp"
#include "lib/store/quality.hpp"
#include "lib/store/replicas.hpp"
#include "metascheduler/facts_of.hpp"
#include "sim/gridsim/quality.hpp"
#include "tests/db/accounting_grid.hpp"

// Production counts in SQL, gridsim in C++ (its Book). The same random history goes through both, and the facts for the planner, the
// predictor and nikita must be the same. Left out is what simulated clusters never do: launches without an answer, orphans and
// duplicates, tasks bound to a cluster (as those that no carrier of a pool came to in its time), walltimes that grow, tasks that ask for
// different things, sinks, cancelled campaigns.
namespace gleaner::tests {
namespace {

using namespace accounting;
using grid::JobEnd;

constexpr std::array kEnds{JobEnd::task_error,   JobEnd::preempted,    JobEnd::walltime,    JobEnd::killed_elsewhere,
                           JobEnd::node_failure, JobEnd::cannot_start, JobEnd::bad_request, JobEnd::lost};

class Accounting : public TwoAccounts, public ::testing::WithParamInterface<std::uint64_t> {
 protected:
  Accounting() : TwoAccounts{GetParam()} {}
  void compare();
  void compare_quality();
  void step();

 private:
  void compare_failures(const std::vector<grid::PairFacts>& known, const std::vector<grid::PairFacts>& booked);

  std::size_t next_end = 0;                                                                               ///< of those in kEnds
  std::map<std::size_t, std::pair<std::optional<grid::Instant>, std::optional<grid::Instant>>> failures;  ///< of each pair: stored, booked
};

/// The database has its own clock for the last failure: only whether there is a new one is the same.
void Accounting::compare_failures(const std::vector<grid::PairFacts>& known, const std::vector<grid::PairFacts>& booked) {
  for (std::size_t i = 0; i < known.size(); ++i) {
    auto& [in_store, in_book] = failures[static_cast<std::size_t>(known[i].campaign.value() * 2 + known[i].cluster.value())];
    const bool failed = std::exchange(in_store, known[i].last_failure_at) != known[i].last_failure_at;
    EXPECT_EQ(std::exchange(in_book, booked[i].last_failure_at) != booked[i].last_failure_at, failed) << text_of(known[i]);
  }
}

/// The fates of the jobs that both know to be over; the history crosses several days.
void Accounting::compare_quality() {
  std::set<int> unknown;
  for (const auto& jobs : changed) unknown.insert(jobs.begin(), jobs.end());
  std::map<std::pair<std::string, std::string>, grid::PlanFigures> booked, found;
  for (std::size_t i = 0; i < world.jobs.size(); ++i) {
    const auto& job = world.jobs[i];
    if (job.state != gridsim::JobState::ended || job.pooled || unknown.contains(static_cast<int>(i))) continue;
    booked[{job.cluster == kAlpha ? "alpha" : "beta", std::string{job.algorithm}}].count(gridsim::judged(job));
  }
  transact([&](store::Transaction& t) {
    for (const auto& one : store::quality(t, gridsim::instant_of(0), now, {}).plans) found[{one.cluster, one.algorithm}] += one.figures;
  });
  const auto text = [](const auto& all) {
    std::vector<std::string> lines;
    for (const auto& [place, figures] : all)
      lines.push_back(fmt::format("{} {}: {}; {} started, {} waited, {:.3f} s waited, {:.3f} s held, {:.3f} s wasted", place.first,
                                  place.second, fmt::join(figures.jobs, " "), figures.started, figures.waited, figures.wait_s,
                                  figures.held_s, figures.wasted_s));
    return lines;
  };
  EXPECT_EQ(difference(text(booked), text(found)), "");
}

void Accounting::compare() {
  const auto& config = scenario.config;
  const auto window = now - std::chrono::minutes{10};
  const auto booked = book.planning_facts(now);
  const auto predicted = book.prediction_facts(window);
  transact([&](store::Transaction& t) {
    const auto known = store::planning_facts(t, {.flood = config.flood, .array_size = config.array_size}, now);
    EXPECT_EQ(difference(texts(booked.campaigns), texts(known.campaigns)), "");
    EXPECT_EQ(difference(texts(booked.pairs), texts(known.pairs)), "");
    compare_failures(known.pairs, booked.pairs);
    for (std::size_t i = 0; i < known.clusters.size(); ++i)
      EXPECT_EQ(booked.clusters[i].max_node_resources, known.clusters[i].max_node_resources);
    EXPECT_EQ(difference(texts(booked.policies.replicable),
                         texts(store::replicable_tasks(t, config.expired_quantile, metascheduler::kMinJobsDone, now))),
              "");
    auto policies = store::policy_facts(t, {.usage_days = 365, .endings = true, .soon = config.remote_waiting_timeout, .dying = true}, now);
    std::ranges::sort(policies.dying, {}, [](const auto& one) { return std::pair{one.campaign, one.cluster}; });
    EXPECT_EQ(difference(texts(booked.policies.limits), texts(policies.limits)), "");
    EXPECT_EQ(difference(texts_of_usage(booked.policies.usage), texts_of_usage(policies.usage)), "");
    EXPECT_EQ(difference(texts(booked.policies.endings), texts(policies.endings)), "");
    EXPECT_EQ(difference(texts(booked.policies.dying), texts(policies.dying)), "");
    const auto foreseen = store::prediction_facts(t, {config.flood, 1, config.headroom}, window, now);
    EXPECT_EQ(difference(texts(predicted.campaigns), texts(foreseen.campaigns)), "");
    EXPECT_EQ(difference(texts(predicted.pairs), texts(foreseen.pairs)), "");
    std::set<grid::JobId> kills, dying;
    for (const int job : to_kill) dying.insert(ids.at(job));
    for (const int cluster : {kAlpha, kBeta}) {
      EXPECT_EQ(difference(texts(book.waiting_jobs(cluster)), texts(store::waiting_jobs(t, cluster_id(cluster)))), "");
      for (const auto& kill : store::pending_kills(t, cluster_id(cluster), now)) kills.insert(kill.job);
    }
    ASSERT_EQ(dying, kills);
  });
}

void Accounting::step() {
  now += std::chrono::microseconds{1 + below(40'000'000)};
  if (below(60) == 0) now += std::chrono::hours{11};
  const int cluster = static_cast<int>(below(2));
  switch (below(19)) {
    case 0:
    case 1: return launch(a_campaign_index(), cluster, 1 + static_cast<int>(below(4)), below(4) > 0 ? static_cast<int>(below(8)) : 0);
    case 2:
      return replicate(below(2) == 0 ? 0 : 2, cluster, 1 + static_cast<int>(below(2)),
                       below(2) == 0 ? std::nullopt : std::optional{static_cast<double>(below(200))});
    case 3: return below(4) == 0 ? preempt(a_campaign_index(), cluster, static_cast<int>(below(3))) : wipe(cluster);
    case 4: return forecast();
    case 5: return note_submitted();
    case 6:
    case 7:
    case 8: {
      const auto waiting = jobs_in({gridsim::JobState::waiting});
      for (std::uint64_t i = 0; i < 3 && i < waiting.size(); ++i) start(waiting[i]);
      return;
    }
    case 9:
    case 10:
    case 11:
    case 12: {
      for (std::uint64_t i = below(3); i < 3; ++i) {
        const auto live = jobs_in({gridsim::JobState::waiting, gridsim::JobState::launching});
        if (live.empty()) return;
        const int job = live[below(live.size())];
        if (to_kill.contains(job) || job_at(job).state == gridsim::JobState::waiting)
          end(job, below(8) == 0 && job_at(job).held ? JobEnd::done : JobEnd::killed_by_us);
        else end(job, below(5) < 3 || job_at(job).own_end ? JobEnd::done : kEnds[next_end++ % kEnds.size()]);
        now += std::chrono::microseconds{1 + below(1'000'000)};
      }
      return;
    }
    case 13:
    case 14:
    case 15: {
      for (const int carrier : carriers()) {
        if (!to_kill.contains(carrier) && below(4) > 0) carry_on(carrier, below(6) == 0 ? JobEnd::task_error : JobEnd::done);
      }
      return;
    }
    default: return update(cluster);
  }
}

TEST_P(Accounting, OfTheSameHistory_IsTheSameInProductionAndInGridsim) {
  SCOPED_TRACE(fmt::format("seed {}", GetParam()));
  for (int i = 0; i < 500; ++i) {
    i == 350 ? hold(2) : step();
    if (HasFatalFailure()) return;
    compare();
    if (i % 25 == 24) compare_quality();
    ASSERT_FALSE(HasFailure()) << "after step " << i;
  }
  for (const auto end : kEnds) EXPECT_GT(seen[std::string{grid::name_of(end)}], 0) << grid::name_of(end);
  EXPECT_GT(seen["done"], 10);
  EXPECT_GT(seen["carried"], 5);
  EXPECT_GE(seen["replicas of pooled"], GetParam() == 1 ? 1 : 0);
  EXPECT_GT(seen["not_reached"], 0);
  EXPECT_GT(seen["killed_by_us"], 5);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Accounting, ::testing::Range<std::uint64_t>(1, std::getenv("GLEANER_TEST_LONG") != nullptr ? 11 : 4));

}  // namespace
}  // namespace gleaner::tests
