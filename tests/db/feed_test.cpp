// The feed of changes, as its readers depend on it: order, nothing lost, few rows.
#include <gmock/gmock.h>

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <chrono>
#include <pqxx/pqxx>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "lib/store/campaigns.hpp"
#include "lib/store/clock.hpp"
#include "lib/store/events.hpp"
#include "lib/store/feed.hpp"
#include "tests/db/await.hpp"
#include "tests/db/grid_fixture.hpp"
#include "tests/seed.hpp"

namespace gleaner::tests {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Feed : public GridFixture {
 protected:
  store::FeedState state() {
    auto transaction = database.begin();
    return store::feed_state(transaction);
  }
  /// `kind change id`, of all changes.
  std::vector<std::string> changes() {
    // PostgreSQL's own transactions hold the end back for a moment.
    EXPECT_TRUE(await([&] { return !state().pending; }));
    return readable();
  }
  /// The same, of all that can be read now.
  std::vector<std::string> readable() {
    auto transaction = database.begin();
    std::vector<std::string> all;
    for (const auto& change : store::changes_after(transaction, begun_at, store::feed_state(transaction).end, 1000))
      all.push_back(fmt::format("{} {} {}", change.kind, change.change, change.id));
    return all;
  }
  void from_now_on() { begun_at = state().end; }

