// Routes of what keeps tasks from clusters: brakes, and launches whose jobs may or may not exist.
#include <array>

#include <fmt/format.h>

#include "api/limits.hpp"
#include "api/page.hpp"
#include "api/readership.hpp"
#include "api/router.hpp"
#include "lib/store/views_brakes.hpp"

namespace gleaner::api {
namespace {

namespace views = store::views;

constexpr std::uint64_t kBytesOfDoubt = 6000;  // of memory: a reason has at most 4 kB

std::optional<std::string> if_any(const std::string& text) { return text.empty() ? std::nullopt : std::optional{text}; }

void write_brake_in_force(text::JsonWriter& json, const views::BrakeInForce& brake) {
  json.object([&] {
    json.field("id", brake.id);
    json.field("campaign_id", brake.campaign);
    json.field("campaign_name", if_any(brake.campaign_name));
    json.field("user", if_any(brake.user));
    json.field("cluster_id", brake.cluster);
    json.field("cluster_name", if_any(brake.cluster_name));
    json.field("reason", brake.reason);
    json.field("set_by", brake.set_by);
    json.field("since", brake.since);
    json.field("expires", brake.until);
    json.field("event_id", brake.event);
    json.field("ends", views::how_it_ends(brake));
  });
}

http::Response list_brakes(const Call& call) {
  const auto part = window(call);
  if (!part) return part.error();
  auto memory = take_memory(call, static_cast<std::uint64_t>(part->limit) * kBytesOfDoubt);
  if (!memory) return memory.error();
  const auto page = call.connections.read([&](store::Transaction& transaction) {
    return views::brakes(transaction, readership_of(call, transaction).restriction(), call.now, *part);
  });
  text::JsonWriter json;
  json.object([&] {
    json.key("items").array(page.items, [&](const views::BrakeInForce& brake) { write_brake_in_force(json, brake); });
    write_page_end(json, call, {.window = *part, .shown = std::ssize(page.items), .total = page.total, .parent = "/"});
  });
  return with_memory(answer(json), std::move(*memory));
}

void write_doubtful(text::JsonWriter& json, const views::DoubtfulLaunch& launch) {
  json.object([&] {
    json.field("id", launch.id);
    json.field("campaign_id", launch.campaign);
    json.field("campaign_name", launch.campaign_name);
    json.field("user", launch.user);
    json.field("cluster_name", launch.cluster_name);
    json.field("state", launch.state);
    json.field("jobs", launch.jobs);
    json.field("tasks", launch.tasks);
    json.field("looks", launch.looks);
    json.field("sent", launch.sent);
    json.field("since", launch.since);
    json.field("last_look", launch.last_look);
    json.field("error", if_any(launch.error));
  });
}

http::Response list_launches(const Call& call) {
  const auto part = window(call);
  if (!part) return part.error();
  auto memory = take_memory(call, static_cast<std::uint64_t>(part->limit) * kBytesOfDoubt);
  if (!memory) return memory.error();
  const auto page = call.connections.read([&](store::Transaction& transaction) {
    return views::doubtful_launches(transaction, readership_of(call, transaction).restriction(), *part);
  });
  text::JsonWriter json;
  json.object([&] {
    json.key("items").array(page.items, [&](const views::DoubtfulLaunch& launch) { write_doubtful(json, launch); });
    write_page_end(json, call, {.window = *part, .shown = std::ssize(page.items), .total = page.total, .parent = "/"});
  });
  return with_memory(answer(json), std::move(*memory));
}

}  // namespace

std::span<const Route> brake_routes() {
  static constexpr std::array kRoutes{
      Route{"GET", "/v1/brakes", Access::identified, list_brakes, "limit offset"},
      Route{"GET", "/v1/launches", Access::identified, list_launches, "limit offset"},
  };
  return kRoutes;
}

}  // namespace gleaner::api
