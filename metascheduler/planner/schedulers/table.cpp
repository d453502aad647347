#include <stdexcept>

#include "metascheduler/planner/policy_table.hpp"
#include "metascheduler/planner/schedulers/prediction.hpp"
#include "metascheduler/planner/schedulers/test.hpp"
#include "metascheduler/planner/schedulers/workqueue.hpp"

namespace gleaner::planner {
namespace {

const TestScheduler kTest;
const Workqueue kWorkqueue;
const Prediction kPrediction;

/// Those that a campaign may name; `test` is its type's.
constexpr PolicyTable<CampaignScheduler, 2> kSchedulers{&kWorkqueue, &kPrediction};

}  // namespace

const CampaignScheduler& scheduler_of(const CampaignView& campaign) {
  if (campaign.type == grid::CampaignType::test) return kTest;
  const auto found = find_policy(kSchedulers, "campaign scheduler", campaign.scheduler);
  if (!found) throw std::invalid_argument{found.error()};
  return **found;
}

std::vector<std::string_view> scheduler_names() { return names_of(kSchedulers); }

}  // namespace gleaner::planner
