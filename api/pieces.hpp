#pragma once
#include <chrono>
#include <cstdint>
#include <optional>

#include "api/call.hpp"
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

/// Repeats `work(transaction, first)`, each in a transaction of its own, until nothing is left or the time is over.
template <class Work>
Progress in_pieces(const Call& call, Work&& work) {
  const auto end = grid::SteadyClock::now() + kTimeOfPieces;
  Progress progress{.next = grid::TaskNumber{0}};
  do {
    const Piece piece = call.connections.write([&](store::Transaction& transaction) -> Piece { return work(transaction, *progress.next); });
    progress.tasks += piece.tasks;
    progress.next = piece.next;
  } while (progress.next && grid::SteadyClock::now() < end);
  return progress;
}

/// Returns failed tasks of a campaign to the bag; if there is a cluster, only those whose last job was there. The caller may change the
/// campaign.
[[nodiscard]] Progress retry_failed_tasks(const Call& call, grid::CampaignId campaign, std::optional<grid::ClusterId> cluster = {});
/// Cancels tasks that were given back to a campaign's bag until only as many as a piece are left, which go with the campaign. The caller
/// may change the campaign.
[[nodiscard]] Progress cancel_returned_tasks(const Call& call, grid::CampaignId campaign);

/// The end of a message about tasks of which some are left.
inline constexpr std::string_view kRestIsLeft = "; more are left: repeat the request";

}  // namespace gleaner::api
