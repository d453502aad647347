#include "predictor/algorithms/history.hpp"

#include <gtest/gtest.h>

namespace gleaner::prediction {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr grid::Instant kSubmitted{hours{1000}};

/// How many forecasts are kept of a campaign whose end moves at each of the cycles, 5 s apart, of its life.
int kept_in(seconds life) {
  int count = 0;
  std::optional<Kept> last;
  for (seconds age{0}; age <= life; age += seconds{5}) {
    const auto now = kSubmitted + age;
    const auto end = now + (last && last->end > now + hours{100} ? hours{10} : hours{1000});
    if (!is_kept(last, kSubmitted, now, end)) continue;
    last = Kept{now, end};
    ++count;
  }
  return count;
}

TEST(ForecastHistory, TheFirstForecast_IsKept) { EXPECT_TRUE(is_kept(std::nullopt, kSubmitted, kSubmitted, kSubmitted + hours{1})); }

TEST(ForecastHistory, AnEndThatMovedALittle_IsNotKept_AndOneThatMovedByATwentiethOfTheRestIs) {
  const Kept last{kSubmitted, kSubmitted + minutes{102}};
  const auto now = kSubmitted + minutes{2};
  EXPECT_FALSE(is_kept(last, kSubmitted, now, last.end));
  EXPECT_FALSE(is_kept(last, kSubmitted, now, last.end + minutes{4}));
  EXPECT_FALSE(is_kept(last, kSubmitted, now, last.end - minutes{4}));
  EXPECT_TRUE(is_kept(last, kSubmitted, now, last.end + minutes{5}));
  EXPECT_TRUE(is_kept(last, kSubmitted, now, last.end - minutes{5}));
}

TEST(ForecastHistory, PastTheEndThatWasForecast_AnyOtherEndIsKept) {
  const Kept last{kSubmitted, kSubmitted + minutes{10}};
  EXPECT_FALSE(is_kept(last, kSubmitted, kSubmitted + minutes{15}, last.end));
  EXPECT_TRUE(is_kept(last, kSubmitted, kSubmitted + minutes{15}, last.end + seconds{1}));
}

TEST(ForecastHistory, NoForecastIsKept_SoonAfterTheLast_OrWhileTheLastIsOfTheFuture) {
  const auto end = [](grid::Instant now) { return now + hours{100}; };
  const auto young = kSubmitted + minutes{2};
  EXPECT_FALSE(is_kept(Kept{young, young}, kSubmitted, young + seconds{59}, end(young)));
  EXPECT_TRUE(is_kept(Kept{young, young}, kSubmitted, young + seconds{60}, end(young)));
  const auto old = kSubmitted + hours{100};
  EXPECT_FALSE(is_kept(Kept{old, old}, kSubmitted, old + hours{5}, end(old)));
  EXPECT_TRUE(is_kept(Kept{old, old}, kSubmitted, old + hours{6}, end(old)));
  EXPECT_FALSE(is_kept(Kept{old, old}, kSubmitted, young, end(young)));
}

TEST(ForecastHistory, OfACampaignWhoseEndNeverStaysTheSame_IsBounded) {
  EXPECT_EQ(kept_in(minutes{20}), 21);
  EXPECT_LE(kept_in(hours{24}), 105);
  EXPECT_GE(kept_in(hours{24}), 90);
  EXPECT_LE(kept_in(hours{24 * 365}), 220);
}

}  // namespace
}  // namespace gleaner::prediction
