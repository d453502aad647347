#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/grid/id.hpp"
#include "lib/grid/time.hpp"
#include "lib/store/database.hpp"

/// Events, and the brakes that follow them.
namespace gleaner::store {

/// The target of an event or a brake: a campaign, a cluster, or a campaign on a cluster.
struct Target {
  std::optional<grid::CampaignId> campaign;
  std::optional<grid::ClusterId> cluster;
};

/// The event of a campaign and a cluster whose OAR refused a job of several tasks. While it is open, each task has a job of its own there.
inline constexpr std::string_view kPoolRefused = "POOL_REFUSED";

/// The event of a brake that was set by hand.
inline constexpr std::string_view kBlacklisted = "BLACKLISTED";

struct Event {
  std::string_view code;  ///< CLUSTER_UNREACHABLE, TASK_ERROR…
  Target target;
  std::optional<grid::JobId> job;
  std::string message;
  std::int64_t occurrences = 1;
  std::string output = {};  ///< the last lines of stderr of the user's program: not everybody may read it
  std::string user = {};    ///< whom it is about, and who alone sees it; empty: it is about a campaign, or the grid
};
/// Opens the event, or counts a repetition into the open one with the same code and target. The output of a user's program belongs into
/// `output`, not into the message. Both pass text::clean_text. If the database refuses the event (its campaign was pruned meanwhile), an
/// event EVENT_REFUSED on the whole grid names it instead.
/// @return its id; empty: it was refused
std::optional<std::int64_t> open_event(Transaction& transaction, const Event& event, grid::Instant now);
/// True when an event was open.
bool close_event(Transaction& transaction, std::string_view code, const Target& target, grid::Instant now);
/// The clusters with an open event of this code that is about no campaign.
[[nodiscard]] std::vector<grid::ClusterId> clusters_with_open_event(Transaction& transaction, std::string_view code);

/// Opens WRITE_REFUSED on the target, for data that the database refused and that was left out. `what` names the data.
void note_refused(Transaction& transaction, const Target& target, std::string_view what, std::string_view why, grid::Instant now);

struct BrakeLength {
  grid::Seconds first;
  grid::Seconds most;
};
/// Sets a brake on the target. Its length is `first` at first, doubles each time, and is `most` at most; each period of `most` without a
/// brake halves the next length. Returns the end of the brake; empty: a brake is in force already.
std::optional<grid::Instant> set_brake(Transaction& transaction, const Target& target, std::string_view reason, BrakeLength length,
                                       grid::Instant now);
void clear_brake(Transaction& transaction, const Target& target);
/// Lifts the brake of a campaign on a cluster because its jobs succeed there again. One that somebody set by hand stays.
void release_brake(Transaction& transaction, const Target& pair);

/// A brake that a person sets.
struct Blacklisting {
  Target target;  ///< a cluster, or a campaign on a cluster
  std::string_view reason;
  std::string user;  ///< who sets it
  grid::Instant expires_at;
};
/// Sets the brake, in place of any other one of the target, and opens the event BLACKLISTED. Returns the event's id; empty: the database
/// refused the event.
std::optional<std::int64_t> blacklist(Transaction& transaction, const Blacklisting& blacklisting, grid::Instant now);
/// Closes the events BLACKLISTED whose brake has expired or was lifted. Returns their number.
std::int64_t close_expired_blacklistings(Transaction& transaction, grid::Instant now);

}  // namespace gleaner::store