  store::FeedPlace begun_at{};
};

TEST_F(Feed, HasWhatChangesInTheGrid_WhoeverChangesIt) {
  from_now_on();
  const auto campaign = a_campaign(3, {"alpha"});
  const auto c = campaign.value();
  EXPECT_THAT(changes(), ElementsAre(fmt::format("campaign in_treatment {}", c), fmt::format("progress counts {}", c)));
  from_now_on();
  execute(fmt::format("UPDATE campaigns SET state = 'paused' WHERE id = {}", c));
  execute("UPDATE clusters SET reachable = false WHERE name = 'alpha'");
  execute("UPDATE clusters SET failed_polls = failed_polls + 1, reachable = false WHERE name = 'alpha'");
  EXPECT_THAT(changes(), ElementsAre(fmt::format("campaign paused {}", c), fmt::format("cluster cluster {}", alpha.value())));
}

TEST_F(Feed, HasOneRowForTheCountsOfACampaign_HoweverManyStatementsMoveThem) {
  const auto campaign = a_campaign(1000, {"alpha"});
  for (int job = 0; job < 20; ++job)
    execute(fmt::format("UPDATE tasks SET state = 'done' WHERE campaign_id = {} AND number % 20 = {}", campaign.value(), job));
  EXPECT_EQ(value("SELECT count(*) FROM feed WHERE kind = 'progress'"), "1");
  // Many statements of one transaction write the row once.
  from_now_on();
  pqxx::connection connection{conninfo};
  pqxx::work work{connection};
  for (int part = 0; part < 10; ++part)
    work.exec(fmt::format("UPDATE tasks SET state = 'failed' WHERE campaign_id = {} AND number % 10 = {}", campaign.value(), part));
  work.commit();
  EXPECT_THAT(changes(), ElementsAre(fmt::format("progress counts {}", campaign.value())));
}

TEST_F(Feed, TransactionOverManyCampaigns_WritesARowForEach_HoweverOftenItChangesThem) {
  execute(
      "INSERT INTO campaigns (name, user_name, type, jdl, submitted_at) "
      "SELECT 'c', 'alice', 'default', '{}', now() FROM generate_series(1, 500)");
  from_now_on();
  pqxx::connection connection{conninfo};
  pqxx::work work{connection};
  for (int time = 1; time <= 3; ++time) work.exec("UPDATE campaigns SET total = total + 1");
  work.commit();
  EXPECT_EQ(changes().size(), 500U);
  EXPECT_EQ(value("SELECT count(*) FROM feed WHERE change = 'counts'"), "500");
}

TEST_F(Feed, HasTheOpeningOfAnEvent_ItsNewestRepetition_AndItsEnd) {
  from_now_on();
  const store::Event event{.code = "TEST", .target = {.campaign = {}, .cluster = alpha}, .job = {}, .message = "m"};
  std::int64_t id = 0;
  transact([&](store::Transaction& transaction) { id = store::open_event(transaction, event, now).value(); });
  EXPECT_THAT(changes(), ElementsAre(fmt::format("event opened {}", id)));
  for (int time = 0; time < 5; ++time) transact([&](store::Transaction& transaction) { store::open_event(transaction, event, now); });
  EXPECT_THAT(changes(), ElementsAre(fmt::format("event opened {}", id), fmt::format("event again {}", id)));
  transact([&](store::Transaction& transaction) { EXPECT_TRUE(store::close_event(transaction, "TEST", event.target, now)); });
  EXPECT_THAT(changes(),
              ElementsAre(fmt::format("event opened {}", id), fmt::format("event again {}", id), fmt::format("event closed {}", id)));
}

/// Adds a change, in whatever transaction.
std::string a_change(int id) { return fmt::format("SELECT note_change('campaign', 'paused', {}, NULL)", id); }

TEST_F(Feed, EarlierTransactionThatCommitsLater_IsWaitedFor_AndComesFirst) {
  from_now_on();
  pqxx::connection first{conninfo}, second{conninfo};
  pqxx::work early{first};
  early.exec(a_change(1));
  pqxx::work late{second};
  late.exec(a_change(2));
  late.commit();
  EXPECT_THAT(readable(), IsEmpty());
  EXPECT_TRUE(state().pending);
  early.commit();
  EXPECT_THAT(changes(), ElementsAre("campaign paused 1", "campaign paused 2"));
  EXPECT_FALSE(state().pending);
}

TEST_F(Feed, TransactionThatIsRolledBack_LeavesNothing_AndHoldsNothingUp) {
  from_now_on();
  pqxx::connection first{conninfo};
  {
    pqxx::work early{first};
    early.exec(a_change(1));
    execute(a_change(2));
    EXPECT_THAT(readable(), IsEmpty());
  }
  EXPECT_THAT(changes(), ElementsAre("campaign paused 2"));
}

TEST_F(Feed, CommitWakesItsReadersUp_AndNotTheConductor) {
  store::Database reader{conninfo}, conductor{conninfo};
  reader.listen(store::kFeed);
  conductor.listen(store::kWakeUp);
  execute(a_change(1));
  EXPECT_TRUE(reader.wait_for_notification(std::chrono::seconds{20}));
  EXPECT_FALSE(conductor.wait_for_notification(std::chrono::milliseconds{0}));
}

TEST_F(Feed, OldChangesAndThoseBeyondTheMostAreDeleted_AndItsBeginningShowsThat) {
  from_now_on();
  for (int id = 1; id <= 5; ++id) execute(a_change(id));
  const auto time = [&] { return store::now(database); };
  EXPECT_EQ(store::prune_feed(database, time() - std::chrono::hours{1}, 1000), 0);
  EXPECT_EQ(state().kept, 0);
  EXPECT_GT(store::prune_feed(database, time() - std::chrono::hours{1}, 1), 0);
  EXPECT_THAT(changes(), ElementsAre("campaign paused 4", "campaign paused 5"));
  EXPECT_GT(state().kept, begun_at.transaction);
  EXPECT_EQ(store::prune_feed(database, time() + std::chrono::hours{1}, 1000, 1), 2);
  EXPECT_THAT(changes(), IsEmpty());
  EXPECT_LE(state().kept, state().end.transaction);
}

TEST_F(Feed, ChangesThatNobodyCouldReadYet_AreNotDeleted_SoThatReadersAtTheEndGoOn) {
  const auto later = store::now(database) + std::chrono::hours{1};
  store::prune_feed(database, later, 1000);
  pqxx::connection first{conninfo};
  pqxx::work early{first};
  early.exec(a_change(1));
  execute(a_change(2));
  from_now_on();
  EXPECT_EQ(store::prune_feed(database, later, 1000), 0);
  EXPECT_LE(state().kept, begun_at.transaction);
  early.commit();
  EXPECT_THAT(changes(), ElementsAre("campaign paused 1", "campaign paused 2"));
}

TEST_F(Feed, OfADatabaseThatWasRestoredIntoAnotherPostgres_BeginsAnew) {
  EXPECT_FALSE(store::adopt_feed(database));
  execute("INSERT INTO feed (xact, noted_at, kind, change, subject) VALUES (999999999999, now(), 'campaign', 'paused', 1)");
  execute("UPDATE grid SET feed_from = 999999999990");
  EXPECT_TRUE(state().pending);
  EXPECT_TRUE(store::adopt_feed(database));
  EXPECT_FALSE(store::adopt_feed(database));
  from_now_on();
  EXPECT_FALSE(state().pending);
  EXPECT_LE(state().kept, begun_at.transaction);
  execute(a_change(2));
  EXPECT_THAT(changes(), ElementsAre("campaign paused 2"));
}

/// Writes changes in transactions of one to three, some of which end late or are rolled back. Returns what was committed, in its order.
std::vector<int> write_changes(const std::string& conninfo, int writer, int transactions) {
  std::mt19937_64 random{seed_of_run() + static_cast<std::uint64_t>(writer)};
  pqxx::connection connection{conninfo};
  std::vector<int> committed;
  for (int id = writer * 100'000; transactions > 0; --transactions) {
    pqxx::work work{connection};
    std::vector<int> written;
    for (auto left = 1 + random() % 3; left > 0; --left) {
      written.push_back(++id);
      work.exec(a_change(id));
      if (random() % 4 == 0) std::this_thread::yield();
    }
    if (random() % 8 == 0) continue;
    work.commit();
    committed.insert(committed.end(), written.begin(), written.end());
  }
  return committed;
}

TEST_F(Feed, ReaderThatStopsAnywhereAndGoesOn_SeesEachChangeOnce_AndThoseOfAWriterInTheirOrder) {
  constexpr int kWriters = 4;
  constexpr int kTransactions = 60;
  auto at = state().end;
  std::array<std::vector<int>, kWriters> committed;
  std::atomic<int> writing{kWriters};
  std::vector<std::thread> writers;
  for (int writer = 0; writer < kWriters; ++writer) {
    writers.emplace_back([&, writer] {
      committed.at(static_cast<std::size_t>(writer)) = write_changes(conninfo, writer + 1, kTransactions);
      --writing;
    });
  }
  std::array<std::vector<int>, kWriters> seen;
  std::mt19937_64 random{test_seed()};
  store::FeedPlace end;
  do {
    const bool is_last = writing == 0;
    // Each reading is one of a reader that begins anew with the place that it remembers.
    store::Database reader{conninfo};
    auto transaction = reader.begin();
    end = store::feed_state(transaction).end;
    for (const auto& each : store::changes_after(transaction, at, end, 1 + static_cast<std::int64_t>(random() % 40))) {
      ASSERT_GT(each.place, at);
      at = each.place;
      seen.at(static_cast<std::size_t>(each.id / 100'000 - 1)).push_back(static_cast<int>(each.id));
    }
    if (is_last && store::changes_after(transaction, at, end, 1).empty()) break;
  } while (true);
  for (auto& writer : writers) writer.join();
  EXPECT_EQ(seen, committed);
}

}  // namespace
}  // namespace gleaner::tests
