#include "lib/store/quality.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <array>
#include <set>

#include "lib/store/checks.hpp"
#include "lib/store/prediction.hpp"
#include "lib/store/prune.hpp"
#include "tests/db/grid_fixture.hpp"

/// How good the plans were, from the history in the database: the triggers count_plans and judge_forecasts, and what the predictor notes.
namespace gleaner::tests {
namespace {

using grid::Fate;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class QualityInDatabase : public GridFixture {
 protected:
  store::Quality report(std::optional<std::string> cluster = {}) {
    auto transaction = database.begin();
    return store::quality(transaction, now - std::chrono::days{1}, now + std::chrono::days{1}, cluster);
  }
  grid::PlanFigures plans() {
    grid::PlanFigures all;
    for (const auto& one : report().plans) all += one.figures;
    return all;
  }
  void forecast(grid::CampaignId campaign, grid::Instant made, int end, int earliest, int latest) {
    const auto at = [&](int s) { return now + grid::Seconds{s}; };
    store::StoredForecast one;
    one.campaign = campaign;
    one.end = at(end);
    one.end_between = grid::Interval{at(earliest), at(latest)};
    one.method = "average";
    one.is_kept = true;
    transact([&](store::Transaction& t) { store::write_forecasts(t, std::array{one}, made); });
  }
  void finish(grid::CampaignId campaign, grid::Instant at) {
    execute(fmt::format("UPDATE campaigns SET state = 'terminated', ended_at = instant({}) WHERE id = {}", at.time_since_epoch().count(),
                        campaign.value()));
  }
};

TEST_F(QualityInDatabase, EachJobThatIsOver_IsCountedByItsFate) {
  const auto jobs = launched(a_campaign(20), alpha, 9);
  using enum grid::JobEnd;
  std::size_t next = 0;
  for (const auto ending : {done, done, task_error, walltime, rerun_last, preempted, killed_by_us, node_failure}) end(jobs[next++], ending);
  take_back(jobs[next]);
  const auto figures = plans();
  EXPECT_EQ(figures.planned(), 9);
  EXPECT_EQ(figures.of(Fate::done), 2);
  EXPECT_EQ(figures.of(Fate::failed), 2);
  EXPECT_EQ(figures.of(Fate::walltime), 1);
  EXPECT_EQ(figures.of(Fate::preempted), 1);
  EXPECT_EQ(figures.of(Fate::killed), 1);
  EXPECT_EQ(figures.of(Fate::taken_back), 1);
  EXPECT_EQ(figures.of(Fate::lost), 1);
  EXPECT_EQ(figures.started, 8);
  EXPECT_DOUBLE_EQ(figures.held_s, 80);
  EXPECT_DOUBLE_EQ(figures.wasted_s, 30);
  EXPECT_EQ(value("SELECT string_agg(result || ' ' || times, ', ' ORDER BY result) FROM totals WHERE kind = 'plan'"),
            "done 2, failed 2, killed 1, lost 1, preempted 1, taken_back 1, walltime 1");
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(QualityInDatabase, AJobThatLives_IsNotCounted_AndAnEndThatIsWithdrawn_IsTakenOut) {
  const auto jobs = launched(a_campaign(4), alpha, 2);
  EXPECT_EQ(plans(), grid::PlanFigures{});
  end(jobs[0], grid::JobEnd::done);
  const auto one = plans();
  const auto id = jobs[1].id.value();
  execute(fmt::format("UPDATE jobs SET state = 'error', ending = 'never_submitted', ended_at = instant({}) WHERE id = {}",
                      now.time_since_epoch().count(), id));
  EXPECT_EQ(plans().of(Fate::unsent), 1);
  execute(fmt::format("UPDATE jobs SET state = 'remote_waiting', ending = NULL, ended_at = NULL WHERE id = {}", id));
  EXPECT_EQ(plans(), one) << "a late job of a void launch is adopted";
  end(jobs[1], grid::JobEnd::task_error);
  EXPECT_EQ(plans().planned(), 2);
  execute("UPDATE jobs SET ending = 'preempted' WHERE ending = 'task_error'");
  EXPECT_EQ(plans().of(Fate::failed), 0);
  EXPECT_EQ(plans().of(Fate::preempted), 1) << "another evidence came";
  EXPECT_EQ(value("SELECT times FROM totals WHERE kind = 'plan' AND result = 'unsent'"), "1") << "totals only grow";
}

TEST_F(QualityInDatabase, JobsGoToTheAlgorithm_WhoseRatioTheyWerePlannedBy) {
  const auto campaign = a_campaign(20);
  end(launched(campaign, alpha, 1).front(), grid::JobEnd::done);
  const auto predict = [&](std::string_view algorithm) {
    store::StoredForecast one;
    one.campaign = campaign;
    one.pairs.push_back({.cluster = alpha, .job_ratio = 0.5, .throughput = 0, .algorithm = algorithm});
    transact([&](store::Transaction& t) { store::write_forecasts(t, std::array{one}, now); });
  };
  predict("measured");
  const auto job = launched(campaign, alpha, 1).front();
  predict("control");
  end(job, grid::JobEnd::preempted);
  end(launched(campaign, alpha, 1).front(), grid::JobEnd::done);
  const auto found = report().plans;
  ASSERT_THAT(found, SizeIs(3));
  EXPECT_EQ(found[0].algorithm, "") << "the first job's ratio is the request's";
  EXPECT_EQ(found[1].algorithm, "control");
  EXPECT_EQ(found[1].figures.of(Fate::done), 1);
  EXPECT_EQ(found[2].algorithm, "measured");
  EXPECT_EQ(found[2].figures.of(Fate::preempted), 1);
  EXPECT_EQ(found[2].cluster, "alpha");
  EXPECT_THAT(report("beta").plans, IsEmpty());
}

TEST_F(QualityInDatabase, TheRatiosOfACycle_AreJudgedByTheNextOne) {
  const auto campaign = a_campaign(20), other = a_campaign(20);
  for (const auto one : {campaign, other})
    transact([&](store::Transaction& t) {
      store::write_submitted(t, std::array{store::Submitted{.campaign = one, .cluster = alpha, .jobs = 4, .offered = 8, .first_ratio = 1}},
                             now);
    });
  const std::array outcomes{
      store::RatioOutcome{.campaign = campaign, .cluster = alpha, .verdict = "too_big", .offered = 8, .sent = 4, .left_waiting = 3},
      store::RatioOutcome{.campaign = other, .cluster = alpha, .verdict = "too_small", .offered = 8, .sent = 4, .left_free = 6}};
  grid::PlanFigures expected;
  for (const auto& one : outcomes) expected += store::figures_of(one);
  for (int i = 0; i < 2; ++i) transact([&](store::Transaction& t) { store::note_ratios(t, outcomes, now); });
  expected += expected;
  EXPECT_EQ(plans(), expected);
  EXPECT_EQ(value("SELECT string_agg(result || ' ' || times, ', ' ORDER BY result) FROM totals WHERE kind = 'ratio'"),
            "too_big 2, too_small 2");
}

TEST_F(QualityInDatabase, ForecastsOfAnEnd_AreJudgedWhenTheCampaignEnds_AsLibGridJudgesThem) {
  const auto campaign = a_campaign(2);
  forecast(campaign, now, 900, 800, 1100);
  forecast(campaign, now + grid::Seconds{500}, 1200, 1100, 1300);
  EXPECT_THAT(report().forecasts, IsEmpty()) << "nobody knows yet";
  const auto ended = now + grid::Seconds{1000};
  finish(campaign, ended);
  grid::ForecastFigures expected;
  for (const auto& [made, end, earliest, latest] : {std::array{0, 900, 800, 1100}, std::array{500, 1200, 1100, 1300}})
    expected.count(now + grid::Seconds{made}, now + grid::Seconds{end},
                   grid::Interval{now + grid::Seconds{earliest}, now + grid::Seconds{latest}}, ended);
  const auto found = report().forecasts;
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].method, "average");
  EXPECT_FALSE(found[0].cluster) << "none of its jobs ended on one cluster alone";
  EXPECT_EQ(found[0].figures, expected);
  EXPECT_EQ(found[0].figures.within, 1);
}

TEST_F(QualityInDatabase, OfACampaignThatCameBack_OnlyLaterForecastsAreJudgedAgain) {
  const auto campaign = a_campaign(2);
  forecast(campaign, now - std::chrono::hours{1}, 0, 0, 0);
  finish(campaign, now);
  execute(fmt::format("UPDATE campaigns SET state = 'in_treatment', ended_at = NULL WHERE id = {}", campaign.value()));
  execute(fmt::format("UPDATE campaigns SET reopened_at = instant({}) WHERE id = {} AND reopened_at IS NOT NULL",
                      now.time_since_epoch().count(), campaign.value()));
  forecast(campaign, now + grid::Seconds{1}, 100, 90, 110);
  finish(campaign, now + grid::Seconds{100});
  const auto found = report().forecasts;
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].figures.forecasts, 2);
  EXPECT_DOUBLE_EQ(found[0].figures.error_s, 0) << "the first one did not know of what was added";
}

