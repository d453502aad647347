// gridclusters --since: the use of the clusters in time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "clients/gridclusters/since.hpp"

namespace gleaner::gridclusters {
namespace {

using testing::HasSubstr;

grid::Instant at(std::int64_t seconds) { return grid::from_unix(1'800'000'000 + seconds); }  // a whole hour

clients::Json parsed(const std::string& text) { return clients::Json::parse(text).value(); }

TEST(UseSlices, AreSomeTwoDozen_OfWholeMinutes_ThatBeginAtWholeSteps) {
  using std::chrono::hours;
  using std::chrono::minutes;
  const auto day = Slices::of(hours{24}, at(0));
  EXPECT_EQ(day.step, grid::Seconds{3600});
  EXPECT_EQ(day.from, at(-86'400));
  EXPECT_EQ(Slices::of(hours{1}, at(0)).step, grid::Seconds{180});
  EXPECT_EQ(Slices::of(minutes{5}, at(0)).step, grid::Seconds{60});
  EXPECT_EQ(Slices::of(hours{168}, at(0)).step, grid::Seconds{7 * 3600});
  const auto later = Slices::of(hours{24}, at(1000));
  EXPECT_EQ(later.from, at(-86'400));
  EXPECT_EQ(later.to, at(1000));
  EXPECT_EQ(later.path(), "/v1/gridusage?from=2027-01-14T08:00:00Z&to=2027-01-15T08:16:40Z&step=3600");
}

TEST(UseTable, HasALineForEachSlice_WhereNothingIsKnownNoFigures) {
  const auto cluster = parsed(R"({"cluster_name": "alpha", "known_seconds": [60, null, 20],
    "max_resources": {"min": [16, null, 16], "mean": [16, null, 16], "max": [16, null, 16]},
    "used_resources": {"min": [4, null, 0], "mean": [9.6, null, 0], "max": [12, null, 0]},
    "used_besteffort": {"min": [0, null, 0], "mean": [5, null, 0], "max": [6, null, 0]},
    "used_by_grid": {"min": [0, null, 0], "mean": [3, null, 0], "max": [4, null, 0]},
    "unavailable_resources": {"min": [0, null, 0], "mean": [1, null, 0], "max": [2, null, 0]},
    "outages": [{"from": "2027-01-15T07:59:00Z", "to": null}]})");
  const auto table = use_table({cluster}, {at(-120), at(30), grid::Seconds{60}});
  EXPECT_EQ(terminal::render_csv(table),
            "cluster,from,max,local,ours,others,free,least_free,known_seconds\n"
            "alpha,2027-01-15T07:58:00Z,16,5,3,2,5,2,60\n"
            "alpha,2027-01-15T07:59:00Z,,,,,,,0\n"
            "alpha,2027-01-15T08:00:00Z,16,0,0,0,16,16,20\n");
  EXPECT_THAT(terminal::render_human(table, {}), HasSubstr("66%")) << "the last slice has 30 s yet";
  EXPECT_THAT(outages_text({cluster}, at(30)), HasSubstr("alpha: lost from "));
  EXPECT_THAT(outages_text({cluster}, at(30)), HasSubstr(" to now\n"));
}

}  // namespace
}  // namespace gleaner::gridclusters
