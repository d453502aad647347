// The order of the campaigns: what is stored of it, and what the next plan does.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "lib/store/policies.hpp"
#include "lib/store/views_order.hpp"
#include "tests/db/reasons_fixture.hpp"

namespace gleaner::tests {
namespace {

using testing::ElementsAre;

/// Campaigns of alice, bob and eve on alpha, the second with a higher priority, the third of a user with a small share who used nothing.
class Order : public ReasonsFixture {
 protected:
  Order() {
    bobs = a_campaign(100, {"alpha"});
    eves = a_campaign(100, {"alpha"});
    of(campaign, "submitted_at = instant(0)");
    of(bobs, "user_name = 'bob', jdl = jdl || '{\"campaign_priority\": 2}'");
    of(eves, "user_name = 'eve'");
    execute(
        "UPDATE campaigns SET jdl = jdl || '{\"min_duration\": 0}'; "
        "INSERT INTO user_mappings SELECT u, id, u FROM clusters, (VALUES ('bob'), ('eve')) v (u) ON CONFLICT DO NOTHING; "
        "INSERT INTO usage (day, user_name, project, cluster_id, campaign_id, resource_seconds) SELECT (instant(" +
        std::to_string(now.time_since_epoch().count()) +
        ") AT TIME ZONE 'UTC')::date, user_name, '', 1, id, 1000000 FROM campaigns WHERE user_name <> 'eve'");
    store::transact(database, std::nullopt, [&](store::Transaction& t) {
      for (const auto& [user, shares] : {std::pair{"alice", 2.0}, {"bob", 2.0}, {"eve", 1.0}})
        store::set_share(t, "user", user, {}, shares);
    });
  }

  /// A cycle in which so many resources of alpha are free. Returns the jobs of each campaign that it planned, as `user:jobs`.
  std::string planned(int free) {
    const auto before = value("SELECT coalesce(max(id), 0) FROM jobs");
    later(std::chrono::seconds{10});
    status(alpha, free);
    metascheduler::run_once(config, database, term, now);
    return value(
        "SELECT coalesce(string_agg(n, ' '), '') FROM (SELECT c.user_name || ':' || count(*) AS n FROM jobs j JOIN campaigns c ON c.id = j.campaign_id WHERE "
        "j.id > " +
        before + " GROUP BY c.user_name ORDER BY min(j.id)) p");
  }
  [[nodiscard]] store::views::CampaignOrder order(const store::views::OrderFilter& filter = {}, store::views::Window window = {}) {
    std::optional<store::views::CampaignOrder> found;
    transact([&](store::Transaction& t) { found = store::views::campaign_order(t, filter, window); });
    return found.value();
  }
  [[nodiscard]] std::vector<std::string> users_in_order() {
    std::vector<std::string> users;
    for (const auto& place : order().page.items) users.push_back(place.campaign.value().user);
    return users;
  }
  std::string written_by() { return value("SELECT xmin FROM campaign_order"); }

