#include "api/stream_request.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "api/event_streams.hpp"
#include "lib/store/views.hpp"
#include "lib/text/numbers.hpp"

namespace gleaner::api {
namespace {

constexpr std::string_view kStreamType{"text/event-stream"};
constexpr std::string_view kNow{"now"};
constexpr std::size_t kMostCampaigns = 1000;

/// Where the client is. A browser repeats the address of its first request, and names its place in the header.
std::string_view asked_place(const Call& call) {
  if (const auto last = call.request.headers.find("Last-Event-ID"); last && !last->empty()) return *last;
  return call.request.parameter("after").value_or(kNow);
}

Asked<ChangeFilter> asked_changes(const Call& call, const Readership& readership) {
  const auto wrong = [](std::string_view text) {
    return tl::unexpected{error(Code::bad_value, fmt::format("campaign={}: ids with commas between them are needed", jdl::excerpt(text)))};
  };
  ChangeFilter filter{.campaigns = {}, .user = {}, .readership = readership};
  for (const auto& text : list(call, "campaign")) {
    const auto id = text::whole_number(text, std::int64_t{1});
    if (!id) return wrong(text);
    filter.campaigns.push_back(*id);
  }
  // Whoever names none in a list of ids does not want all.
  if (call.request.parameter("campaign") && filter.campaigns.empty()) return wrong("");
  std::ranges::sort(filter.campaigns);
  const auto repeated = std::ranges::unique(filter.campaigns);
  filter.campaigns.erase(repeated.begin(), repeated.end());
  if (filter.campaigns.size() > kMostCampaigns)
    return tl::unexpected{
        error(Code::bad_value, fmt::format("campaign: at most {} ids; without any, the stream has all campaigns", kMostCampaigns))};
  if (flag(call, "mine")) filter.user = call.caller.user;
  return filter;
}

/// One that the caller may not read is as unknown as one that does not exist.
std::optional<http::Response> unknown_campaign(store::Transaction& transaction, const ChangeFilter& asked) {
  const auto& ids = asked.campaigns;
  if (ids.empty()) return std::nullopt;
  store::views::CampaignFilter filter;
  filter.ids = ids;
  filter.readers = asked.readership.restriction();
  const auto found = store::views::campaigns(transaction, filter, {.limit = std::ssize(ids)}).items;
  for (const auto id : ids) {
    const auto is_it = [&](const store::views::Campaign& campaign) { return campaign.id.value() == id; };
    if (std::ranges::none_of(found, is_it)) return error(Code::no_such_campaign, fmt::format("there is no campaign '{}'", id));
  }
  return std::nullopt;
}

/// The place after which the stream begins.
Asked<store::FeedPlace> place_in(store::Transaction& transaction, std::optional<store::FeedPlace> asked) {
  const auto state = store::feed_state(transaction);
  if (!asked) return state.end;
  if (asked->transaction >= state.kept && *asked <= state.end) return *asked;
  return tl::unexpected{error(Code::no_longer_kept, no_longer_kept(*asked))};
}

http::Response no_place(const Call& call) {
  auto response =
      error(Code::busy, fmt::format("no stream is free: {} may be open at once, and {} of one user (api_streams, api_streams_of_user)",
                                    call.config.api_streams, call.config.api_streams_of_user));
  response.headers.add("Retry-After", "30");
  return response;
}

}  // namespace

bool asks_for_stream(const Call& call) {
  if (call.request.parameter("after") || call.request.headers.find("Last-Event-ID")) return true;
  const auto accepted = call.request.headers.find("Accept");
  return accepted && accepted->find(kStreamType) != std::string_view::npos;
}

http::Response open_stream(const Call& call) {
  for (const std::string_view key : {"all", "limit", "offset"}) {
    if (call.request.parameter(key))
      return error(Code::bad_value, fmt::format("{} is of the list of events: a stream takes after, campaign and mine", key));
  }
  const auto where = asked_place(call);
  const auto asked = place_of(where);
  if (!asked && where != kNow)
    return error(Code::bad_value,
                 fmt::format("after={}: 'now' is needed, or the id of a message of this stream, such as 8123-17", jdl::excerpt(where)));
  const auto readership = call.connections.read([&](store::Transaction& transaction) { return readership_of(call, transaction); });
  const auto filter = asked_changes(call, readership);
  if (!filter) return filter.error();
  auto place = call.event_streams.places().take(call.caller.user);
  if (!place) return no_place(call);
  const auto after = call.connections.read([&](store::Transaction& transaction) -> Asked<store::FeedPlace> {
    if (auto unknown = unknown_campaign(transaction, *filter)) return tl::unexpected{std::move(*unknown)};
    return place_in(transaction, asked);
  });
  if (!after) return after.error();
  http::Response response;
  response.headers.add("Content-Type", std::string{kStreamType});
  response.headers.add("Cache-Control", "no-store, no-transform");  // a proxy that compresses would keep messages back, too
  response.headers.add("X-Accel-Buffering", "no");                  // nginx would keep messages back
  response.pass_on = [&streams = call.event_streams, opening = EventStreams::Opening{std::move(place), *filter, *after}](
                         std::unique_ptr<http::Outlet> outlet) { streams.open(std::move(outlet), opening); };
  return response;
}

}  // namespace gleaner::api
