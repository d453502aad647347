// Routes about the work of the grid itself: its cycles, and who changed what.
#include <array>
#include <limits>

#include "api/answers.hpp"
#include "api/router.hpp"
#include "lib/store/audit.hpp"
#include "lib/store/views_grid.hpp"

namespace gleaner::api {
namespace {

namespace views = store::views;

constexpr Bounds kMostRows{1, 1000};

http::Response list_cycles(const Call& call) {
  const auto most = number(call, "limit", kUsualLimit, kMostRows);
  if (!most) return most.error();
  constexpr auto kLast = std::numeric_limits<std::int64_t>::max();
  const auto before = number(call, "before", kLast, {1, kLast});
  if (!before) return before.error();
  const auto cycles = call.connections.read([&](store::Transaction& transaction) { return views::cycles(transaction, *before, *most); });
  text::JsonWriter json;
  json.object([&] {
    json.key("items").array(cycles, [&](const views::KeptCycle& cycle) {
      json.object([&] {
        json.field("id", cycle.id);
        json.field("term", cycle.term);
        json.field("start_time", cycle.cycle.started_at);
        json.field("stop_time", cycle.cycle.ended_at);
        json.key("modules").raw(cycle.modules.value_or("null"));
      });
    });
  });
  return answer(json);
}

Asked<store::ActFilter> asked_acts(const Call& call) {
  store::ActFilter filter;
  if (const auto campaign = call.request.parameter("campaign")) {
    const auto id = number(call, "campaign", 0, {1, std::numeric_limits<std::int64_t>::max()});
    if (!id) return tl::unexpected{id.error()};
    filter.campaign = *id;
  }
  if (const auto user = call.request.parameter("user")) filter.actor = std::string{*user};
  const auto since = instant(call, "since");
  if (!since) return tl::unexpected{since.error()};
  filter.since = *since;
  return filter;
}

http::Response list_acts(const Call& call) {
  if (call.caller.role != Role::administrator)
    return error(Code::administrators_only, "who changed what is for administrators: it names users, and where they were");
  const auto most = number(call, "limit", kUsualLimit, kMostRows);
  if (!most) return most.error();
  const auto filter = asked_acts(call);
  if (!filter) return filter.error();
  const auto acts = call.connections.read([&](store::Transaction& transaction) { return store::noted_acts(transaction, *filter, *most); });
  text::JsonWriter json;
  json.object(
      [&] { json.key("items").array(acts, [&](const store::NotedAct& act) { json.object([&] { store::write_act(json, act); }); }); });
  return answer(json);
}

}  // namespace

std::span<const Route> conductor_routes() {
  static constexpr std::array kRoutes{
      Route{"GET", "/v1/cycles", Access::identified, list_cycles, "before limit"},
      Route{"GET", "/v1/audit", Access::identified, list_acts, "campaign user since limit"},
  };
  return kRoutes;
}

}  // namespace gleaner::api
