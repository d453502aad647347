#include "metascheduler/planner/decision.hpp"

#include <stdexcept>
#include <utility>

namespace gleaner::planner {
namespace {

constexpr std::array<std::string_view, 7> kStages{"feasible", "prioritize", "throttle", "match", "allocate", "size", "emit"};

constexpr std::array<std::pair<Reason, std::string_view>, kReasons> kReasonNames{{
    {Reason::launched, "launched"},
    {Reason::paused, "paused"},
    {Reason::campaign_braked, "campaign_braked"},
    {Reason::bag_empty, "bag_empty"},
    {Reason::frozen, "frozen"},
    {Reason::no_cluster, "no_cluster"},
    {Reason::cluster_disabled, "cluster_disabled"},
    {Reason::cluster_retired, "cluster_retired"},
    {Reason::unreachable, "unreachable"},
    {Reason::stale_status, "stale_status"},
    {Reason::cluster_braked, "cluster_braked"},
    {Reason::pair_braked, "pair_braked"},
    {Reason::not_mapped, "not_mapped"},
    {Reason::too_big, "too_big"},
    {Reason::no_task_fits, "no_task_fits"},
    {Reason::test_already_given, "test_already_given"},
    {Reason::max_jobs_reached, "max_jobs_reached"},
    {Reason::limit_reached, "limit_reached"},
    {Reason::under_stress, "under_stress"},
    {Reason::probing, "probing"},
    {Reason::few_match, "few_match"},
    {Reason::width_unknown, "width_unknown"},
    {Reason::no_free_resources, "no_free_resources"},
    {Reason::not_enough_resources, "not_enough_resources"},
    {Reason::reserved, "reserved"},
    {Reason::held_for_reservation, "held_for_reservation"},
    {Reason::preempting, "preempting"},
    {Reason::earlier_campaigns, "earlier_campaigns"},
    {Reason::tasks_elsewhere, "tasks_elsewhere"},
    {Reason::tasks_reserved, "tasks_reserved"},
}};

}  // namespace

std::string_view name_of(Stage stage) { return kStages.at(static_cast<std::size_t>(stage)); }

std::string_view name_of(Reason reason) {
  for (const auto& [known, name] : kReasonNames) {
    if (known == reason) return name;
  }
  throw std::logic_error{"a reason has no name"};
}

}  // namespace gleaner::planner
