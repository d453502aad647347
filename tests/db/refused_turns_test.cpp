// A row that the database refuses, of one campaign: each module's turn goes on for all others, and an event says what is wrong.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <array>

#include "lib/process/options.hpp"
#include "lib/store/chosen_tasks.hpp"
#include "lib/store/dependencies.hpp"
#include "metascheduler/metascheduler.hpp"
#include "predictor/predictor.hpp"
#include "runner/runner.hpp"
#include "tests/db/grid_fixture.hpp"
#include "updator/updator.hpp"

namespace gleaner::tests {
namespace {

using ::testing::HasSubstr;

class RefusedTurns : public GridFixture {
 protected:
  RefusedTurns() {
    // Seen a moment ago, with 8 free resources, and not to be asked now.
    execute("UPDATE clusters SET reachable = true, next_probe_at = now() + interval '50 s'");
  }

  /// No statement changes a row of the table that meets the condition, on NEW.
  void refuse(const std::string& act, const std::string& table, const std::string& condition) {
    execute(
        "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'a bug' USING ERRCODE = 'check_violation'; END $$");
    execute(fmt::format("CREATE TRIGGER refuse BEFORE {} ON {} FOR EACH ROW WHEN ({}) EXECUTE FUNCTION refuse()", act, table, condition));
  }
  void allow(const std::string& table) { execute(fmt::format("DROP TRIGGER refuse ON {}; DROP FUNCTION refuse()", table)); }
  void free_everywhere() {
    now += grid::Seconds{10};
    execute(fmt::format(
        "INSERT INTO gridstatus (cluster_id, time, max_resources, free, used, used_besteffort, our_running, our_waiting, reachable, "
        "api_latency_ms) SELECT id, instant({}), 8, 8, 0, 0, 0, 0, true, 5 FROM clusters",
        now.time_since_epoch().count()));
  }
  metascheduler::Counts metascheduler_turn() {
    free_everywhere();
    return metascheduler::run_once(config, database, term, now);
  }
  grid::CampaignId after_each(grid::CampaignId first, int tasks, const std::string& cluster) {
    const auto id = a_campaign(tasks, {cluster});
    std::array dependencies{store::NewDependency{.kind = grid::DependencyKind::after_each, .on = first}};
    store::transact(database, std::nullopt, [&](store::Transaction& transaction) {
      EXPECT_FALSE(store::wrong_dependency(transaction, tasks, dependencies));
      store::add_dependencies(transaction, id, dependencies, now);
    });
    return id;
  }
  std::string jobs(grid::CampaignId campaign) {
    return value(fmt::format("SELECT count(*) FROM jobs WHERE campaign_id = {}", campaign.value()));
  }
  std::string events() {
    return value(
        "SELECT coalesce(string_agg(code || ':' || coalesce(campaign_id::text, '-'), ' ' ORDER BY code, campaign_id), '') FROM events "
        "WHERE state = 'open'");
  }
  std::string state(grid::CampaignId campaign) { return stored.campaign(campaign).state; }

