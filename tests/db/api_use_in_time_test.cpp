// The use of the clusters in time slices: GET /v1/gridusage with step.
#include <gmock/gmock.h>

#include <fmt/format.h>

#include <string>
#include <vector>

#include "tests/db/api_fixture.hpp"

namespace gleaner::tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// A number of JSON, or -1 for null.
std::vector<double> numbers(const rapidjson::Value& array) {
  std::vector<double> all;
  for (const auto& one : array.GetArray()) all.push_back(one.IsNull() ? -1.0 : one.GetDouble());
  return all;
}

class UseInTime : public ApiTest {
 protected:
  struct Figures {
    int max = 16;
    int free = 0;
    int used = 0;
    int besteffort = 0;
    int ours = 0;
  };
  /// A poll of a cluster, so many seconds after 2026-11-20T00:00:00Z.
  void poll(const std::string& cluster, int second, const Figures& figures) const {
    sql(fmt::format(
        "INSERT INTO gridstatus (cluster_id, time, max_resources, free, used, used_besteffort, our_running, our_waiting, reachable, "
        "api_latency_ms) SELECT id, timestamptz '2026-11-20T00:00:00Z' + {} * interval '1 second', {}, {}, {}, {}, {}, 0, true, 5 FROM "
        "clusters WHERE name = '{}' RETURNING 1",
        second, figures.max, figures.free, figures.used, figures.besteffort, figures.ours, cluster));
  }
  void outage(const std::string& cluster, int from, const std::string& to) const {
    sql(fmt::format(
        "INSERT INTO events (code, state, cluster_id, opened_at, last_at, closed_at, message) SELECT 'CLUSTER_UNREACHABLE', '{}', id, "
        "timestamptz '2026-11-20T00:00:00Z' + {} * interval '1 second', now(), {}, 'no route' FROM clusters WHERE name = '{}' RETURNING 1",
        to.empty() ? "open" : "closed", from, to.empty() ? "NULL" : fmt::format("timestamptz '{}'", to), cluster));
  }
  [[nodiscard]] static std::string path(const std::string& more = {}) {
    return "/v1/gridusage?from=2026-11-20T00:00:00Z&to=2026-11-20T00:40:00Z&step=600" + more;
  }
  /// The figures of alpha.
  [[nodiscard]] rapidjson::Document alpha() const {
    auto answer = get(path());
    EXPECT_EQ(answer.status, 200) << answer.body;
    return std::move(answer.json);
  }
};

TEST_F(UseInTime, HasLeastMeanAndGreatest_OfEachFigure_WeighedByTime) {
  // 4 used for 30 s, then 12 for 60 s, at most a minute and a half each.
  poll("alpha", 0, {.max = 16, .free = 12, .used = 4, .besteffort = 3, .ours = 2});
  poll("alpha", 30, {.max = 16, .free = 2, .used = 12, .besteffort = 9, .ours = 8});
  poll("alpha", 90, {.max = 10, .free = 4, .used = 4, .besteffort = 0, .ours = 0});
  const auto all = alpha();
  const auto& one = all["items"][0];
  EXPECT_STREQ(one["cluster_name"].GetString(), "alpha");
  EXPECT_THAT(numbers(one["known_seconds"]), ElementsAre(180, -1, -1, -1));
  EXPECT_THAT(numbers(one["used_resources"]["min"]), ElementsAre(4, -1, -1, -1));
  EXPECT_THAT(numbers(one["used_resources"]["mean"]), ElementsAre(6.7, -1, -1, -1)) << "(4 * 30 + 12 * 60 + 4 * 90) / 180, to a tenth";
  EXPECT_THAT(numbers(one["used_resources"]["max"]), ElementsAre(12, -1, -1, -1));
  EXPECT_THAT(numbers(one["used_by_grid"]["max"]), ElementsAre(8, -1, -1, -1));
  EXPECT_THAT(numbers(one["used_besteffort"]["min"]), ElementsAre(0, -1, -1, -1));
  EXPECT_THAT(numbers(one["max_resources"]["mean"]), ElementsAre(13, -1, -1, -1));
  EXPECT_THAT(numbers(one["unavailable_resources"]["max"]), ElementsAre(2, -1, -1, -1));
}

TEST_F(UseInTime, OfATimeWithoutFigures_IsUnknown_NotIdle_AndOutagesAreNamed) {
  for (int second = -30; second < 600; second += 30) poll("alpha", second, {.free = 16});
  for (int second = 1500; second < 2400; second += 30) poll("alpha", second, {.free = 0, .used = 16});
  outage("alpha", 630, "2026-11-20T00:25:00Z");
  outage("alpha", -7200, "2026-11-19T23:00:00Z");
  outage("alpha", 2300, "");
  const auto all = alpha();
  const auto& one = all["items"][0];
  // The figures of 570 s hold until 660 s, and those of before the span within it.
  EXPECT_THAT(numbers(one["known_seconds"]), ElementsAre(600, 60, 300, 600));
  EXPECT_THAT(numbers(one["used_resources"]["mean"]), ElementsAre(0, 0, 16, 16));
  ASSERT_EQ(one["outages"].Size(), 2U);
  EXPECT_STREQ(one["outages"][1]["from"].GetString(), "2026-11-20T00:10:30Z");
  EXPECT_STREQ(one["outages"][1]["to"].GetString(), "2026-11-20T00:25:00Z");
  EXPECT_TRUE(one["outages"][0]["to"].IsNull());
  EXPECT_THAT(numbers(all["items"][1]["known_seconds"]), ElementsAre(-1, -1, -1, -1)) << "beta was never asked";
  EXPECT_EQ(all["items"][1]["outages"].Size(), 0U);
}

