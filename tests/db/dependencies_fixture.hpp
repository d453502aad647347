#pragma once
#include <fmt/format.h>

#include <array>
#include <chrono>
#include <stdexcept>
#include <string>
#include <vector>

#include "lib/intake/request_freed.hpp"
#include "lib/store/dependencies.hpp"
#include "tests/db/grid_fixture.hpp"

namespace gleaner::tests {

/// Campaigns that wait for others, on cluster alpha.
class Dependencies : public GridFixture {
 protected:
  /// A campaign that comes after another one.
  grid::CampaignId after(grid::CampaignId first, grid::DependencyKind kind, std::int64_t tasks) {
    const auto id = a_campaign(tasks);
    std::array dependencies{store::NewDependency{.kind = kind, .on = first}};
    store::transact(database, std::nullopt, [&](store::Transaction& transaction) {
      EXPECT_FALSE(store::wrong_dependency(transaction, tasks, dependencies));
      store::add_dependencies(transaction, id, dependencies, now);
    });
    return id;
  }
  /// As the metascheduler does before it plans.
  store::Released release(std::chrono::milliseconds time = std::chrono::minutes{10}) {
    return store::release_freed(database, term, time, now, intake::request_freed,
                                [](const store::ToRelease&, const std::string& why) { throw std::runtime_error{why}; });
  }
  int plan(grid::CampaignId campaign, int jobs) {
    release();
    int got = 0;
    transact([&](store::Transaction& t) {
      got = store::plan_launch(t, {.campaign = campaign, .cluster = alpha, .jobs = jobs, .resources = 1.0 * jobs}, term, now);
    });
    return got;
  }
  grid::CampaignFacts facts_of(grid::CampaignId campaign) {
    release();
    auto transaction = database.begin();
    for (const auto& facts : store::planning_facts(transaction, {.flood = 1, .array_size = 100}, now).campaigns) {
      if (facts.id == campaign) return facts;
    }
    return {};
  }
  void finish() {
    transact([&](store::Transaction& t) { static_cast<void>(store::finish_campaigns(t, now)); });
  }
  std::string bag(grid::CampaignId campaign) {
    release();
    return value(fmt::format(
        "SELECT coalesce(string_agg(number::text, ' ' ORDER BY number), '') FROM returned_tasks WHERE campaign_id = {}", campaign.value()));
  }
};

}  // namespace gleaner::tests