  process::Config config = process::build_config({}, {}).value();
};

TEST_F(RefusedTurns, OfTheMetascheduler_WhoseReleaseIsRefused_SetTheCampaignAside_AndPlanTheOthers) {
  const auto first = a_campaign(2, {"alpha"});
  const auto refused = after_each(first, 2, "alpha");
  const auto sound = after_each(first, 2, "beta");
  for (const auto& job : launched(first, alpha, 2)) end(job, grid::JobEnd::done);
  refuse("INSERT OR UPDATE", "returned_tasks", fmt::format("NEW.campaign_id = {}", refused.value()));
  EXPECT_EQ(metascheduler_turn().released, 2);
  EXPECT_EQ(jobs(sound), "2");
  EXPECT_EQ(jobs(refused), "0");
  EXPECT_EQ(events(), fmt::format("CANNOT_PLAN:{}", refused.value()));
  EXPECT_THAT(stored.event().message,
              HasSubstr(fmt::format("its tasks that come after those of campaign {} cannot be put into its bag: ", first.value())));
  EXPECT_THAT(stored.event().message, HasSubstr("a bug"));
  EXPECT_THAT(value(fmt::format("SELECT string_agg(figures ->> 'brake', ' ') FROM decisions WHERE campaign_id = {}", refused.value())),
              HasSubstr("cannot be put into its bag"));
  const auto brake = value("SELECT expires_at FROM brakes");
  metascheduler_turn();
  EXPECT_EQ(value("SELECT expires_at FROM brakes"), brake) << "it is tried again after the brake, not in each cycle";
  allow("returned_tasks");
  now += grid::Seconds{120};
  EXPECT_EQ(metascheduler_turn().released, 2);
  EXPECT_EQ(jobs(refused), "2");
  EXPECT_EQ(events(), "");
  EXPECT_EQ(stored.brakes().size(), 0U);
}

TEST_F(RefusedTurns, OfTheMetascheduler_WaitOnceForACampaignThatSomebodyHasLocked) {
  const auto first = a_campaign(1, {"alpha"});
  const auto locked = after_each(first, 1, "alpha");
  const auto sound = after_each(first, 1, "beta");
  end(launched(first, alpha, 1).front(), grid::JobEnd::done);
  store::Database other{conninfo};
  auto holds = other.begin();
  std::array on_it{store::NewDependency{.kind = grid::DependencyKind::after, .on = locked}};
  ASSERT_FALSE(store::wrong_dependency(holds, 1, on_it)) << "which locks the campaign";
  database = store::Database{conninfo, {.lock = std::chrono::milliseconds{50}}};
  EXPECT_EQ(metascheduler_turn().released, 1);
  EXPECT_EQ(jobs(sound), "1");
  EXPECT_EQ(events(), fmt::format("CANNOT_PLAN:{}", locked.value()));
  EXPECT_THAT(stored.event().message, HasSubstr("took too long"));
}

TEST_F(RefusedTurns, OfTheMetascheduler_WriteTheDecisionsOfTheOthers) {
  const auto refused = a_campaign(2, {"alpha"});
  const auto sound = a_campaign(2, {"beta"});
  refuse("INSERT OR UPDATE", "decided", fmt::format("NEW.campaign_id = {}", refused.value()));
  metascheduler_turn();
  EXPECT_EQ(jobs(sound), "2");
  EXPECT_EQ(jobs(refused), "2") << "its plan needs no digest";
  EXPECT_EQ(value("SELECT string_agg(campaign_id::text, ' ') FROM decided"), std::to_string(sound.value()));
  EXPECT_EQ(events(), fmt::format("WRITE_REFUSED:{}", refused.value()));
}

TEST_F(RefusedTurns, OfTheUpdator_EndAndPauseTheOtherCampaigns) {
  std::vector<grid::CampaignId> over, failing;
  for (int i = 0; i < 3; ++i) {
    over.push_back(a_campaign(1));
    end(launched(over.back(), alpha, 1).front(), grid::JobEnd::done);
    failing.push_back(a_campaign(2));
    execute(fmt::format("UPDATE campaigns SET jdl = '{{\"max_fails\": 0}}' WHERE id = {}", failing.back().value()));
    end(launched(failing.back(), alpha, 1).front(), grid::JobEnd::task_error);
  }
  ASSERT_EQ(value("SELECT count(*) FROM campaigns WHERE max_fails IS NOT NULL AND failed > 0"), "3");
  refuse("UPDATE", "campaigns", fmt::format("NEW.id IN ({}, {}) AND NEW.state <> OLD.state", over[1].value(), failing[1].value()));
  EXPECT_EQ(updator::run_once(config, database, term).finished, 2);
  EXPECT_EQ(state(over[0]) + " " + state(over[1]) + " " + state(over[2]), "terminated in_treatment terminated");
  EXPECT_EQ(state(failing[0]) + " " + state(failing[1]) + " " + state(failing[2]), "paused in_treatment paused");
  EXPECT_EQ(events(), fmt::format("MAX_FAILS:{} MAX_FAILS:{} WRITE_REFUSED:{} WRITE_REFUSED:{}", failing[0].value(), failing[2].value(),
                                  over[1].value(), failing[1].value()));
}

TEST_F(RefusedTurns, OfTheRunner_ReleaseTheKeptTasksOfTheOthers) {
  const auto refused = a_campaign(1);
  const auto sound = a_campaign(1);
  execute("UPDATE campaigns SET next_task = 1");
  execute(
      fmt::format("INSERT INTO returned_tasks (campaign_id, number, returned_at, cluster_id) SELECT id, 0, '2020-01-01', {} FROM campaigns",
                  alpha.value()));
  refuse("UPDATE", "returned_tasks", fmt::format("NEW.campaign_id = {}", refused.value()));
  EXPECT_EQ(runner::run_once(config, database, term).released, 1);
  EXPECT_EQ(value("SELECT string_agg(campaign_id::text, ' ') FROM returned_tasks WHERE cluster_id IS NULL"), std::to_string(sound.value()));
  EXPECT_EQ(events(), fmt::format("WRITE_REFUSED:{}", refused.value()));
}

TEST_F(RefusedTurns, OfThePredictor_JudgeTheStressOfTheOtherClusters) {
  static_cast<void>(a_campaign(1));
  free_everywhere();
  refuse("INSERT OR UPDATE", "cluster_stress", fmt::format("NEW.cluster_id = {}", alpha.value()));
  EXPECT_EQ(predictor::run_once(config, database, term, now).campaigns, 1);
  EXPECT_EQ(value("SELECT string_agg(cluster_id::text, ' ') FROM cluster_stress"), std::to_string(beta.value()));
  EXPECT_EQ(events(), "WRITE_REFUSED:-");
}

}  // namespace
}  // namespace gleaner::tests
