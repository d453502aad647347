#include "lib/store/prune.hpp"

#include <gtest/gtest.h>

#include "tests/db/grid_fixture.hpp"

namespace gleaner::store {
namespace {

/// The fixture's grid, with campaigns that ended at some time.
class Prune : public tests::GridFixture {
 protected:
  grid::CampaignId ended_campaign(std::int64_t tasks, grid::Seconds ago) {
    const auto campaign = a_campaign(tasks);
    execute("UPDATE campaigns SET state = 'terminated', ended_at = instant(" + std::to_string((now - ago).time_since_epoch().count()) +
            ") WHERE id = " + std::to_string(campaign.value()));
    return campaign;
  }
  std::string rows(const std::string& table) { return value("SELECT count(*) FROM " + table); }

  const grid::Instant before = now - std::chrono::hours{24};
};

TEST_F(Prune, EndedLongAgo_GoesWithItsTasks_AndTheOthersStay) {
  (void)ended_campaign(250, std::chrono::hours{48});
  (void)ended_campaign(3, std::chrono::hours{1});
  (void)a_campaign(5);
  const auto pruned = prune(database, before, 100);
  EXPECT_EQ(pruned.campaigns, 1);
  EXPECT_EQ(pruned.tasks, 250);
  EXPECT_EQ(rows("campaigns"), "2");
  EXPECT_EQ(rows("tasks"), "8");
}

TEST_F(Prune, Count_IsThatOfWhatPruneDeletes) {
  (void)ended_campaign(20, std::chrono::hours{48});
  auto transaction = database.begin();
  const auto counted = count_prunable(transaction, before);
  EXPECT_EQ(counted.campaigns, 1);
  EXPECT_EQ(counted.tasks, 20);
  transaction.commit();
  EXPECT_EQ(rows("campaigns"), "1");
}

TEST_F(Prune, CampaignWhoseJobIsAlive_Stays) {
  const auto campaign = a_campaign(2);
  (void)launched(campaign, alpha, 1);
  execute("UPDATE campaigns SET state = 'cancelled', ended_at = instant(" +
          std::to_string((now - std::chrono::hours{48}).time_since_epoch().count()) + ") WHERE id = " + std::to_string(campaign.value()));
  auto transaction = database.begin();
  const auto counted = count_prunable(transaction, before);
  transaction.commit();
  EXPECT_EQ(counted.campaigns + counted.tasks + counted.jobs, 0);
  EXPECT_EQ(prune(database, before).campaigns, 0);
  EXPECT_EQ(rows("campaigns"), "1");
}

TEST_F(Prune, EndedCampaign_IsDeletedForItsUser_OnceNothingOfItIsLeftOnTheClusters) {
  const auto running = a_campaign(2);
  const auto campaign = ended_campaign(5, grid::Seconds{0});
  const auto why = [&](grid::CampaignId id) {
    std::string text;
    transact([&](Transaction& transaction) {
      const auto sealed = seal_campaign(transaction, id);
      text = sealed ? *sealed : sealed.error();
    });
    return text;
  };
  EXPECT_EQ(why(running), "it has not ended: cancel it first");
  EXPECT_TRUE(why(campaign).starts_with("its files on alpha")) << why(campaign);
  execute("UPDATE campaign_clusters SET cleaned_at = now()");
  EXPECT_EQ(why(campaign), "");
  std::vector<bool> gone;
  for (int i = 0; i < 4; ++i) transact([&](Transaction& transaction) { gone.push_back(delete_some(transaction, campaign, 3)); });
  EXPECT_EQ(gone, (std::vector{false, false, true, true})) << "three tasks, two tasks, the campaign, nothing";
  EXPECT_EQ(rows("campaigns"), "1");
  EXPECT_EQ(rows("tasks"), "2");
}

TEST_F(Prune, EndedCampaign_WhoseLostJobsMayReturnWithTheirCluster_IsNotDeletedForItsUser) {
  const auto campaign = a_campaign(2);
  (void)launched(campaign, alpha, 1);
  execute("UPDATE launches SET state = 'accepted'");
  execute("UPDATE jobs SET state = 'error', ending = 'lost', ended_at = now()");
  execute("UPDATE campaigns SET state = 'terminated', ended_at = now()");
  execute("UPDATE campaign_clusters SET cleaned_at = now()");
  const auto why = [&] {
    std::string text;
    transact([&](Transaction& transaction) {
      const auto sealed = seal_campaign(transaction, campaign);
      text = sealed ? *sealed : sealed.error();
    });
    return text;
  };
  execute("UPDATE clusters SET retired_at = now() WHERE name = 'alpha'");
  EXPECT_TRUE(why().starts_with("alpha is retired, and may still have jobs of it")) << why();
  execute("UPDATE clusters SET retired_at = NULL");
  EXPECT_EQ(why(), "");
}

TEST_F(Prune, NewestFiguresOfACluster_StayWhateverTheirAge) {
  transact([&](Transaction& transaction) {
    for (int hours = 102; hours >= 100; --hours) {
      GridStatus status;
      status.cluster = alpha;
      status.time = now - std::chrono::hours{hours};
      record_status(transaction, status);
    }
  });
  const auto had = std::stoi(rows("gridstatus"));
  const auto pruned = prune(database, before, 1);
  EXPECT_GE(pruned.statuses, 2);
  EXPECT_EQ(std::stoi(rows("gridstatus")), had - pruned.statuses);
  EXPECT_GE(std::stoi(rows("gridstatus")), 1);
  EXPECT_EQ(prune(database, before).statuses, 0);
}

TEST_F(Prune, KeptForecasts_GoWhenTheyAreOld_ButTheNewestOfEachCampaign_AndAllOfThemWithIt) {
  const auto keep = [&](grid::CampaignId campaign, std::initializer_list<int> ages_h) {
    for (const int age : ages_h)
      execute("INSERT INTO forecast_history (campaign_id, made_at, end_at, method) VALUES (" + std::to_string(campaign.value()) +
              ", instant(" + std::to_string((now - std::chrono::hours{age}).time_since_epoch().count()) + "), now(), 'average')");
  };
  const auto live = a_campaign(1), quiet = a_campaign(1), gone = ended_campaign(1, std::chrono::hours{48});
  keep(live, {1, 30, 40, 50});
  keep(quiet, {60, 70});
  keep(gone, {49, 50, 60});
  {
    auto transaction = database.begin();
    EXPECT_EQ(count_prunable(transaction, before).forecasts, 6) << "of those that the campaign takes with it, all but the newest";
  }
  EXPECT_EQ(prune(database, before, 2).forecasts, 4);
  EXPECT_EQ(value("SELECT string_agg(campaign_id || ':' || round(extract(epoch FROM instant(" +
                  std::to_string(now.time_since_epoch().count()) + ") - made_at) / 3600), ' ' ORDER BY campaign_id) FROM forecast_history"),
            std::to_string(live.value()) + ":1 " + std::to_string(quiet.value()) + ":60");
}

TEST_F(Prune, OpenEvents_StayWhateverTheirAge) {
  execute(
      "INSERT INTO events (code, state, opened_at, last_at, closed_at, message) VALUES ('A', 'open', 'epoch', 'epoch', NULL, ''), "
      "('B', 'closed', 'epoch', 'epoch', 'epoch', '')");
  EXPECT_EQ(prune(database, before).events, 1);
  EXPECT_EQ(value("SELECT code FROM events"), "A");
}

}  // namespace
}  // namespace gleaner::store