TEST_F(UseInTime, SlicesBeginAtWholeSteps_AndTheLastOneIsOfWhatIsAskedFor) {
  poll("alpha", 1190, {.used = 16});
  const auto answer = get("/v1/gridusage?from=2026-11-20T00:07:00Z&to=2026-11-20T00:20:05Z&step=600");
  EXPECT_STREQ(answer.json["from"].GetString(), "2026-11-20T00:00:00Z");
  EXPECT_STREQ(answer.json["to"].GetString(), "2026-11-20T00:20:05Z");
  EXPECT_EQ(answer.json["slices"].GetInt(), 3);
  EXPECT_EQ(answer.json["step"].GetInt(), 600);
  EXPECT_THAT(numbers(answer.json["items"][0]["known_seconds"]), ElementsAre(-1, 10, 5)) << "the figures hold over the end of a slice";
}

TEST_F(UseInTime, PagesAreOfClusters_AndRetiredOnesAreLeftOut) {
  EXPECT_EQ(get(path()).json["total"].GetInt(), 3);
  const auto first = get(path("&limit=1"));
  ASSERT_EQ(first.json["items"].Size(), 1U);
  const auto second = get(first.link("next"));
  EXPECT_STREQ(second.json["items"][0]["cluster_name"].GetString(), "beta") << second.body;
  EXPECT_STREQ(second.json["to"].GetString(), first.json["to"].GetString());
  sql("UPDATE clusters SET retired_at = now() WHERE name = 'beta'");
  EXPECT_EQ(get(path("&limit=99")).json["total"].GetInt(), 2);
}

TEST_F(UseInTime, OfTheSameTimes_IsReadOnceAMinute_ForAllViewers) {
  const auto first = get(path());
  poll("alpha", 0, {.used = 16});
  EXPECT_EQ(as("bob", {.target = path()}).body, first.body);
  EXPECT_NE(get(path("&limit=99")).json["items"], first.json["items"]);
  EXPECT_EQ(ask(port(), {.target = path()}).status, 401);
}

TEST_F(UseInTime, OfNoSpan_IsThatOfTheLastDay) {
  const auto answer = get("/v1/gridusage?step=3600");
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.json["slices"].GetInt(), 25) << "the first slice and the last one are partly beyond the day";
}

TEST_F(UseInTime, ThatIsTooMuch_IsRefusedWithWhatIsRight) {
  const std::string span = "/v1/gridusage?from=2026-11-13T00:00:00Z&to=2026-11-20T00:00:00Z&step=";
  EXPECT_EQ(get(span + "600").status, 200);
  EXPECT_THAT(get(span + "60").message(), HasSubstr("has more than 1008 slices of it: a step of 601 at least is needed"));
  EXPECT_EQ(get(span + "601").status, 200);
  EXPECT_THAT(get("/v1/gridusage?from=2026-11-01T00:00:00Z&to=2026-11-20T00:00:00Z&step=86400").message(),
              HasSubstr("with step, at most 8 days are answered at once"));
  for (const auto* wrong : {"0", "59", "86401", "-1", "1.5", "x", ""}) {
    const auto answer = get(span + wrong);
    EXPECT_EQ(answer.code(), "bad_value") << wrong;
    EXPECT_THAT(answer.message(), HasSubstr("a whole number from 60 to 86400 is needed: seconds of a time slice"));
  }
  EXPECT_THAT(get("/v1/gridusage?from=2026-11-20T00:00:00Z&to=2026-11-20T00:00:00Z&step=600").message(),
              HasSubstr("from must be before to"));
}

TEST_F(UseInTime, ADayOfTenClusters_IsWellBelow100Kilobytes) {
  sql("INSERT INTO clusters (name, url) SELECT 'k' || n, 'http://127.0.0.1/' || n FROM generate_series(1, 7) n RETURNING 1");
  sql("INSERT INTO gridstatus (cluster_id, time, max_resources, free, used, used_besteffort, our_running, our_waiting, reachable, api_latency_ms) "
      "SELECT k.id, timestamptz '2026-11-20T00:00:00Z' + n * interval '30 seconds', 640, (n * 7 + k.id) % 600, 640 - (n * 7 + k.id) % 600, n % 50, n "
      "% 40, 0, true, 5 FROM generate_series(0, 2879) n, clusters k RETURNING 1");
  const ApiRequest request{.target = "/v1/gridusage?from=2026-11-20T00:00:00Z&to=2026-11-21T00:00:00Z&step=600"};
  const auto plain = as("alice", request);
  ASSERT_EQ(plain.json["items"].Size(), 10U);
  EXPECT_THAT(plain.json["items"][9]["known_seconds"].Size(), 144U);
  EXPECT_LT(plain.body.size(), 90'000U);
  auto packing = request;
  packing.headers = {{"Accept-Encoding", "gzip"}};
  const auto packed = as("alice", packing);
  EXPECT_LT(packed.body.size(), 30'000U);
  RecordProperty("plain", static_cast<int>(plain.body.size()));
  RecordProperty("packed", static_cast<int>(packed.body.size()));
}

}  // namespace
}  // namespace gleaner::tests
