#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "lib/process/options.hpp"
#include "lib/process/turns.hpp"
#include "metascheduler/metascheduler.hpp"
#include "tests/bench/measure.hpp"
#include "tests/db/grid_fixture.hpp"

/// The figures of document 002, "Scheduling Cycle", through the database: "John" has 500 jobs and "Alice" 1000.
namespace gleaner::tests {
namespace {

constexpr int kJohn = 500, kAlice = 1000;

class Assignments : public GridFixture {
 protected:
  Assignments() {
    process::keep_freed_memory();  // as a module's process does
    config.campaign_order = "tickets";
    static_cast<void>(a_campaign(kJohn, {"alpha"}));
    const auto alice = a_campaign(kAlice, {"alpha"});
    execute(
        fmt::format("INSERT INTO user_mappings SELECT 'john', id, 'john' FROM clusters ON CONFLICT DO NOTHING;"
                    "UPDATE campaigns SET user_name = 'john' WHERE id <> {}; UPDATE campaigns SET jdl = jdl || '{{\"min_duration\": 0}}'",
                    alice.value()));
  }
  /// Sets the status as the updator would read it now.
  void offer(int free) {
    now += grid::Seconds{10};
    execute(fmt::format(
        "UPDATE clusters SET reachable = true, flood = 0;"
        "INSERT INTO gridstatus (cluster_id, time, max_resources, free, used, used_besteffort, our_running, our_waiting, reachable, api_latency_ms)"
        "  SELECT id, instant({}), 2000, {}, 0, 0, 0, 0, true, 5 FROM clusters WHERE name = 'alpha'",
        now.time_since_epoch().count(), free));
  }
  double cycle() {
    return seconds_of([&] { metascheduler::run_once(config, database, term, now); });
  }
  [[nodiscard]] int planned() { return std::stoi(value("SELECT count(*) FROM jobs")); }
  void start_all() { execute("UPDATE jobs SET state = 'running', started_at = instant(0), resources = 1 WHERE state = 'planned'"); }

  process::Config config = process::build_config({}, {}).value();
};

/// The floor: one statement that writes as many rows into a table of the same columns and indexes.
TEST_F(Assignments, Document002_OfFifteenHundredJobs_TakeHardlyMoreThanToWriteThem) {
  constexpr double kMost = 40;
  double seconds = 0;
  int cycles = 0;
  for (; planned() < kJohn + kAlice && cycles < 20; ++cycles) {
    offer(2000 - planned());
    seconds += cycle();
    start_all();
  }
  ASSERT_EQ(planned(), kJohn + kAlice);
  execute("CREATE TABLE copied (LIKE jobs INCLUDING INDEXES)");
  const double floor = least_seconds(5, [&] { execute("TRUNCATE copied; INSERT INTO copied SELECT * FROM jobs"); });
  report("500 jobs of John's and 1000 of Alice's placed, through the database",
         fmt::format("{:.0f} ms in {} cycles; to write 1500 rows {:.1f} ms, ratio {:.1f}", seconds * 1e3, cycles, floor * 1e3,
                     seconds / floor));
  EXPECT_LE(seconds, kMost * floor);
}

/// The floor: one statement that writes the jobs of all cycles, as above. A round trip is none: on some machines it takes a third of what
/// it does on others, and a cycle the same.
TEST_F(Assignments, Document002_OneInEachCycle_ComeHundredsOfTimesASecond) {
  constexpr int kCycles = 300;
  constexpr double kMost = 5;
  double seconds = 0, least = 1e9;
  for (int i = 0; i < kCycles; ++i) {
    offer(1);
    const double one = cycle();
    seconds += one;
    least = std::min(least, one);
    ASSERT_EQ(planned(), i + 1);
    start_all();
  }
  execute("CREATE TABLE copied (LIKE jobs INCLUDING INDEXES)");
  const double floor = least_seconds(20, [&] { execute("TRUNCATE copied; INSERT INTO copied SELECT * FROM jobs"); });
  report("one job placed in each cycle, through the database",
         fmt::format("{:.0f} cycles a second; the quickest {:.2f} ms; to write {} rows at once {:.2f} ms, ratio {:.1f}", kCycles / seconds,
                     least * 1e3, kCycles, floor * 1e3, least / floor));
  EXPECT_LE(least, kMost * floor);
}

}  // namespace
}  // namespace gleaner::tests
