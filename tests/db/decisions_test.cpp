#include <gtest/gtest.h>

#include "tests/db/grid_fixture.hpp"

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
          now);
    });
    return told;
  }
  [[nodiscard]] store::StoredDecision on(grid::ClusterId cluster, const std::string& reason, const std::string& sentence) const {
    return {.campaign = campaign, .cluster = cluster, .stage = "match", .reason = reason, .sentence = sentence};
  }
  /// Each row with the transaction that wrote it.
  std::string versions() { return value("SELECT string_agg(cluster_id || ':' || xmin, ' ' ORDER BY cluster_id) FROM decisions"); }
  std::string sentences() { return value("SELECT string_agg(sentence, ', ' ORDER BY cluster_id) FROM decisions"); }

  grid::CampaignId campaign;
  std::int64_t last_digest = 0;
};

TEST_F(Decisions, OfACampaignWhoseFiguresAreTheSame_AreNotEvenReported) {
  EXPECT_EQ(write({on(alpha, "full", "alpha is full")}, 7), 1);
  EXPECT_EQ(write({on(alpha, "full", "alpha is full")}, 7), 0);
  EXPECT_EQ(write({on(alpha, "full", "alpha is fuller")}, 8), 1);
  EXPECT_EQ(sentences(), "alpha is fuller");
}

TEST_F(Decisions, ThatRepeatTheLastOnes_WriteNoRow) {
  write({on(alpha, "full", "alpha is full"), on(beta, "down", "beta is down")});
  const auto before = versions();
  write({on(beta, "down", "beta is down"), on(alpha, "full", "alpha is full")});
  EXPECT_EQ(versions(), before);
  EXPECT_EQ(sentences(), "alpha is full, beta is down");
}

TEST_F(Decisions, ThatChange_ReplaceTheLastOnes_AndKeepTheTimeOfTheirReason) {
  write({on(alpha, "full", "3 are free")});
  const auto since = value("SELECT since FROM decisions");
  write({on(alpha, "full", "2 are free")});
  EXPECT_EQ(sentences(), "2 are free");
  EXPECT_EQ(value("SELECT since FROM decisions"), since);
  write({on(alpha, "down", "2 are free")});
  EXPECT_NE(value("SELECT since FROM decisions"), since);
}

TEST_F(Decisions, OnWhatIsNotDecidedAnyLonger_AreRemoved) {
  write({on(alpha, "full", "alpha is full"), on(beta, "down", "beta is down")});
  write({on(beta, "down", "beta is down")});
  EXPECT_EQ(sentences(), "beta is down");
  store::StoredDecision whole{
      .campaign = campaign, .cluster = std::nullopt, .stage = "feasible", .reason = "paused", .sentence = "it is paused"};
  write({whole});
  EXPECT_EQ(sentences(), "it is paused");
}

TEST_F(Decisions, OnACampaignThatIsOver_AreRemoved) {
  write({on(alpha, "full", "alpha is full")});
  transact([&](store::Transaction& transaction) { EXPECT_TRUE(store::cancel_campaign(transaction, campaign, now)); });
  write({});
  EXPECT_EQ(value("SELECT count(*) FROM decisions"), "0");
  EXPECT_EQ(value("SELECT count(*) FROM decided"), "0");
}

}  // namespace
}  // namespace gleaner::tests
