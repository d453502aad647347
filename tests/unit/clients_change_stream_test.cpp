// Waiting on the stream of changes, against an API that does as the test wants.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <mutex>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "clients/change_stream.hpp"
#include "clients/follow.hpp"
#include "clients/json.hpp"
#include "tests/db/await.hpp"
#include "tests/unit/api_under_test.hpp"

namespace gleaner::clients {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

constexpr std::string_view kBegin{"retry: 2000\nid: 5-0\n\n"};
constexpr std::string_view kEnded{"id: 6-1\nevent: campaign\ndata: {}\n\n"};
/// So long that nothing is asked for again within a test.
constexpr std::chrono::hours kLong{1};

/// The commands' output is of no interest here.
class NoOutput final : public terminal::Output {
 public:
  NoOutput() = default;
  void show(const terminal::Answer&) override {}
  void report(std::string_view) override {}
};

/// Answers a stream that has these bytes, and ends.
http::Response stream_of(std::string bytes) {
  http::Response response;
  response.headers.add("Content-Type", "text/event-stream");
  response.stream = [bytes = std::move(bytes)](http::Sink& sink) { return sink.write(bytes); };
  return response;
}

/// A grid of one campaign, which goes on until it is ended.
class GridOfOneCampaign {
 public:
  /// @param events  answers the requests for streams; the argument is their number, from 1
  explicit GridOfOneCampaign(std::function<http::Response(int)> events) : events_{std::move(events)} {}

  void end() { has_ended_ = true; }
  /// Once a stream was asked for, which a thread of its own does.
  void end_after(int looks) { last_look_ = looks; }
  [[nodiscard]] int looks() const { return looks_; }
  /// The places at which streams were asked for.
  [[nodiscard]] std::vector<std::string> places() {
    const std::lock_guard lock{mutex_};
    return places_;
  }

  process::ExitCode follow(std::chrono::milliseconds period) {
    ApiClient client{api_.config()};
    NoOutput output;
    return clients::follow(client, output, {.ids = {12}, .period = period, .time_limit = tests::kHangGuard, .show = {}});
  }

 private:
  http::Response take(const http::Request& request) {
    if (request.path.ends_with("/events")) {
      int number = 0;
      {
        const std::lock_guard lock{mutex_};
        places_.emplace_back(request.parameter("after").value_or(""));
        number = static_cast<int>(places_.size());
      }
      return events_(number);
    }
    if (request.path.ends_with("/decisions")) return tests::answer(200, R"({"items": [], "cannot_end": null})");
    if (++looks_ >= last_look_ && last_look_ > 0 && !places().empty()) has_ended_ = true;
    return tests::answer(200, fmt::format(R"({{"items": [{{"id": 12, "state": "{}", "total_tasks": 1, "tasks": {{"done": 1}}}}]}})",
                                          has_ended_ ? "terminated" : "in_treatment"));
  }

