#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <atomic>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "lib/process/child.hpp"
#include "tests/bench/measure.hpp"
#include "tests/source_tree.hpp"

// The page of a gridapi with a campaign of a million tasks, in a browser.
namespace gleaner::tests {
namespace {

constexpr std::int64_t kMillion = 1'000'000;

/// The JSON that such a script of web/tests prints, given the socket of a grid, the code of a link to its page, and these.
rapidjson::Document told_by_browser(GridUnderTest& grid, const std::string& script, std::vector<std::string> arguments,
                                    process::Duration limit) {
  rapidjson::Document told;
  const auto link = grid.run("gridstat", {"--web", "-q"}).output;
  const auto page = source_tree() / "web";
  if (!std::filesystem::exists(page / "node_modules"))
    return std::move(told.Parse(R"({"skipped": "the packages of the page are not there"})"));
  arguments.insert(arguments.begin(),
                   {"node", "tests/" + script, (grid.folder() / "api.socket").string(), link.substr(link.find('=') + 1, 64)});
  process::Command command{.arguments = std::move(arguments)};
  command.directory = page;
  const auto ran = process::capture(std::move(command), limit);
  EXPECT_TRUE(ran && ran->end.succeeded()) << (ran ? ran->output : ran.error());
  if (ran) told.Parse(ran->output.c_str());
  EXPECT_TRUE(told.IsObject()) << (ran ? ran->output : "");
  return told;
}

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
  const auto strip = median_seconds(5, [&] { EXPECT_TRUE(grid.run("gridstat", {std::to_string(id), "--strip"}).end.succeeded()); });
  const auto found = told_by_browser(grid, "million.mjs", {std::to_string(id)}, std::chrono::minutes{5});
  ASSERT_TRUE(found.IsObject());
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

/// A third of 210 campaigns goes on between two pictures, as in web/tests/memory.test.ts, whose answers are invented.
TEST(PageOfAGrid, ForEightHours_BehindAGridapi_LeavesNothingBehind) {
  if (std::getenv("GLEANER_TEST_LONG") == nullptr) GTEST_SKIP() << "half an hour: with --long";
  constexpr int kCampaigns = 210, kPictures = 5760;  // 8 h with a cycle of 5 s
  GridUnderTest grid{default_configuration(GridUnderTest::Backend::minioar)};
  for (int i = 0; i < kCampaigns; ++i) static_cast<void>(grid.submit({.tasks = 10'000, .exec_file = "true"}));
  grid.start_api();
  std::atomic<bool> is_over{false};
  std::thread changes{[&] {
    for (int n = 0; !is_over; ++n, std::this_thread::sleep_for(std::chrono::milliseconds{100}))
      grid.execute(fmt::format("UPDATE campaigns SET waiting = waiting - 1, done = done + 1 WHERE waiting > 0 AND id % 3 = {}", n % 3));
  }};
  const auto told = told_by_browser(grid, "eight-hours.mjs", {std::to_string(kPictures)}, std::chrono::minutes{55});
  is_over = true;
  changes.join();
  ASSERT_TRUE(told.IsObject());
  if (told.HasMember("skipped")) GTEST_SKIP() << told["skipped"].GetString();
  const auto& curve = told["curve"];
  std::string text;
  for (const auto& point : curve.GetArray())
    text +=
        fmt::format("{}{}: {:.2f} MB, {} elements", text.empty() ? "" : "; ", point[0].GetInt(), point[1].GetDouble(), point[2].GetInt());
  report("the heap of the page after so many pictures of a gridapi", text);
  report("memory of that gridapi at its peak", fmt::format("{:.0f} MB", peak_megabytes(grid.api().pid())));
  const auto least = [&](rapidjson::SizeType from) {
    double megabytes = curve[from][1].GetDouble();
    for (auto i = from; i < from + curve.Size() / 4; ++i) megabytes = std::min(megabytes, curve[i][1].GetDouble());
    return megabytes;
  };
  EXPECT_LT(least(curve.Size() - curve.Size() / 4), 1.1 * least(0)) << text;
  // By then each row has its rate and its end, which the first pictures have not.
  EXPECT_LE(curve[curve.Size() - 1][2].GetInt(), 1.02 * curve[curve.Size() / 4][2].GetInt()) << text;
  EXPECT_EQ(told["complaints"].Size(), 0U) << "of the browser's console";
}

}  // namespace
}  // namespace gleaner::tests
