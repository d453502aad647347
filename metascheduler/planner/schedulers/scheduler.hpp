#pragma once
#include <cstdint>
#include <string_view>

#include "lib/grid/campaign_type.hpp"
#include "metascheduler/planner/candidate.hpp"

namespace gleaner::planner {

/// Whether a campaign scheduler gives jobs only where the offer has room for them.
enum class Room { needed, not_needed };

/// How many jobs a campaign gets on a cluster: some, and what kept them from being more; or none,
/// for a reason.
struct Sizing {
  int jobs = 0;
  Limit limit = Limit::none;
  Reason reason = Reason::launched;
};

/// A campaign scheduler: one way to treat a campaign (spec/003, "Scheduler"). A new one is a class
/// in a file of this folder and a line in table.cpp.
class CampaignScheduler {
 public:
  virtual ~CampaignScheduler() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  [[nodiscard]] virtual Room room() const = 0;
  /// @param tasks  that wait and that this cluster may get, at least 1
  [[nodiscard]] virtual Sizing size(const Candidate& candidate, std::int64_t tasks) const = 0;
};

/// The scheduler of the campaigns of a type.
[[nodiscard]] const CampaignScheduler& scheduler_of(grid::CampaignType type);

}  // namespace gleaner::planner
