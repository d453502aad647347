// The reasons that each pair had before its last decision.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <tuple>

#include "lib/grid/reason_times.hpp"
#include "lib/store/prune.hpp"
#include "lib/store/views.hpp"
#include "tests/db/grid_fixture.hpp"
#include "tests/seed.hpp"

namespace gleaner::tests {
namespace {

using grid::Length;
using grid::ReasonPeriod;
using grid::Seconds;
using testing::ElementsAre;

/// The reason of a pair and its subject, as `full` or `launched offer`; empty: it has no decision.
using Now = std::map<std::int64_t, std::string>;  // by cluster, 0: the whole campaign

class DecisionHistory : public GridFixture {
 protected:
  DecisionHistory() : campaign{a_campaign(3)} {}

  /// Writes what a cycle decided, without a change of the time.
  void write_in(store::Transaction& transaction, const Now& reasons) {
    std::vector<store::CampaignDigest> digests;
    if (!reasons.empty()) digests.push_back({campaign, ++last_digest});
    store::write_decisions(
        transaction, digests,
        [&](grid::CampaignId) {
          std::vector<store::StoredDecision> decisions;
          for (const auto& [cluster, text] : reasons) {
            const auto space = text.find(' ');
            store::StoredDecision one;
            one.campaign = campaign;
            one.stage = "match";
            if (cluster != 0) one.cluster = grid::ClusterId{cluster};
            one.reason = text.substr(0, space);
            if (space != std::string::npos) one.subject = text.substr(space + 1);
            one.figures = fmt::format("{{\"n\": {}}}", last_digest);  // other figures in each cycle
            decisions.push_back(std::move(one));
          }
          return decisions;
        },
        nullptr, now);
  }
  void write(const Now& reasons, Seconds after = Seconds{10}) {
    now += after;
    transact([&](store::Transaction& transaction) { write_in(transaction, reasons); });
  }
  [[nodiscard]] std::vector<ReasonPeriod> history(grid::Instant from = {}) {
    std::vector<ReasonPeriod> all;
    transact([&](store::Transaction& transaction) { all = store::views::decision_history(transaction, campaign, from, now); });
    return all;
  }
  /// "alpha full 20", "campaign paused 10 stands": seconds.
  [[nodiscard]] std::vector<std::string> told(grid::Instant from = {}) {
    std::vector<std::string> lines;
    for (const auto& one : history(from))
      lines.push_back(fmt::format("{} {}{}{} {}{}{}", one.cluster ? one.cluster_name : "campaign", one.reason,
                                  one.subject.empty() ? "" : " ", one.subject, one.lasted / Seconds{1}, one.summed ? " summed" : "",
                                  one.until ? "" : " stands"));
    return lines;
  }
  [[nodiscard]] std::int64_t rows() { return std::stoll(value("SELECT count(*) FROM decision_history")); }