TEST_F(QualityInDatabase, TheFateOfAnEnd_IsThatOfLibGrid) {
  std::set<std::string> seen;
  for (int i = 0; i <= static_cast<int>(grid::JobEnd::not_reached); ++i) {
    for (const bool began : {false, true}) {
      const auto end = static_cast<grid::JobEnd>(i);
      const std::string fate{name_of(grid::fate_of(end, began))};
      EXPECT_EQ(value(fmt::format("SELECT fate_of('{}', {})", name_of(end), began)), fate) << name_of(end);
      seen.insert(fate);
    }
  }
  EXPECT_EQ(seen.size(), grid::kFates.size());
  for (const int seconds : {14, 15, 16})
    EXPECT_EQ(value(fmt::format("SELECT is_prompt(instant(0), instant({}))", seconds * 1'000'000)) == "t",
              grid::is_prompt(grid::Instant{}, grid::Instant{} + grid::Seconds{seconds}));
}

TEST_F(QualityInDatabase, OldDays_ArePutTogether_AndTheSumsStay) {
  for (const auto& job : launched(a_campaign(4), alpha, 3)) end(job, grid::JobEnd::done);
  for (const auto& job : launched(a_campaign(4), beta, 1)) end(job, grid::JobEnd::preempted);
  execute(
      "INSERT INTO plan_quality (day, cluster_id, algorithm, type, done) SELECT day - n, cluster_id, algorithm, type, n FROM plan_quality, "
      "generate_series(1, 5) AS n");
  const auto sum = "SELECT concat_ws(' ', sum(done), sum(preempted), sum(held_s)) FROM plan_quality";
  const auto before = value(sum);
  static_cast<void>(store::prune(database, now - std::chrono::days{2}));
  EXPECT_EQ(value(sum), before);
  EXPECT_EQ(value("SELECT string_agg(DISTINCT day::text, ' ' ORDER BY day::text) FROM plan_quality"),
            value(fmt::format(
                "SELECT '1970-01-01 ' || string_agg((instant({})::date - n)::text, ' ' ORDER BY n DESC) FROM generate_series(0, 2) n",
                now.time_since_epoch().count())));
  static_cast<void>(store::prune(database, now - std::chrono::days{2}));
  EXPECT_EQ(value(sum), before) << "again";
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(QualityInDatabase, OfAClusterThatIsRemoved_NothingIsLeft) {
  execute("INSERT INTO clusters (name, url) VALUES ('gamma', 'http://127.0.0.1:1/gamma')");
  execute("INSERT INTO plan_quality (day, cluster_id, algorithm, type) SELECT '2026-01-01', id, '', 'default' FROM clusters");
  execute("DELETE FROM clusters WHERE name = 'gamma'");
  EXPECT_EQ(value("SELECT count(*) FROM plan_quality"), "2");
}

}  // namespace
}  // namespace gleaner::tests
