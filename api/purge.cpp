#include "api/purge.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/audit.hpp"
#include "lib/grid/clock.hpp"
#include "lib/process/log.hpp"
#include "lib/store/campaigns.hpp"
#include "lib/store/dependencies.hpp"
#include "lib/store/prune.hpp"
#include "lib/text/json_writer.hpp"

namespace gleaner::api {
namespace {

using Clock = grid::SteadyClock;

/// Rows left after that are deleted by the link `next`.
constexpr std::chrono::seconds kTimeOfPurge{5};

/// Campaigns of others, which keep nobody from deleting what is over.
std::string left_waiting(std::span<const store::InVain> waiting) {
  std::vector<std::int64_t> ids;
  for (const auto& one : waiting) {
    if (!one.is_own) ids.push_back(one.campaign.value());
  }
  if (ids.empty()) return {};
  return fmt::format("; {} {} of other users wait{} for it, and cannot end any more: each has an event AWAITS_IN_VAIN",
                     ids.size() == 1 ? "campaign" : "campaigns", fmt::join(ids, ", "), ids.size() == 1 ? "s" : "");
}

/// Seals the campaign; the answer instead when it cannot be deleted, or not yet.
std::optional<http::Response> seal(const Call& call, grid::CampaignId id) {
  return call.connections.write([&](store::Transaction& transaction) -> std::optional<http::Response> {
    const auto owner = store::campaign_owner(transaction, id);
    if (!owner) return no_campaign(call);
    if (!may_change(call, owner->user)) return not_yours(call, campaign_text(id), owner->user);
    const auto sealed = store::seal_campaign(transaction, id);
    if (!sealed) return error(Code::wrong_state, fmt::format("{} cannot be purged: {}", campaign_text(id), sealed.error()));
    if (sealed->empty()) return std::nullopt;
    const auto waiting = left_waiting(store::waiting_in_vain(transaction, id));
    note(call, transaction, {.name = "campaign purged", .subject = campaign_text(id), .campaign = id});
    process::log::info("campaign purged", {{"campaign", id}, {"by", call.caller.user}, {"left", *sealed}});
    return accepted(fmt::format("Campaign {} purged; {}{}", id.value(), *sealed, waiting), 1);
  });
}

/// Some of the campaign is left.
http::Response to_be_continued(const Call& call, grid::CampaignId id) {
  text::JsonWriter json;
  json.object([&] {
    json.field("status", std::int64_t{202});
    json.field("title", "Accepted");
    json.field("message", fmt::format("Campaign {}: a part is deleted, and the link 'next' continues", id.value()));
    write_links(json, {{"parent", "/v1/campaigns"}, {"next", call.request.path + "?purge=1"}});
  });
  return answer(202, json.text());
}

}  // namespace

http::Response purge_campaign(const Call& call) {
  const auto number = id_of(call.parts[0]);
  if (!number) return no_campaign(call);
  const grid::CampaignId id{*number};
  if (auto refusal = seal(call, id)) return std::move(*refusal);
  const auto end = Clock::now() + kTimeOfPurge;
  bool is_gone = false;
  std::string waiting;
  while (!is_gone && Clock::now() < end)
    is_gone = call.connections.write([&](store::Transaction& transaction) {
      waiting = left_waiting(store::waiting_in_vain(transaction, id));
      const bool gone = store::delete_some(transaction, id);
      if (gone) note(call, transaction, {.name = "campaign purged", .subject = campaign_text(id), .campaign = id});
      return gone;
    });
  if (!is_gone) return to_be_continued(call, id);
  process::log::info("campaign purged", {{"campaign", id}, {"by", call.caller.user}});
  return accepted(fmt::format("Campaign {} purged{}", id.value(), waiting), 1);
}

}  // namespace gleaner::api
