// Usage by jobs, and its purpose.
#include <algorithm>
#include <array>
#include <chrono>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/limits.hpp"
#include "api/page.hpp"
#include "api/router.hpp"
#include "lib/store/usage.hpp"
#include "lib/text/suggest.hpp"
#include "lib/text/utc.hpp"

namespace gleaner::api {
namespace {

using store::UsageKey;
using store::UsageSum;

constexpr std::array<std::string_view, 5> kKeyNames{"day", "user", "project", "campaign", "cluster"};
constexpr std::array kUsageKeys{UsageKey::day, UsageKey::user, UsageKey::project, UsageKey::campaign, UsageKey::cluster};

Asked<std::vector<UsageKey>> asked_keys(const Call& call) {
  std::vector<UsageKey> keys;
  for (const auto& name : list(call, "by")) {
    const auto found = std::ranges::find(kKeyNames, name);
    if (found == kKeyNames.end())
      return tl::unexpected{error(Code::bad_value, fmt::format("by={}: usage is by {}{}", jdl::excerpt(name), fmt::join(kKeyNames, ", "),
                                                               text::did_you_mean(name, kKeyNames)))};
    keys.push_back(kUsageKeys.at(static_cast<std::size_t>(found - kKeyNames.begin())));
  }
  if (!call.request.parameter("by")) keys.push_back(UsageKey::user);
  return keys;
}

void write_sum(text::JsonWriter& json, const UsageSum& sum) {
  json.object([&] {
    json.field("day", sum.day);
    json.field("user", sum.user);
    json.field("project", sum.project);
    json.field("campaign_id", sum.campaign);
    json.field("campaign_name", sum.campaign_name);
    json.field("cluster_name", sum.cluster);
    json.field("resource_seconds", sum.resource_seconds);
    json.field("useful_seconds", sum.useful_seconds);
    json.field("failed_seconds", sum.failed_seconds);
    json.field("lost_seconds", sum.lost_seconds);
    json.field("jobs", sum.jobs);
    json.field("failed_jobs", sum.failed_jobs);
    json.field("lost_jobs", sum.lost_jobs);
    json.field("tasks", sum.tasks);
  });
}

/// Users get their own.
Asked<std::optional<std::string>> asked_user(const Call& call) {
  const auto named = call.request.parameter("user");
  if (named && !may_change(call, std::string{*named}))
    return tl::unexpected{
        error(Code::not_yours, fmt::format("the usage of {} is for that user and for administrators", jdl::excerpt(*named)))};
  if (named) return std::optional{std::string{*named}};
  return call.caller.role == Role::administrator ? std::nullopt : std::optional{call.caller.user};
}

http::Response report_usage(const Call& call) {
  const auto from = instant(call, "from");
  if (!from) return from.error();
  const auto to = instant(call, "to");
  if (!to) return to.error();
  const auto keys = asked_keys(call);
  if (!keys) return keys.error();
  const auto user = asked_user(call);
  if (!user) return user.error();
  const auto part = window(call);
  if (!part) return part.error();
  const store::UsageFilter filter{.from = from->value_or(grid::Instant{}),
                                  .to = to->value_or(std::chrono::ceil<std::chrono::seconds>(call.now)),
                                  .user = *user,
                                  .by = *keys};
  if (filter.from > filter.to) return error(Code::bad_value, "from must not be after to");
  constexpr std::uint64_t kBytesOfSum = 2000;
  auto memory = take_memory(call, static_cast<std::uint64_t>(part->limit) * kBytesOfSum);
  if (!memory) return memory.error();
  const auto page = call.connections.read([&](store::Transaction& transaction) { return store::usage_report(transaction, filter, *part); });
  text::JsonWriter json;
  json.object([&] {
    json.key("items").array(page.items, [&](const UsageSum& sum) { write_sum(json, sum); });
    json.field("from", filter.from);
    json.field("to", filter.to);
    write_page_end(
        json, call,
        {.window = *part, .shown = std::ssize(page.items), .total = page.total, .parent = "/", .fixed = {{"to", text::utc(filter.to)}}});
  });
  return with_memory(answer(json), std::move(*memory));
}

}  // namespace

std::span<const Route> usage_routes() {
  static constexpr std::array kRoutes{
      Route{"GET", "/v1/usage", Access::identified, report_usage, "from to by... user limit offset", Etag::none},
  };
  return kRoutes;
}

}  // namespace gleaner::api
