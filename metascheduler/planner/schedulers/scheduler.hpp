#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "metascheduler/planner/candidate.hpp"

namespace gleaner::planner {

/// Whether a campaign scheduler gives jobs only if the offer has room for them.
enum class Room { needed, not_needed };

/// How many jobs a campaign may get on a cluster, and why not more; or why it gets none.
using Sizing = tl::expected<Cap, Reason>;

/// A campaign scheduler: how many jobs a campaign gets on a cluster (document 003, "Scheduler"). A new one is a class in a file of this
/// folder and a line in table.cpp.
class CampaignScheduler {
 public:
  virtual ~CampaignScheduler() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  [[nodiscard]] virtual Room room() const { return Room::needed; }
  /// Whether the cluster gets only a probe for now.
  [[nodiscard]] virtual bool probes(const CampaignView&, const PairView&) const { return false; }
  /// Whether the configuration may choose it for campaigns whose JDL names none. A task may run twice only if its user says so.
  [[nodiscard]] virtual bool may_be_default() const { return true; }
  /// @param tasks  that wait and that this cluster may get, at least 1
  [[nodiscard]] virtual Sizing size(const Candidate& candidate, std::int64_t tasks) const = 0;
};

/// The scheduler of a campaign: `test` for test campaigns, else the one that it names. Throws std::invalid_argument if there is none.
[[nodiscard]] const CampaignScheduler& scheduler_of(const CampaignView& campaign);

/// The names of the schedulers that a campaign may choose.
[[nodiscard]] std::vector<std::string_view> scheduler_names();
/// Those of them that the configuration may choose.
[[nodiscard]] std::vector<std::string_view> default_scheduler_names();

}  // namespace gleaner::planner
