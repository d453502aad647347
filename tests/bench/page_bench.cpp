#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <cstdlib>
#include <string>

#include "lib/process/child.hpp"
#include "tests/bench/measure.hpp"
#include "tests/source_tree.hpp"

// The page of a gridapi with a campaign of a million tasks, in a browser.
namespace gleaner::tests {
namespace {

constexpr std::int64_t kMillion = 1'000'000;

TEST(PageOfAMillionTasks, FromTheLinkToTheStrip_AndToItsTwelfthFailure) {
  GridUnderTest grid{default_configuration(GridUnderTest::Backend::minioar)};
  const auto id = grid.submit({.tasks = kMillion, .exec_file = "true"}).value();
  // As if the grid had done 600 000 of them, and 12 had failed.
  grid.execute(fmt::format(
      "UPDATE tasks SET state = CASE WHEN number % 50000 = 7 THEN 'failed' ELSE 'done' END::task_state"
      "  WHERE campaign_id = {0} AND number < 600000;"
      "UPDATE campaigns SET next_task = 600000 WHERE id = {0};"
      "INSERT INTO launches (campaign_id, cluster_id, state, jobs, resources, term, planned_at, settled_at, tag)"
      "  VALUES ({0}, 1, 'accepted', 12, 12, 1, now(), now(), 'failed');"
      "INSERT INTO jobs (launch_id, campaign_id, cluster_id, task, attempt, state, remote_id, resources, submitted_at, started_at, "
      "ended_at, exit_status, ending)"
      "  SELECT 1, {0}, 1, i * 50000 + 7, 0, 'terminated', 100 + i, 1, now(), now(), now(), 768, 'task_error' FROM generate_series(0, 11) i",
      id));
  psql(grid, "VACUUM ANALYZE");
  grid.start_api();
  const auto link = grid.run("gridstat", {"--web", "-q"}).output;
  const auto code = link.substr(link.find('=') + 1, 64);
  const auto strip = median_seconds(5, [&] { EXPECT_TRUE(grid.run("gridstat", {std::to_string(id), "--strip"}).end.succeeded()); });
  const auto page = source_tree() / "web";
  if (!std::filesystem::exists(page / "node_modules")) GTEST_SKIP() << "the packages of the page are not there";
  process::Command command{.arguments = {"node", "tests/million.mjs", (grid.folder() / "api.socket").string(), code, std::to_string(id)}};
  command.directory = page;
  const auto ran = process::capture(std::move(command), std::chrono::minutes{5});
  ASSERT_TRUE(ran && ran->end.succeeded()) << (ran ? ran->output : ran.error());
  rapidjson::Document found;
  found.Parse(ran->output.c_str());
  ASSERT_TRUE(found.IsObject()) << ran->output;
  if (found.HasMember("skipped")) GTEST_SKIP() << found["skipped"].GetString();
  report("the page of a campaign of 1 000 000 tasks",
         fmt::format("strip {} ms from the link ('gridstat --strip': {:.0f} ms), its 12 failed tasks {} ms from there, the attempts of the "
                     "twelfth {} ms; heap {} MB, {} elements",
                     found["strip"].GetInt(), strip * 1e3, found["failed"].GetInt(), found["twelfth"].GetInt(), found["heap"].GetDouble(),
                     found["elements"].GetInt()));
  EXPECT_LE(found["heap"].GetDouble(), 25);
  EXPECT_LE(found["elements"].GetInt(), 2500);
  EXPECT_GT(found["elements"].GetInt(), 500) << "the strip and a page of tasks are there";
}

}  // namespace
}  // namespace gleaner::tests
