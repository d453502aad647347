// CiGri's routes of campaigns.
#include <array>

#include <fmt/format.h>

#include "api/cigri/ask.hpp"
#include "api/cigri/gate.hpp"
#include "lib/text/json_value.hpp"

namespace gleaner::api::cigri {
namespace {

using rapidjson::Value;

/// As many items as one answer may have: CiGri's lists of campaigns have all.
std::int64_t most_items(const Call& call) { return call.config.max_rows; }

http::Response list_campaigns(const Call& call) {
  const auto page = window(call, most_items(call));
  if (!page) return translated_refusal(call.caller, page.error());
  const Question question{
      .method = "GET",
      .path = "/campaigns",
      .query = {{"state", "in_treatment,paused"}, {"limit", fmt::format("{}", page->limit)}, {"offset", fmt::format("{}", page->offset)}}};
  return translated(ask(call, question), [&](text::JsonWriter& json, const Value& ours) {
    const auto& items = member(ours, "items");
    json.key("items").array(items.GetArray(), [&](const Value& item) { json.object([&] { write_campaign(json, call, item); }); });
    copy(json, ours, {"total"});
    std::vector<Link> links{{"self", link(call, "/campaigns")}, {"parent", link(call, "/")}};
    if (has_next(ours))
      links.push_back({"next", link(call, fmt::format("/campaigns?limit={}&offset={}", page->limit, page->offset + items.Size()))});
    write_links(json, links);
  });
}

/// A campaign that was created or changed.
void write_changed(text::JsonWriter& json, const Call& call, const Value& ours) {
  write_campaign(json, call, ours);
  const auto& warnings = member(ours, "warnings");
  if (warnings.IsArray() && !warnings.Empty()) copy(json, ours, {"warnings"});
}

http::Response submit(const Call& call) {
  std::string location;
  auto response = translated(
      forward(call, {.method = "POST", .path = "/campaigns", .doing = "Error submitting campaign: "}),
      [&](text::JsonWriter& json, const Value& ours) {
        location = link(call, fmt::format("/campaigns/{}", number_of(ours, "id").value_or(0)));
        write_changed(json, call, ours);
      },
      201);
  if (!location.empty()) response.headers.add("Location", location);
  return response;
}

/// A prologue or an epilogue is done, or the campaign has none.
bool is_ok(const Value& script) { return script.IsNull() || (script.IsString() && std::string_view{script.GetString()} == "done"); }

http::Response show_campaign(const Call& call) {
  return translated(ask(call, {.method = "GET", .path = campaign_path(call)}), [&](text::JsonWriter& json, const Value& ours) {
    write_campaign(json, call, ours);
    json.key("clusters").object([&] {
      for (const auto& cluster : member(ours, "clusters").GetObject()) {
        json.key(std::string_view{cluster.name.GetString(), cluster.name.GetStringLength()}).object([&] {
          copy(json, cluster.value, {"cluster_name", "active_jobs", "queued_jobs"});
          for (const std::string_view script : {"prologue", "epilogue"})
            json.field(fmt::format("{}_ok", script), is_ok(member(cluster.value, script)));
        });
      }
    });
  });
}

http::Response edit_campaign(const Call& call) {
  return translated(
      forward(call, {.method = "PUT", .path = campaign_path(call), .doing = "Error updating campaign: "}),
      [&](text::JsonWriter& json, const Value& ours) { write_changed(json, call, ours); }, 202);
}

/// The key of the request, of the three that ask for something else than a cancellation. CiGri ignored their values. Empty: none.
Asked<std::string_view> asked_act(const Call& call) {
  std::string_view act;
  for (const std::string_view key : {"hold", "resume", "purge"}) {
    if (!call.request.parameter(key)) continue;
    if (!act.empty()) return tl::unexpected{refusal(400, fmt::format("{} and {} exclude each other", act, key))};
    act = key;
  }
  return act;
}

http::Response cancel_campaign(const Call& call) {
  const auto act = asked_act(call);
  if (!act) return act.error();
  Question question{.method = "DELETE", .path = campaign_path(call)};
  if (!act->empty()) question.query.emplace_back(*act, "1");
  return translated(
      ask(call, question),
      [&](text::JsonWriter& json, const Value& ours) {
        json.field("status", 202);
        json.field("title", "Accepted");
        if (has_next(ours))
          json.field("message",
                     fmt::format("Campaign {}: a part is {}; repeat the request", call.parts[0], *act == "purge" ? "purged" : "cancelled"));
        else copy(json, ours, {"message"});
      },
      202);
}

/// A number as a text, as CiGri's database gave it.
void write_average(text::JsonWriter& json, const Value& ours, std::string_view name) {
  const auto& value = member(ours, name);
  json.field(name, value.IsNumber() ? std::optional{fmt::format("{}", value.GetDouble())} : std::nullopt);
}

http::Response show_stats(const Call& call) {
  return translated(ask(call, {.method = "GET", .path = campaign_path(call, "/stats")}), [&](text::JsonWriter& json, const Value& ours) {
    write_average(json, ours, "average_jobs_duration");
    write_average(json, ours, "stddev_jobs_duration");
    copy(json, ours, {"jobs_throughput", "remaining_time", "failures_rate", "resubmit_rate"});
  });
}

/// The JDL with all parameters, if one answer can hold them.
void write_jdl(text::JsonWriter& json, const Value& ours, const std::optional<Ours>& tasks) {
  for (const auto& one : ours.GetObject()) {
    const std::string_view name{one.name.GetString(), one.name.GetStringLength()};
    if (name != "params" && (name != "nb_jobs" || !tasks)) copy(json, ours, {name});
  }
  if (!ours.HasMember("jobs_type")) json.field("jobs_type", "normal");
  if (!tasks) return;
  json.key("params").array(member(tasks->json, "items").GetArray(), [&](const Value& task) { json.value(text_of(task, "parameters")); });
}

http::Response show_jdl(const Call& call) {
  auto jdl = ask(call, {.method = "GET", .path = campaign_path(call, "/jdl")});
  if (!jdl) return jdl.error();
  auto page =
      ask(call, {.method = "GET", .path = campaign_path(call, "/tasks"), .query = {{"limit", fmt::format("{}", most_items(call))}}});
  if (!page) return page.error();
  std::optional<Ours> tasks;
  if (!has_next(page->json)) tasks = std::move(*page);
  return translated(std::move(jdl), [&](text::JsonWriter& json, const Value& ours) { write_jdl(json, ours, tasks); });
}

}  // namespace

std::span<const Route> campaign_routes() {
  static constexpr std::array kRoutes{
      Route{"GET", "/campaigns", Access::anybody, list_campaigns, "limit offset"},
      Route{"POST", "/campaigns", Access::identified, submit},
      Route{"GET", "/campaigns/:id", Access::anybody, show_campaign},
      Route{"PUT", "/campaigns/:id", Access::identified, edit_campaign},
      Route{"DELETE", "/campaigns/:id", Access::identified, cancel_campaign, "hold resume purge"},
      Route{"GET", "/campaigns/:id/stats", Access::anybody, show_stats},
      Route{"GET", "/campaigns/:id/jdl", Access::anybody, show_jdl},
  };
  return kRoutes;
}

}  // namespace gleaner::api::cigri
