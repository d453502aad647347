#include "api/pieces.hpp"

#include <utility>

#include "api/audit.hpp"
#include "lib/store/chosen_tasks.hpp"

namespace gleaner::api {

Asked<ChangeableCampaign> changeable_campaign(const Call& call) {
  const auto number = id_of(call.parts[0]);
  if (!number) return tl::unexpected{no_campaign(call)};
  const grid::CampaignId id{*number};
  auto owner = call.connections.read([&](store::Transaction& transaction) { return store::campaign_owner(transaction, id); });
  if (!owner) return tl::unexpected{no_campaign(call)};
  if (!may_change(call, owner->user)) return tl::unexpected{not_yours(call, campaign_text(id), owner->user)};
  return ChangeableCampaign{id, std::move(*owner)};
}

std::string_view at_least(const Call& call, const Progress& progress) { return is_dry_run(call) && progress.next ? "at least " : ""; }

Progress retry_failed_tasks(const Call& call, const FailedTasks& failed, const std::function<bool(store::Transaction&)>& allows) {
  const auto campaign = failed.campaign;
  return in_pieces(call, [&](store::Transaction& transaction, grid::TaskNumber first) -> Piece {
    if (allows && first.value() == 0 && !allows(transaction)) return {};
    const auto tasks = store::retry_failed_tasks(transaction,
                                                 {.campaign = campaign,
                                                  .cluster = failed.cluster,
                                                  .range = {first.value(), text::kOpenEnd},
                                                  .most = store::kTasksOfPiece,
                                                  .group = failed.group},
                                                 call.now);
    if (tasks.empty()) return {};
    note(call, transaction,
         {.name = "failed tasks retried",
          .subject = campaign_text(campaign),
          .campaign = campaign,
          .after = count_json("changed", std::ssize(tasks))});
    Piece piece{.tasks = std::ssize(tasks)};
    if (piece.tasks == store::kTasksOfPiece) piece.next = grid::TaskNumber{tasks.back().value() + 1};
    return piece;
  });
}

Progress cancel_returned_tasks(const Call& call, grid::CampaignId campaign) {
  return in_pieces(call, [&](store::Transaction& transaction, grid::TaskNumber first) -> Piece {
    const auto tasks = store::cancel_returned_tasks(transaction, campaign, store::kTasksOfPiece);
    if (tasks == 0) return {};
    note(call, transaction,
         {.name = "tasks cancelled", .subject = campaign_text(campaign), .campaign = campaign, .after = count_json("changed", tasks)});
    return {.tasks = tasks, .next = first};
  });
}

}  // namespace gleaner::api
