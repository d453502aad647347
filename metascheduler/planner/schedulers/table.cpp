#include <array>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "metascheduler/planner/schedulers/test.hpp"
#include "metascheduler/planner/schedulers/workqueue.hpp"

namespace gleaner::planner {
namespace {

const TestScheduler kTest;
const Workqueue kWorkqueue;

}  // namespace

const CampaignScheduler& scheduler_of(grid::CampaignType type) {
  static constexpr std::array<std::pair<grid::CampaignType, const CampaignScheduler*>, 2> kSchedulers{{
      {grid::CampaignType::test, &kTest},
      {grid::CampaignType::default_, &kWorkqueue},
  }};
  for (const auto& [treated, scheduler] : kSchedulers) {
    if (treated == type) return *scheduler;
  }
  throw std::logic_error{fmt::format("no campaign scheduler treats the type '{}'", grid::name_of(type))};
}

}  // namespace gleaner::planner
