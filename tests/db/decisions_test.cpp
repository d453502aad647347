#include <gtest/gtest.h>

#include "tests/db/grid_fixture.hpp"

namespace gleaner::tests {
namespace {

class Decisions : public GridFixture {
 protected:
  Decisions() : campaign{a_campaign(3)} {}

  void write(const std::vector<store::StoredDecision>& decisions) {
    now += grid::Seconds{10};
    transact([&](store::Transaction& transaction) { store::write_decisions(transaction, decisions, now); });
  }
  [[nodiscard]] store::StoredDecision on(grid::ClusterId cluster, const std::string& reason, const std::string& sentence) const {
    return {.campaign = campaign, .cluster = cluster, .stage = "match", .reason = reason, .sentence = sentence};
  }
  /// Each row with the transaction that wrote it.
  std::string versions() { return value("SELECT string_agg(cluster_id || ':' || xmin, ' ' ORDER BY cluster_id) FROM decisions"); }
  std::string sentences() { return value("SELECT string_agg(sentence, ', ' ORDER BY cluster_id) FROM decisions"); }

  grid::CampaignId campaign;
};

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
  store::StoredDecision whole{.campaign = campaign, .cluster = std::nullopt, .stage = "feasible", .reason = "paused", .sentence = "it is paused"};
  write({whole});
  EXPECT_EQ(sentences(), "it is paused");
}

TEST_F(Decisions, OnACampaignThatIsOver_AreRemoved) {
  write({on(alpha, "full", "alpha is full")});
  transact([&](store::Transaction& transaction) { EXPECT_TRUE(store::cancel_campaign(transaction, campaign, now)); });
  write({});
  EXPECT_EQ(value("SELECT count(*) FROM decisions"), "0");
}

}  // namespace
}  // namespace gleaner::tests
