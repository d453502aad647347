// The route that opens events by hand: a cluster that gets nothing for a while, and a job that its user should look into.
#include <algorithm>
#include <array>
#include <chrono>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "api/audit.hpp"
#include "api/router.hpp"
#include "lib/process/log.hpp"
#include "lib/store/campaigns.hpp"
#include "lib/store/clusters.hpp"
#include "lib/store/events.hpp"
#include "lib/store/views_tasks.hpp"
#include "lib/text/clean.hpp"

namespace gleaner::api {
namespace {

namespace views = store::views;

constexpr std::chrono::hours kUsualTime{24 * 30};
constexpr std::chrono::hours kLongestTime{24 * 3653};
constexpr std::size_t kMostReason = 1000;

Asked<std::string> reason_of(const Call& call) {
  const auto reason = text::clean_text(call.request.parameter("reason").value_or(""));
  if (reason.empty()) return tl::unexpected{error(Code::bad_value, "the reason is missing: '?reason=TEXT', for those who find the event")};
  if (reason.size() > kMostReason)
    return tl::unexpected{error(Code::bad_value, fmt::format("reason: it has at most {} bytes", kMostReason))};
  return reason;
}

Asked<grid::Instant> expiry_of(const Call& call) {
  const auto asked = instant(call, "expires");
  if (!asked) return tl::unexpected{asked.error()};
  if (*asked && (**asked <= call.now || **asked > call.now + kLongestTime))
    return tl::unexpected{error(Code::bad_value, "expires: write a time within the next 10 years, such as 2026-11-20T18:14:56Z")};
  return asked->value_or(call.now + kUsualTime);
}

/// A cluster by its name, or by its id.
std::optional<store::Cluster> cluster_of(store::Transaction& transaction, const std::string& asked) {
  if (auto named = store::find_cluster(transaction, asked)) return named;
  const auto id = id_of(asked);
  auto all = store::clusters(transaction);
  const auto found = std::ranges::find_if(all, [&](const store::Cluster& cluster) { return id && cluster.id.value() == *id; });
  return found == all.end() ? std::nullopt : std::optional{std::move(*found)};
}

http::Response created(std::optional<std::int64_t> event, std::string_view message) {
  text::JsonWriter json;
  json.object([&] {
    json.field("status", std::int64_t{201});
    json.field("title", "Created");
    json.field("message", message);
    json.field("id", event);
  });
  return answer(201, json.text());
}

/// Why the caller may not keep the campaign from the cluster; empty: nothing is in the way.
std::optional<http::Response> refusal(const Call& call, store::Transaction& transaction, grid::CampaignId campaign,
                                      const store::Cluster& cluster) {
  const auto owner = store::campaign_owner(transaction, campaign);
  if (!owner) return error(Code::no_such_campaign, fmt::format("there is no {}", campaign_text(campaign)));
  if (!may_change(call, owner->user)) return not_yours(call, campaign_text(campaign), owner->user);
  if (owner->state != grid::CampaignState::in_treatment && owner->state != grid::CampaignState::paused)
    return error(Code::wrong_state,
                 fmt::format("{} is {}: nothing of it is sent any more", campaign_text(campaign), grid::name_of(owner->state)));
  const auto pairs = views::campaign_clusters(transaction, campaign, call.now);
  if (std::ranges::find(pairs, cluster.name, &views::CampaignCluster::name) == pairs.end())
    return error(Code::wrong_state, fmt::format("{} does not use the cluster {}", campaign_text(campaign), cluster.name));
  return std::nullopt;
}

http::Response blacklist(const Call& call, const std::string& asked) {
  const auto reason = reason_of(call);
  if (!reason) return reason.error();
  const auto expires = expiry_of(call);
  if (!expires) return expires.error();
  const auto named = call.request.parameter("campaign");
  const auto campaign = named ? id_of(std::string{*named}) : std::nullopt;
  if (named && !campaign) return error(Code::no_such_campaign, fmt::format("there is no campaign '{}'", jdl::excerpt(*named)));
  if (!named && call.caller.role != Role::administrator)
    return error(Code::administrators_only, "only administrators may keep all campaigns from a cluster: name one of yours, '&campaign=ID'");
  return call.connections.write([&](store::Transaction& transaction) -> http::Response {
    const auto cluster = cluster_of(transaction, asked);
    if (!cluster) return error(Code::no_such_cluster, fmt::format("there is no cluster '{}'", jdl::excerpt(asked)));
    store::Target target{.campaign = {}, .cluster = cluster->id};
    if (campaign) {
      target.campaign = grid::CampaignId{*campaign};
      if (auto no = refusal(call, transaction, *target.campaign, *cluster)) return std::move(*no);
    }
    const auto event =
        store::blacklist(transaction, {.target = target, .reason = *reason, .user = call.caller.user, .expires_at = *expires}, call.now);
    text::JsonWriter after;
    after.object([&] {
      after.field("reason", *reason);
      after.field("until", *expires);
    });
    note(call, transaction,
         {.name = "cluster blacklisted",
          .subject = fmt::format("cluster {}", cluster->name),
          .campaign = target.campaign,
          .after = after.text()});
    process::log::info("cluster blacklisted",
                       {{"cluster", cluster->name}, {"campaign", campaign.value_or(0)}, {"by", call.caller.user}, {"reason", *reason}});
    return created(event, fmt::format("{} gets nothing{} until {:%Y-%m-%d %H:%M:%S} UTC, or until event {} is closed", cluster->name,
                                      campaign ? fmt::format(" of campaign {}", *campaign) : std::string{},
                                      std::chrono::floor<std::chrono::seconds>(*expires), event.value_or(0)));
  });
}

http::Response mark_job(const Call& call, const std::string& asked) {
  const auto reason = reason_of(call);
  if (!reason) return reason.error();
  if (call.caller.role != Role::administrator) return error(Code::administrators_only, "only administrators may open an event about a job");
  const auto id = id_of(asked);
  return call.connections.write([&](store::Transaction& transaction) -> http::Response {
    const auto job = id ? views::job(transaction, grid::JobId{*id}) : std::nullopt;
    if (!job) return error(Code::no_such_job, fmt::format("there is no job '{}'", jdl::excerpt(asked)));
    const auto event = store::open_event(transaction,
                                         {.code = "MANUAL_EVENT",
                                          .target = {.campaign = job->campaign, .cluster = job->cluster},
                                          .job = job->id,
                                          .message = fmt::format("{} (by {})", *reason, call.caller.user)},
                                         call.now);
    note(call, transaction,
         {.name = "event opened", .subject = fmt::format("job {}", *id), .campaign = job->campaign, .after = text_json("reason", *reason)});
    process::log::info("event opened", {{"job", *id}, {"by", call.caller.user}});
    return created(event, fmt::format("event {} is open about job {} of campaign {}", event.value_or(0), *id, job->campaign.value()));
  });
}

http::Response open_by_hand(const Call& call) {
  const auto cluster = call.request.parameter("cluster");
  const auto job = call.request.parameter("job");
  if (cluster.has_value() == job.has_value())
    return error(Code::bad_value, "an event is about a cluster or a job: add '?cluster=NAME' or '?job=ID'");
  if (cluster) return blacklist(call, std::string{*cluster});
  if (call.request.parameter("campaign") || call.request.parameter("expires"))
    return error(Code::bad_value, "campaign and expires are of a cluster's event: a job has its campaign");
  return mark_job(call, std::string{*job});
}

}  // namespace

std::span<const Route> manual_event_routes() {
  static constexpr std::array kRoutes{
      Route{"POST", "/v1/events", Access::identified, open_by_hand, "cluster campaign job reason expires"},
  };
  return kRoutes;
}

}  // namespace gleaner::api