  grid::CampaignId bobs{0}, eves{0};
};

TEST_F(Order, OfEveryPolicy_NamesWhoGetsWhatIsFreedNext) {
  const std::map<std::string, std::string> first{{"fifo", "alice"},
                                                 {"priority", "bob"},
                                                 {"fairshare", "eve"},
                                                 {"priority,fairshare", "bob"},
                                                 {"fairtree", "eve"},
                                                 {"multifactor", "alice"},
                                                 {"priority,multifactor", "bob"},
                                                 {"priority,tickets", "bob"}};
  for (const auto& [policy, user] : first) {
    config.campaign_order = policy;
    EXPECT_EQ(planned(0), "") << policy;
    const auto before = order();
    EXPECT_EQ(before.campaign_order, policy);
    ASSERT_EQ(before.page.total, 3) << policy;
    EXPECT_EQ(before.page.items[0].campaign.value().user, user) << policy;
    EXPECT_EQ(planned(1), user + ":1") << policy;
    execute(
        "UPDATE jobs SET state = 'killed', ending = 'killed_by_us', ended_at = instant(0) WHERE state = 'planned'; "
        "UPDATE launches SET state = 'void' WHERE state = 'planned'; UPDATE campaign_clusters SET launching = 0");
  }
}

TEST_F(Order, IsWrittenWhenItChanges_AndNotInEachCycle) {
  planned(0);
  const auto before = written_by();
  const auto since = order().since;
  EXPECT_THAT(users_in_order(), ElementsAre("alice", "bob", "eve"));
  planned(0);
  planned(3);
  EXPECT_EQ(written_by(), before);
  EXPECT_EQ(order().since, since);
  of(eves, "submitted_at = instant(0) - interval '1 day'");
  planned(0);
  EXPECT_NE(written_by(), before);
  EXPECT_GT(order().since, since);
  EXPECT_THAT(users_in_order(), ElementsAre("eve", "alice", "bob"));
}

TEST_F(Order, HasTheFiguresOfEachPlace_AndItsClass) {
  config.campaign_order = "priority,fairshare";
  planned(0);
  const auto places = order().page.items;
  ASSERT_EQ(places.size(), 3U);
  EXPECT_EQ(places[0].of_class.number, 1);
  EXPECT_EQ(places[0].of_class.priority, 2);
  EXPECT_EQ(places[0].of_class.type, "default");
  EXPECT_EQ(places[0].of_class.clusters, "all");
  EXPECT_EQ(places[1].of_class.number, 2);
  EXPECT_EQ(places[2].of_class.priority, 4);
  ASSERT_TRUE(places[1].campaign.value().standing);
  EXPECT_THAT(decisions::rendered({.stage = "prioritize", .reason = "standing", .figures = places[1].campaign->standing->figures}).sentence,
              testing::HasSubstr("fair share of eve"));
  config.campaign_order = "fifo";
  planned(0);
  EXPECT_FALSE(order().page.items.at(0).campaign.value().standing);
  EXPECT_FALSE(order().page.items.at(0).of_class.priority);
}

TEST_F(Order, HasACampaignsPlaceAlone_WhereItIsAskedFor_AndPages) {
  planned(0);
  const auto one = order({.campaign = eves.value(), .user = {}, .readers = {}});
  ASSERT_EQ(one.page.items.size(), 1U);
  EXPECT_EQ(one.page.items[0].place, 3);
  EXPECT_EQ(one.places, 3);
  const auto bob = order({.campaign = {}, .user = "bob", .readers = {}});
  ASSERT_EQ(bob.page.items.size(), 1U);
  EXPECT_EQ(bob.page.items[0].place, 2);
  const auto page = order({}, {.limit = 1, .offset = 1});
  ASSERT_EQ(page.page.items.size(), 1U);
  EXPECT_EQ(page.page.items[0].campaign.value().user, "bob");
  EXPECT_EQ(page.page.total, 3);
}

TEST_F(Order, Attack_ReadingOthers_FindsTheirPlacesAlone_AndNobodyByName) {
  planned(0);
  const store::views::Readers eve{.user = "eve", .projects = {}};
  const auto places = order({.campaign = {}, .user = {}, .readers = eve}).page.items;
  ASSERT_EQ(places.size(), 3U);
  EXPECT_FALSE(places[0].campaign);
  EXPECT_FALSE(places[1].campaign);
  EXPECT_EQ(places[2].campaign.value().user, "eve");
  EXPECT_TRUE(order({.campaign = campaign.value(), .user = {}, .readers = eve}).page.items.empty());
  EXPECT_TRUE(order({.campaign = {}, .user = "bob", .readers = eve}).page.items.empty());
  EXPECT_EQ(order({.campaign = {}, .user = "eve", .readers = eve}).page.items.size(), 1U);
}

TEST_F(Order, ForgetsCampaignsThatAreOver_AtTheNextPlan) {
  planned(0);
  transact([&](store::Transaction& transaction) { EXPECT_TRUE(store::cancel_campaign(transaction, bobs, now)); });
  planned(0);
  EXPECT_THAT(users_in_order(), ElementsAre("alice", "eve"));
}

TEST_F(Order, OfThousandsOfCampaigns_IsBounded_AndReportsHowManyThereAre) {
  store::StoredOrder many{.campaign_order = "fifo",
                          .classes = R"([{"type": "default", "clusters": "all"}])",
                          .campaigns = {},
                          .class_numbers = {},
                          .places = 20'000};
  for (std::size_t i = 0; i < store::kMostPlaces; ++i) {
    many.campaigns.push_back(campaign.value());
    many.class_numbers.push_back(1);
  }
  transact([&](store::Transaction& t) { store::write_decisions(t, {}, {}, &many, now); });
  EXPECT_EQ(order({}, {.limit = 1, .offset = 0}).page.total, 10'000);
  EXPECT_EQ(order({}, {.limit = 1, .offset = 0}).places, 20'000);
}

}  // namespace
}  // namespace gleaner::tests