  grid::CampaignId campaign;
  std::int64_t last_digest = 0;
};

TEST_F(DecisionHistory, HasARowForEachChangeOfAReason_AndNoneForOtherFigures) {
  const auto a = alpha.value(), b = beta.value();
  write({{a, "full"}, {b, "down"}});
  write({{a, "full"}, {b, "down"}});
  write({{a, "launched offer"}, {b, "down"}});
  write({{a, "launched limit 7 (user ada)"}, {b, "down"}});
  write({{a, "launched limit 7 (user ada)"}, {b, "down"}});
  EXPECT_EQ(value("SELECT string_agg(reason || ' ' || subject, ', ' ORDER BY change) FROM decision_history"), "full , launched offer");
  EXPECT_THAT(told(), ElementsAre("alpha full 20", "alpha launched offer 10", "alpha launched limit 7 (user ada) 10 stands",
                                  "beta down 40 stands"));
}

TEST_F(DecisionHistory, KeepsTheReasonThatAnotherSubjectEnds_ButTheDecisionKeepsTheTimeOfItsReason) {
  write({{alpha.value(), "limit_reached limit 1"}});
  const auto since = value("SELECT since FROM decisions");
  write({{alpha.value(), "limit_reached limit 2"}});
  EXPECT_EQ(value("SELECT since FROM decisions"), since);
  EXPECT_THAT(told(), ElementsAre("alpha limit_reached limit 1 10", "alpha limit_reached limit 2 0 stands"));
}

TEST_F(DecisionHistory, OfAPairWithoutADecision_HasAGap) {
  write({{alpha.value(), "full"}});
  write({{0, "paused"}});
  write({{alpha.value(), "full"}}, Seconds{30});
  write({{alpha.value(), "full"}});
  EXPECT_THAT(told(), ElementsAre("campaign paused 30", "alpha full 10", "alpha full 10 stands"));
  const auto times = grid::times_of(history(), {}, now);
  ASSERT_EQ(times.size(), 2U);
  EXPECT_EQ(times[1].undecided, Seconds{30});
  EXPECT_EQ(times[1].until - times[1].from, Seconds{50});
}

TEST_F(DecisionHistory, OfACampaignThatEnds_IsKeptUntilItsEnd_AndGoesWithIt) {
  write({{alpha.value(), "full"}});
  transact([&](store::Transaction& transaction) { EXPECT_TRUE(store::cancel_campaign(transaction, campaign, now)); });
  write({}, Seconds{25});
  EXPECT_THAT(told(), ElementsAre("alpha full 25"));
  execute(fmt::format("DELETE FROM campaigns WHERE id = {}", campaign.value()));
  EXPECT_EQ(rows(), 0);
}

TEST_F(DecisionHistory, OfAPlaceInTheOrder_HasNoRow) {
  write({{0, "standing"}, {alpha.value(), "full"}});
  write({{0, "paused"}});
  EXPECT_THAT(told(), ElementsAre("campaign paused 0 stands", "alpha full 10"));
}

TEST_F(DecisionHistory, ThatBeganBefore_IsCutToTheTimeThatWasRequested) {
  write({{alpha.value(), "full"}});
  write({{alpha.value(), "down"}}, Seconds{100});
  write({{alpha.value(), "down"}}, Seconds{100});
  const auto times = grid::times_of(history(now - Seconds{150}), now - Seconds{150}, now);
  ASSERT_EQ(times.size(), 1U);
  EXPECT_EQ(times[0].from, now - Seconds{150});
  ASSERT_EQ(times[0].shares.size(), 2U);
  EXPECT_EQ(times[0].shares[0].lasted, Seconds{100}) << "down";
  EXPECT_EQ(times[0].shares[1].lasted, Seconds{50}) << "full";
}

TEST_F(DecisionHistory, OfTwoReasonsThatChangeInEachCycle_StaysBounded_AndLosesNoTime) {
  constexpr int kChanges = 3000;
  transact([&](store::Transaction& transaction) {
    for (int i = 0; i <= kChanges; ++i) {
      write_in(transaction, {{alpha.value(), i % 2 == 0 ? "full" : "launched bag"}});
      now += Seconds{i % 2 == 0 ? 5 : 3};
    }
  });
  // 64 changes as they are, and at most 24 sums of each level, two rows each.
  EXPECT_LE(rows(), 64 + 24 * 2 * 3);
  EXPECT_GE(value("SELECT max(level) FROM decision_history"), "2");
  EXPECT_GE(value("SELECT count(*) FROM decision_history WHERE level = 0"), "32");
  const auto times = grid::times_of(history(), {}, now);
  ASSERT_EQ(times.size(), 1U);
  EXPECT_EQ(times[0].undecided, Length{0});
  ASSERT_EQ(times[0].shares.size(), 2U);
  EXPECT_EQ(times[0].shares[0].lasted, Seconds{5} * (kChanges / 2 + 1));
  EXPECT_EQ(times[0].shares[1].lasted, Seconds{3} * (kChanges / 2));
}

TEST_F(DecisionHistory, OfAPairThatComesAndGoes_StaysBoundedToo) {
  transact([&](store::Transaction& transaction) {
    for (int i = 0; i < 1000; ++i) {
      write_in(transaction, {{i % 2 == 0 ? alpha.value() : 0, i % 2 == 0 ? "full" : "paused"}});
      now += Seconds{5};
    }
  });
  EXPECT_LE(rows(), 2 * (64 + 24 * 2));
  for (const auto& of : grid::times_of(history(), {}, now)) EXPECT_LE(of.undecided, Seconds{2500});
}

TEST_F(DecisionHistory, ThatIsOld_IsPruned_AndWhatStandsIsNot) {
  write({{alpha.value(), "full"}});
  write({{alpha.value(), "down"}});
  const auto before = now + Seconds{1};
  write({{alpha.value(), "launched bag"}});
  write({{alpha.value(), "full"}});
  std::int64_t counted = 0;
  transact([&](store::Transaction& transaction) { counted = store::count_prunable(transaction, before).reasons; });
  EXPECT_EQ(counted, 1);
  EXPECT_EQ(store::prune(database, before).reasons, 1);
  EXPECT_THAT(told(), ElementsAre("alpha down 10", "alpha launched bag 10", "alpha full 0 stands"));
}

TEST_F(DecisionHistory, WhileTheClockIsSetBack_HasNoTimeTwice) {
  Dice dice{test_seed()};
  const std::array<std::string, 4> reasons{"full", "down", "launched bag", ""};
  for (int i = 0; i < 400; ++i) {
    Now decided;
    if (const auto& one = dice.pick(reasons); !one.empty()) decided[alpha.value()] = one;
    write(decided, Seconds{dice.roll(0, 9) == 0 ? -dice.roll(0, 200) : dice.roll(0, 30)});
  }
  const auto all = history();
  for (std::size_t i = 1; i < all.size(); ++i) {
    const bool same_sum = all[i].summed && all[i - 1].summed && all[i].since == all[i - 1].since;
    EXPECT_TRUE(same_sum || all[i].since >= all[i - 1].until) << i;
  }
  for (const auto& of : grid::times_of(all, {}, now)) EXPECT_GE(of.undecided, Length{0});
}

/// A history by which the stored one is judged: all that was decided.
class Memory {
 public:
  void note(std::int64_t cluster, grid::Instant now, const std::string& reason) {
    auto& decided = by_cluster_[cluster];
    if (decided.empty() || decided.back().second != reason) decided.emplace_back(now, reason);
  }
  /// Empty: it had no decision.
  [[nodiscard]] std::string at(std::int64_t cluster, grid::Instant moment) const {
    std::string reason;
    for (const auto& [since, one] : by_cluster_.at(cluster)) {
      if (since <= moment) reason = one;
    }
    return reason;
  }
  [[nodiscard]] std::map<std::string, Length> sums(std::int64_t cluster, grid::Instant from, grid::Instant until) const {
    std::map<std::string, Length> sums;
    const auto& decided = by_cluster_.at(cluster);
    for (std::size_t i = 0; i < decided.size(); ++i) {
      const auto begin = std::max(from, decided[i].first);
      const auto end = std::min(until, i + 1 < decided.size() ? decided[i + 1].first : until);
      if (begin < end && !decided[i].second.empty()) sums[decided[i].second] += end - begin;
    }
    return sums;
  }

