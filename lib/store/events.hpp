#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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
/// Opens the event, or counts it into the one that is open for the same code and target. The message may hold whatever a user's
/// program printed: see text::clean_text. An event that the database refuses (its campaign was pruned meanwhile) becomes one on the
/// whole grid, EVENT_REFUSED, that says which.
/// @return its id; nothing when it was refused
std::optional<std::int64_t> open_event(Transaction& transaction, const Event& event, grid::Instant now);
/// True when one was open.
bool close_event(Transaction& transaction, std::string_view code, const Target& target, grid::Instant now);
/// The clusters that have an open event of this code, on no campaign alone.
[[nodiscard]] std::vector<grid::ClusterId> clusters_with_open_event(Transaction& transaction, std::string_view code);

/// Something that the database refused to take, which was left out: WRITE_REFUSED on its target. `what` names it.
void note_refused(Transaction& transaction, const Target& target, std::string_view what, std::string_view why, grid::Instant now);

struct BrakeLength {
  grid::Seconds first;
  grid::Seconds most;
};
/// Sends nothing to the target for a while: `first` at the first time, each further time twice as long, `most` at most. Each `most`
/// without a brake halves the next one again. The end of the brake; nothing when a brake is on already.
std::optional<grid::Instant> set_brake(Transaction& transaction, const Target& target, std::string_view reason, BrakeLength length,
                                       grid::Instant now);
void clear_brake(Transaction& transaction, const Target& target);

}  // namespace gleaner::store