  std::function<http::Response(int)> events_;
  std::atomic<bool> has_ended_ = false;
  std::atomic<int> looks_ = 0;
  std::atomic<int> last_look_ = 0;
  std::mutex mutex_;
  std::vector<std::string> places_;
  tests::ApiUnderTest api_{[this](const http::Request& request) { return take(request); }};
};

TEST(CannotEnd, IsAskedOfTheApi_WhileNothingIsInFlight) {
  tests::ApiUnderTest api{[](const http::Request&) { return tests::answer(200, R"({"items": [], "cannot_end": "alpha is retired"})"); }};
  ApiClient client{api.config()};
  const auto campaign = [](std::string_view tasks) {
    return Json::parse(fmt::format(R"({{"id": 12, "state": "in_treatment", "total_tasks": 12, "tasks": {{{}}}}})", tasks)).value();
  };
  EXPECT_EQ(cannot_end(client, campaign(R"("waiting": 1, "done": 9, "failed": 2)")).why, "alpha is retired");
  EXPECT_EQ(cannot_end(client, campaign(R"("waiting": 1, "running": 1, "done": 8, "failed": 2)")).why, "");
}

TEST(ChangeStream, EndOfACampaign_IsSeenByItsEvent_WithoutALookInBetween) {
  std::promise<void> over;
  GridOfOneCampaign grid{[&, is_over = over.get_future().share()](int) {
    auto response = stream_of({});
    response.stream = [&, is_over](http::Sink& sink) {
      // The second look is that of the stream's beginning.
      if (!sink.write(kBegin) || !tests::await([&] { return grid.looks() == 2; })) return false;
      grid.end();
      if (!sink.write(kEnded)) return false;
      is_over.wait();  // another stream would be another beginning
      return true;
    };
    return response;
  }};
  EXPECT_EQ(grid.follow(kLong), process::ExitCode::ok);
  over.set_value();
  EXPECT_EQ(grid.looks(), 3);
  EXPECT_THAT(grid.places(), SizeIs(1));
}

TEST(ChangeStream, ThatBreaksOff_GoesOnWhereItWas) {
  GridOfOneCampaign grid{[&](int number) {
    if (number == 1) return stream_of(std::string{kBegin});
    grid.end();
    return stream_of(std::string{kEnded});
  }};
  EXPECT_EQ(grid.follow(kLong), process::ExitCode::ok);
  EXPECT_THAT(grid.places(), ElementsAre("now", "5-0"));
}

TEST(ChangeStream, WhosePlaceIsNoLongerKept_BeginsAnew) {
  GridOfOneCampaign grid{[&](int number) {
    if (number == 1) return stream_of(std::string{kBegin});
    if (number == 2) return tests::answer(410, R"({"message": "gone"})");
    grid.end();
    return stream_of(std::string{kBegin} + std::string{kEnded});
  }};
  EXPECT_EQ(grid.follow(kLong), process::ExitCode::ok);
  EXPECT_THAT(grid.places(), ElementsAre("now", "5-0", "now"));
}

TEST(ChangeStream, ThatStatesWhyItEnds_GoesOnWhereItWas) {
  GridOfOneCampaign grid{[&](int number) {
    if (number == 1) return stream_of(std::string{kBegin} + "event: end\ndata: {\"code\": \"unavailable\"}\n\n");
    grid.end();
    return stream_of(std::string{kEnded});
  }};
  EXPECT_EQ(grid.follow(kLong), process::ExitCode::ok);
  EXPECT_THAT(grid.places(), ElementsAre("now", "5-0"));
}

TEST(ChangeStream, OfAnOlderApi_IsNotThere_AndCampaignsAreLookedAtAgainAndAgain) {
  for (const unsigned status : {200U, 400U, 404U, 503U}) {
    GridOfOneCampaign grid{[&](int) { return tests::answer(status, R"({"items": []})"); }};
    grid.end_after(4);
    EXPECT_EQ(grid.follow(std::chrono::milliseconds{5}), process::ExitCode::ok);
    EXPECT_GE(grid.looks(), 4);
    EXPECT_THAT(grid.places(), SizeIs(1)) << status;
  }
}

TEST(ChangeStream, IsAskedForAgainSoon_WhereTheApiMayJustRestart_AlsoBehindAProxy) {
  const auto soon = until_next_stream({.was_open = true, .status = 200});
  EXPECT_EQ(until_next_stream({.was_open = false, .status = 0}), soon);
  EXPECT_EQ(until_next_stream({.was_open = false, .status = 410}), soon);
  const auto busy = until_next_stream({.was_open = false, .status = 503});
  for (const long status : {429, 500, 502, 504}) EXPECT_EQ(until_next_stream({.was_open = false, .status = status}), busy) << status;
  const auto older = until_next_stream({.was_open = false, .status = 404});
  for (const long status : {200, 400, 401}) EXPECT_EQ(until_next_stream({.was_open = false, .status = status}), older) << status;
  EXPECT_LT(soon, busy);
  EXPECT_LT(busy, older);
}

TEST(ChangeStream, OfMoreCampaignsThanTheApiTakes_ShowsThoseOfOthersToo_AndDoesNotHurryForThem) {
  std::promise<void> other_ends;
  const tests::ApiUnderTest api{[ended = other_ends.get_future().share()](const http::Request& request) {
    EXPECT_FALSE(request.parameter("campaign"));
    auto response = stream_of({});
    response.stream = [ended](http::Sink& sink) {
      if (!sink.write(kBegin)) return false;
      ended.wait();
      return sink.write(kEnded);
    };
    return response;
  }};
  const ApiClient client{api.config()};
  std::vector<std::int64_t> campaigns(1001);
  std::iota(campaigns.begin(), campaigns.end(), 1);
  ChangeStream changes{client, campaigns};
  changes.wait({.least = kLong, .most = kLong});
  other_ends.set_value();
  constexpr std::chrono::milliseconds kLeast{300};
  const auto begun = std::chrono::steady_clock::now();
  changes.wait({.least = kLeast, .most = kLong});
  EXPECT_GE(std::chrono::steady_clock::now() - begun, kLeast);
}

}  // namespace
}  // namespace gleaner::clients
