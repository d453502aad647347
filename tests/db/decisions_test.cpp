#include <fmt/format.h>
#include <gtest/gtest.h>

#include "lib/decisions/figures.hpp"
#include "lib/decisions/stored.hpp"
#include "lib/store/views.hpp"
#include "tests/db/grid_fixture.hpp"
#include "tests/random_figures.hpp"

namespace gleaner::tests {
namespace {

class Decisions : public GridFixture {
 protected:
  Decisions() : campaign{a_campaign(3)} {}

  /// One cycle's, with a digest that no cycle before had.
  void write(const std::vector<store::StoredDecision>& decisions) { write(decisions, ++last_digest); }
  /// How many were reported as changed.
  int write(const std::vector<store::StoredDecision>& decisions, std::int64_t digest) {
    now += grid::Seconds{10};
    int told = 0;
    std::vector<store::CampaignDigest> digests;
    if (!decisions.empty()) digests.push_back({campaign, digest});
    transact([&](store::Transaction& transaction) {
      store::write_decisions(
          transaction, digests,
          [&](grid::CampaignId) {
            told = static_cast<int>(decisions.size());
            return decisions;
          },
          order ? &*order : nullptr, now);
    });
    return told;
  }
  [[nodiscard]] store::StoredDecision on(grid::ClusterId cluster, const std::string& reason, int free) const {
    return {.campaign = campaign, .cluster = cluster, .stage = "match", .reason = reason, .figures = fmt::format("{{\"free\": {}}}", free)};
  }
  /// Each row with the transaction that wrote it.
  std::string versions() { return value("SELECT string_agg(cluster_id || ':' || xmin, ' ' ORDER BY cluster_id) FROM decisions"); }
  std::string figures() { return value("SELECT string_agg(reason || ' ' || figures, ', ' ORDER BY cluster_id) FROM decisions"); }

  grid::CampaignId campaign;
  std::int64_t last_digest = 0;
  std::optional<store::StoredOrder> order;  ///< written with each cycle's
};

TEST_F(Decisions, OfACampaignWhoseFiguresAreTheSame_AreNotEvenReported) {
  EXPECT_EQ(write({on(alpha, "full", 0)}, 7), 1);
  EXPECT_EQ(write({on(alpha, "full", 0)}, 7), 0);
  EXPECT_EQ(write({on(alpha, "full", 1)}, 8), 1);
  EXPECT_EQ(figures(), R"(full {"free": 1})");
}

TEST_F(Decisions, ThatRepeatTheLastOnes_WriteNoRow) {
  write({on(alpha, "full", 0), on(beta, "down", 0)});
  const auto before = versions();
  write({on(beta, "down", 0), on(alpha, "full", 0)});
  EXPECT_EQ(versions(), before);
  EXPECT_EQ(figures(), R"(full {"free": 0}, down {"free": 0})");
}

TEST_F(Decisions, ThatChange_ReplaceTheLastOnes_AndKeepTheTimeOfTheirReason) {
  write({on(alpha, "full", 3)});
  const auto since = value("SELECT since FROM decisions");
  write({on(alpha, "full", 2)});
  EXPECT_EQ(figures(), R"(full {"free": 2})");
  EXPECT_EQ(value("SELECT since FROM decisions"), since);
  write({on(alpha, "down", 2)});
  EXPECT_NE(value("SELECT since FROM decisions"), since);
}

TEST_F(Decisions, OnWhatIsNotDecidedAnyLonger_AreRemoved) {
  write({on(alpha, "full", 0), on(beta, "down", 0)});
  write({on(beta, "down", 0)});
  EXPECT_EQ(figures(), R"(down {"free": 0})");
  store::StoredDecision whole{.campaign = campaign, .cluster = std::nullopt, .stage = "feasible", .reason = "paused", .figures = "{}"};
  write({whole});
  EXPECT_EQ(figures(), "paused {}");
}

TEST_F(Decisions, OnACampaignThatIsOver_AreRemoved) {
  write({on(alpha, "full", 0)});
  transact([&](store::Transaction& transaction) { EXPECT_TRUE(store::cancel_campaign(transaction, campaign, now)); });
  write({});
  EXPECT_EQ(value("SELECT count(*) FROM decisions"), "0");
  EXPECT_EQ(value("SELECT count(*) FROM decided"), "0");
}

TEST_F(Decisions, OfEveryReason_ComeBackFromTheDatabase_WithTheirFiguresAndTheirSentence) {
  RandomFigures random{test_seed()};
  std::vector<std::pair<std::string, std::string>> all;  // reasons, and figures
  for (int round = 0; round < 5; ++round) {
    for (const auto& reason : random.reasons()) all.emplace_back(decisions::name_of(reason), decisions::figures_of(reason));
    for (const auto& standing : random.standings()) all.emplace_back(decisions::Standing::kName, decisions::figures_of(standing));
  }
  for (const auto& [reason, figures] : all) {
    auto decision = on(alpha, reason, 0);
    decision.figures = figures;
    write({decision});
    std::vector<store::views::Decision> read;
    execute(
        "INSERT INTO brakes (cluster_id, campaign_id, reason, created_at, expires_at) SELECT k, c, 'why', now(), 'infinity' FROM (VALUES "
        "(1, NULL), (1, 1), (NULL, 1)) v (k, c) ON CONFLICT DO NOTHING");
    transact([&](store::Transaction& transaction) { read = store::views::decisions(transaction, campaign, now); });
    ASSERT_EQ(read.size(), 1U) << reason;
    const auto before = decisions::rendered({.stage = "match", .reason = reason, .figures = figures, .cluster = "alpha"});
    const auto after =
        decisions::rendered({.stage = read[0].stage, .reason = read[0].reason, .figures = read[0].figures, .cluster = "alpha"});
    ASSERT_EQ(after.sentence, before.sentence);
    ASSERT_EQ(after.figures, figures);
  }
}

}  // namespace
}  // namespace gleaner::tests
