#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "lib/grid/id.hpp"
#include "lib/grid/time.hpp"
#include "lib/store/database.hpp"

/// What went wrong, and what is decided because of it.
namespace gleaner::store {

/// What an event or a brake is about: a campaign, a cluster, or one on the other.
struct Target {
  std::optional<grid::CampaignId> campaign;
  std::optional<grid::ClusterId> cluster;
};

struct Event {
  std::string_view code;  ///< CLUSTER_UNREACHABLE, TASK_ERROR…
  Target target;
  std::optional<grid::JobId> job;
  std::string message;
  std::int64_t occurrences = 1;
};
/// Opens the event, or counts it into the one that is open for the same code and target.
void open_event(Transaction& transaction, const Event& event, grid::Instant now);
/// True when one was open.
bool close_event(Transaction& transaction, std::string_view code, const Target& target, grid::Instant now);

struct BrakeLength {
  grid::Seconds first;
  grid::Seconds most;
};
/// Sends nothing to the target for a while, twice as long as the last time; nothing when a brake
/// is on already. The end of the brake.
std::optional<grid::Instant> set_brake(Transaction& transaction, const Target& target, std::string_view reason, BrakeLength length,
                                       grid::Instant now);
void clear_brake(Transaction& transaction, const Target& target);

}  // namespace gleaner::store
