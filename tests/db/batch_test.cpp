#include "lib/store/batch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "lib/store/detail.hpp"
#include "lib/store/events.hpp"
#include "tests/db/grid_fixture.hpp"

namespace gleaner::tests {
namespace {

/// A table whose rows must be positive.
class Batch : public GridFixture {
 protected:
  Batch() { execute("CREATE TABLE written (n bigint PRIMARY KEY CHECK (n > 0))"); }

  /// 1, 2 … 1000; the ones at these places are negative.
  static std::vector<std::int64_t> numbers(const std::set<std::size_t>& culprits) {
    std::vector<std::int64_t> items(1000);
    std::iota(items.begin(), items.end(), 1);
    for (const auto place : culprits) items[place] *= -1;
    return items;
  }

  std::size_t write(store::Transaction& transaction, const std::vector<std::int64_t>& items) {
    return store::write_batch(
        transaction, items,
        [&](std::span<const std::int64_t> part) {
          ++calls;
          store::detail::exec_text(transaction, "INSERT INTO written SELECT unnest($1::bigint[])", store::detail::number_array(part));
        },
        [&](std::int64_t item, const std::string& why) {
          refused.push_back(item);
          reason = why;
        });
  }

  int calls = 0;
  std::vector<std::int64_t> refused;
  std::string reason;
};

TEST_F(Batch, WithoutACulprit_IsWrittenInOneCall) {
  transact([&](store::Transaction& transaction) { EXPECT_EQ(write(transaction, numbers({})), 0U); });
  EXPECT_EQ(value("SELECT count(*) FROM written"), "1000");
  EXPECT_EQ(calls, 1);
}

TEST_F(Batch, WithOneCulprit_IsWrittenButForIt_InLogarithmicallyManyCalls) {
  transact([&](store::Transaction& transaction) { EXPECT_EQ(write(transaction, numbers({617})), 1U); });
  EXPECT_EQ(value("SELECT count(*) || ' ' || sum(n) FROM written"), fmt::format("999 {}", 500'500 - 618));
  EXPECT_EQ(refused, std::vector<std::int64_t>{-618});
  EXPECT_NE(reason.find("written_n_check"), std::string::npos) << reason;
  EXPECT_LE(calls, 2 + 2 * 10) << "the first time without savepoints";
}

TEST_F(Batch, WithThreeCulprits_LosesNothingElse) {
  transact([&](store::Transaction& transaction) { EXPECT_EQ(write(transaction, numbers({0, 1, 999})), 3U); });
  EXPECT_EQ(value("SELECT count(*) FROM written"), "997");
  EXPECT_EQ(refused, (std::vector<std::int64_t>{-1, -2, -1000}));
  EXPECT_LE(calls, 2 + 3 * 2 * 10);
}

TEST_F(Batch, OfCulpritsAlone_WritesNothing_AndLeavesWhatTheTransactionWroteBefore) {
  transact([&](store::Transaction& transaction) {
    store::detail::exec_text(transaction, "INSERT INTO written VALUES (5000)");
    EXPECT_EQ(write(transaction, {-1, -2, -3}), 3U);
    EXPECT_EQ(write(transaction, {}), 0U);
  });
  EXPECT_EQ(value("SELECT string_agg(n::text, ' ') FROM written"), "5000");
}

TEST_F(Batch, ACulprit_CanBeNamedByAnEventOfTheSameTransaction) {
  transact([&](store::Transaction& transaction) {
    const std::vector<std::int64_t> items{1, -2, 3};
    store::write_batch(
        transaction, items,
        [&](std::span<const std::int64_t> part) {
          store::detail::exec_text(transaction, "INSERT INTO written SELECT unnest($1::bigint[])", store::detail::number_array(part));
        },
        [&](std::int64_t item, const std::string&) {
          store::open_event(transaction, {.code = "TEST", .target = {}, .job = {}, .message = fmt::format("item {}", item)}, now);
        });
  });
  EXPECT_EQ(stored.event().message, "item -2");
  EXPECT_EQ(value("SELECT count(*) FROM written"), "2");
}

TEST_F(Batch, TwoItemsThatOneStatementRefusesTogether_AreWrittenApart) {
  const std::vector<std::int64_t> items{7, 7};
  transact([&](store::Transaction& transaction) {
    EXPECT_EQ(store::write_batch(
                  transaction, items,
                  [&](std::span<const std::int64_t> part) {
                    store::detail::exec_text(transaction,
                                             "INSERT INTO written SELECT unnest($1::bigint[]) ON CONFLICT (n) DO UPDATE SET n = EXCLUDED.n",
                                             store::detail::number_array(part));
                  },
                  [](std::int64_t, const std::string&) {}),
              0U);
  });
  EXPECT_EQ(value("SELECT count(*) FROM written"), "1");
}

TEST_F(Batch, AStatementThatIsWrongWhateverItsValuesAre_IsNoItemsFault) {
  const std::vector<std::int64_t> items{1, 2};
  EXPECT_THROW(transact([&](store::Transaction& transaction) {
                 store::write_batch(
                     transaction, items,
                     [&](std::span<const std::int64_t>) { store::detail::exec_text(transaction, "SELECT nothing_like_it"); },
                     [&](std::int64_t item, const std::string&) { refused.push_back(item); });
               }),
               std::logic_error);
  EXPECT_TRUE(refused.empty());
}

TEST_F(Batch, ADatabaseThatTakesNoWrites_IsNoItemsFault) {
  const std::vector<std::int64_t> items{1, 2};
  EXPECT_THROW(transact([&](store::Transaction& transaction) {
                 store::detail::exec_text(transaction, "SET TRANSACTION READ ONLY");
                 static_cast<void>(write(transaction, items));
               }),
               store::Unavailable);
  EXPECT_TRUE(refused.empty());
}

TEST_F(Batch, AFullDisk_IsNoItemsFault) {
  execute(
      "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$");
  execute("CREATE TRIGGER full_disk BEFORE INSERT ON written FOR EACH ROW EXECUTE FUNCTION full_disk()");
  EXPECT_THROW(transact([&](store::Transaction& transaction) { static_cast<void>(write(transaction, {1, 2})); }), store::Unavailable);
  EXPECT_TRUE(refused.empty());
}

}  // namespace
}  // namespace gleaner::tests
