#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "lib/grid/id.hpp"
#include "lib/grid/time.hpp"
#include "lib/store/database.hpp"
#include "lib/text/ranges.hpp"

/// Actions of a user on some tasks of a campaign. Cost: O(tasks of the ranges); a caller cuts them into pieces of kTasksOfPiece, each in a
/// transaction of its own, so that no piece holds the campaign's lock for long.
namespace gleaner::store {

inline constexpr std::int64_t kTasksOfPiece = 2'000;

struct CancelledTasks {
  std::int64_t waiting = 0;    ///< they left the bag, and are cancelled
  std::int64_t in_flight = 0;  ///< they have live jobs: nikita kills these, and the tasks are cancelled at their ends
};
/// Cancels the tasks of the ranges that are not over. Those of a job that does its task before it is killed are done. Empty, with no
/// change: the campaign is over.
[[nodiscard]] std::optional<CancelledTasks> cancel_tasks(Transaction& transaction, grid::CampaignId campaign,
                                                         std::span<const text::Range> ranges);

struct HeldTasks {
  std::int64_t held = 0;       ///< they left the bag, and keep their places in it
  std::int64_t in_flight = 0;  ///< they have live jobs, and stay as they are
  std::int64_t over = 0;
  std::int64_t before = 0;  ///< they were held before
};
/// Holds the waiting tasks of the ranges until somebody releases them. Empty, with no change: the campaign is over.
[[nodiscard]] std::optional<HeldTasks> hold_tasks(Transaction& transaction, grid::CampaignId campaign, std::span<const text::Range> ranges,
                                                  const std::string& user, grid::Instant now);
/// Releases the held tasks of the ranges: each is where it was in the bag, or waits for the tasks that it comes after. Returns their
/// number; empty, with no change: the campaign is over.
[[nodiscard]] std::optional<std::int64_t> release_held_tasks(Transaction& transaction, grid::CampaignId campaign,
                                                             std::span<const text::Range> ranges, grid::Instant now);

/// The number of a campaign's held tasks.
[[nodiscard]] std::int64_t held_tasks(Transaction& transaction, grid::CampaignId campaign);

/// Pauses campaigns of which more tasks failed, since they were last resumed, than max_fails allows, and opens the event MAX_FAILS of each.
/// Returns their number.
std::int64_t pause_failing_campaigns(Transaction& transaction, grid::Instant now);

}  // namespace gleaner::store
