#pragma once
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/db/api_fixture.hpp"

namespace gleaner::tests {

/// Campaigns over the API, and what modules make of them.
class CampaignsFixture : public ApiTest {
 protected:
  [[nodiscard]] static std::string path(std::int64_t id, const std::string& rest = {}) {
    return "/v1/campaigns/" + std::to_string(id) + rest;
  }
  [[nodiscard]] std::string state(std::int64_t id) const { return sql("SELECT state FROM campaigns WHERE id = " + std::to_string(id)); }
  /// waiting, failed, cancelled, next_task
  [[nodiscard]] std::string counters(std::int64_t id) const {
    return sql("SELECT concat_ws(' ', waiting, failed, cancelled, next_task) FROM campaigns WHERE id = " + std::to_string(id));
  }
  /// As if the first tasks of a campaign had been taken and given back, or had failed.
  void take(std::int64_t id, int tasks, const std::string& state) const {
    const auto campaign = std::to_string(id);
    sql("UPDATE tasks SET state = 'launching' WHERE campaign_id = " + campaign + " AND number < " + std::to_string(tasks));
    sql("UPDATE campaigns SET next_task = " + std::to_string(tasks) + " WHERE id = " + campaign);
    sql("UPDATE tasks SET state = '" + state + "' WHERE campaign_id = " + campaign + " AND number < " + std::to_string(tasks));
    if (state == "waiting")
      sql("INSERT INTO returned_tasks (campaign_id, number, returned_at) SELECT " + campaign + ", n, now() FROM generate_series(0, " +
          std::to_string(tasks - 1) + ") n");
  }
  [[nodiscard]] std::vector<std::int64_t> ids(const std::string& target) const {
    std::vector<std::int64_t> all;
    const auto answer = get(target);
    EXPECT_EQ(answer.status, 200) << answer.body;
    for (const auto& item : answer.json["items"].GetArray()) all.push_back(item["id"].GetInt64());
    return all;
  }
};

}  // namespace gleaner::tests