 private:
  std::map<std::int64_t, std::vector<std::pair<grid::Instant, std::string>>> by_cluster_;
};

std::string name_of(const std::string& reason, const std::string& subject) { return subject.empty() ? reason : reason + " " + subject; }

TEST_F(DecisionHistory, OfAnyKind_AddsUpToItsTime_AndHasAtEachMomentTheDecisionOfThen) {
  Dice dice{test_seed()};
  const std::array<std::string, 6> reasons{"full", "limit_reached limit 1", "limit_reached limit 2", "launched bag", "launched offer", ""};
  Memory memory;
  const auto begin = now;
  const std::array<std::int64_t, 3> clusters{0, alpha.value(), beta.value()};
  Now decided;
  for (const auto cluster : clusters) decided[cluster] = "";
  transact([&](store::Transaction& transaction) {
    for (int i = 0; i < 700; ++i) {
      now += Seconds{dice.roll(1, 20)} + Length{dice.roll(0, 999'999)};
      for (const auto cluster : clusters) {
        if (dice.roll(1, cluster == 0 ? 20 : 2) == 1) decided[cluster] = dice.pick(reasons);
      }
      Now written;
      for (const auto& [cluster, reason] : decided) {
        memory.note(cluster, now, reason);
        if (!reason.empty()) written[cluster] = reason;
      }
      write_in(transaction, written);
    }
  });
  now += Seconds{7};
  const auto all = history();
  EXPECT_TRUE(std::ranges::any_of(all, &ReasonPeriod::summed));
  const auto key = [](const ReasonPeriod& one) { return one.cluster ? one.cluster->value() : 0; };
  for (int i = 0; i < 500; ++i) {
    const auto moment = begin + (now - begin) * dice.roll(0, 10'000) / 10'000;
    for (const auto cluster : clusters) {
      std::vector<std::string> then;
      bool summed = false;
      for (const auto& one : all) {
        if (key(one) != cluster || moment < one.since || moment >= one.until.value_or(now)) continue;
        then.push_back(name_of(one.reason, one.subject));
        summed = summed || one.summed;
      }
      const auto expected = memory.at(cluster, moment);
      if (!summed) {
        EXPECT_EQ(then, expected.empty() ? std::vector<std::string>{} : std::vector{expected});
      } else if (!expected.empty()) {
        EXPECT_THAT(then, testing::Contains(expected));
      }
    }
  }
  for (int i = 0; i < 50; ++i) {
    const auto from = i == 0 ? grid::Instant{} : begin + (now - begin) * dice.roll(0, 10'000) / 10'000;
    for (const auto& of : grid::times_of(history(from), from, now)) {
      auto sum = of.undecided;
      EXPECT_GE(of.undecided, Length{0});
      std::map<std::string, Length> shares;
      for (const auto& share : of.shares) {
        sum += share.lasted;
        if (share.lasted > Length{0}) shares[name_of(share.reason, share.subject)] += share.lasted;
      }
      EXPECT_EQ(sum, of.until - of.from);
      EXPECT_EQ(shares, memory.sums(of.cluster ? of.cluster->value() : 0, of.from, of.until));
    }
  }
}

}  // namespace
}  // namespace gleaner::tests
