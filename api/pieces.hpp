#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

#include "api/act.hpp"
#include "lib/grid/clock.hpp"
#include "lib/grid/id.hpp"
#include "lib/store/campaigns.hpp"

/// Changes by a user to any number of tasks, in pieces of store::kTasksOfPiece. Each is a transaction of its own, so that the modules,
/// which lock the same campaign, wait for one piece at most.
namespace gleaner::api {

/// One request works for so long. The client repeats it, by the link `next` of the answer, until all is done.
inline constexpr std::chrono::seconds kTimeOfPieces{5};

/// The campaign that the path names, if the caller may change it. Error: the answer, 403 or 404.
struct ChangeableCampaign {
  grid::CampaignId id{0};
  store::CampaignOwner owner;
};
[[nodiscard]] Asked<ChangeableCampaign> changeable_campaign(const Call& call);

/// The changes of the pieces so far.
struct Progress {
  std::int64_t tasks = 0;
  std::optional<grid::TaskNumber> next = {};  ///< more may be left from this one on; empty: none is
};

/// The changes of one piece, as Progress.
using Piece = Progress;

/// `at least ` before the number of a dry run whose time was over: nothing of it is done, so that no other request can continue it.
[[nodiscard]] std::string_view at_least(const Call& call, const Progress& progress);

/// Repeats `work(transaction, first)`, each in a transaction of its own, until nothing is left or the time is over.
template <class Work>
Progress in_pieces(const Call& call, Work&& work) {
  const auto end = grid::SteadyClock::now() + kTimeOfPieces;
  Progress progress{.next = grid::TaskNumber{0}};
  do {
    const Piece piece = act(call, [&](store::Transaction& transaction) -> Piece { return work(transaction, *progress.next); });
    progress.tasks += piece.tasks;
    progress.next = piece.next;
  } while (progress.next && grid::SteadyClock::now() < end);
  return progress;
}

/// The failed tasks of a campaign that are tried again.
struct FailedTasks {
  grid::CampaignId campaign{0};
  std::optional<grid::ClusterId> cluster = {};  ///< only those whose last job was there
  std::optional<std::int64_t> group = {};       ///< only those of this group of failures
};
/// Returns failed tasks to the bag. The caller may change the campaign.
/// @param allows  asked before the first change, in its transaction; false: nothing is changed
[[nodiscard]] Progress retry_failed_tasks(const Call& call, const FailedTasks& failed,
                                          const std::function<bool(store::Transaction&)>& allows = {});
/// Cancels tasks that were given back to a campaign's bag until only as many as a piece are left, which go with the campaign. The caller
/// may change the campaign.
[[nodiscard]] Progress cancel_returned_tasks(const Call& call, grid::CampaignId campaign);

/// The end of a message about tasks of which some are left.
inline constexpr std::string_view kRestIsLeft = "; more are left: repeat the request";

}  // namespace gleaner::api
