// Many viewers of the stream of changes, and one that takes nothing.
#include <gmock/gmock.h>
#include <sys/resource.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tests/db/api_event_stream_fixture.hpp"
#include "tests/db/listener_statements.hpp"

namespace gleaner::tests {
namespace {

constexpr int kViewers = 1000;
constexpr int kChanges = 5;

class ApiEventStreamOfMany : public ApiEventStream {
 protected:
  void configure(api::ApiOptions& options) override {
    options.config.api_streams = options.config.api_streams_of_user = kViewers;
    // Readings that no change asks for come never, so that those of changes are counted.
    options.streams.look = options.streams.prune = options.streams.patience = std::chrono::hours{1};
  }
  [[nodiscard]] int statements_of_streams() const { return statements_of_listener(log_of_postgres(sql("SHOW data_directory"))); }
  /// The statements for each change that so many viewers see.
  [[nodiscard]] double cost_for(int viewers) {
    restart_api();
    const auto id = a_campaign_of(1);
    std::vector<std::unique_ptr<EventStreamReader>> readers;
    for (int i = 0; i < viewers; ++i) readers.push_back(std::make_unique<EventStreamReader>(stream("?after=now")));
    const auto change = [&] {
      flip(id, 1);
      for (auto& one : readers) ASSERT_TRUE(one->next("campaign"));
    };
    change();  // all are at one place then
    const auto before = statements_of_streams();
    for (int i = 0; i < kChanges; ++i) change();
    return static_cast<double>(statements_of_streams() - before) / kChanges;
  }
};

TEST_F(ApiEventStreamOfMany, AThousandViewers_CostTheQueriesOfOne) {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_max < 4 * kViewers) GTEST_SKIP() << "too few descriptors: " << limit.rlim_max;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  sql("DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET log_statement = ''all''', current_database()); END $$");
  const auto of_one = cost_for(1), of_all = cost_for(kViewers);
  EXPECT_GE(of_one, 1) << "the statements of a change are in the log";
  EXPECT_LE(of_all, 2 * of_one) << "a change may come while the last one is still read";
}

TEST_F(ApiEventStreamOfMany, AStalledViewer_DelaysNoOther) {
  constexpr int kEvents = 150;
  const auto id = a_campaign_of(1);
  // On the unix socket little is on its way.
  EventStreamReader stalled{socket(), {.target = "/v1/events?after=now"}};
  ASSERT_TRUE(stalled.begins());
  auto other = stream("?after=now");
  // More than the socket takes: 600 kB.
  sql(
      fmt::format("INSERT INTO events (code, campaign_id, opened_at, last_at, message) SELECT 'TEST' || n, {}, now(), now(), "
                  "repeat('x', 4000) FROM generate_series(1, {}) n",
                  id, kEvents));
  for (int i = 0; i < kEvents; ++i) ASSERT_TRUE(other.next("event")) << i;
  for (int i = 0; i < 3; ++i) {
    flip(id, 1);
    ASSERT_TRUE(other.next("campaign")) << i << ": it comes while the other one takes nothing";
  }
  // It was there all the time: nothing is lost to it.
  for (int i = 0; i < kEvents; ++i) ASSERT_TRUE(stalled.next("event")) << i;
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(stalled.next("campaign")) << i;
}

}  // namespace
}  // namespace gleaner::tests
