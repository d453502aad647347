// Routes of the API itself: entry, health, OpenAPI document.
#include <array>

#include "api/openapi.hpp"
#include "api/router.hpp"
#include "lib/store/lease.hpp"
#include "lib/store/views_grid.hpp"

namespace gleaner::api {
namespace {

namespace views = store::views;

http::Response show_root(const Call& call) {
  text::JsonWriter json;
  json.object([&] {
    json.field("name", "Gleaner");
    json.field("version", GLEANER_VERSION);
    json.field("user", call.caller.user);
    json.field("administrator", call.caller.role == Role::administrator);
    write_links(json, {{"self", "/"},
                       {"collection", "/v1/campaigns", "campaigns"},
                       {"collection", "/v1/clusters", "clusters"},
                       {"collection", "/v1/events", "events"},
                       {"item", "/v1/gridusage", "gridusage"},
                       {"collection", "/v1/usage", "usage"},
                       {"item", "/health", "health"},
                       {"item", "/openapi.json", "the API's document"}});
  });
  return answer(json);
}

struct Health {
  std::string_view schema = "unknown";
  std::optional<std::string> trouble;
  std::optional<store::LeaseHolder> conductor;
  std::optional<views::Cycle> cycle;
  std::optional<grid::Instant> standstill;
};

Health examine(const Call& call) {
  Health health;
  try {
    health = call.connections.read([&](store::Transaction& transaction) {
      return Health{.schema = "ok",
                    .trouble = {},
                    .conductor = store::lease_holder(transaction),
                    .cycle = views::last_cycle(transaction),
                    .standstill = standstill_of(call, transaction)};
    });
  } catch (const store::Unavailable&) {
    health.trouble = "the database cannot be used";
  } catch (const store::WrongSchema&) {
    health.schema = "wrong";
    health.trouble = "the database's schema is not this program's: run 'gridctl db migrate'";
  }
  return health;
}

void write_conductor(text::JsonWriter& json, const Health& health, grid::Instant now) {
  json.key("conductor");
  if (health.conductor) {
    json.object([&] {
      json.field("holder", health.conductor->name);
      json.field("term", health.conductor->term);
    });
  } else {
    json.null();
  }
  json.key("last_cycle");
  if (!health.cycle) {
    json.null();
    return;
  }
  json.object([&] {
    json.field("started", health.cycle->started_at);
    json.field("ended", health.cycle->ended_at);
    json.field("age", std::chrono::duration<double>(now - health.cycle->started_at).count());
  });
}

http::Response show_health(const Call& call) {
  const auto health = examine(call);
  text::JsonWriter json;
  json.object([&] {
    json.field("status", health.trouble ? "unavailable" : health.standstill ? "standstill" : "ok");
    json.field("version", GLEANER_VERSION);
    json.key("database").object([&] {
      json.field("reachable", health.schema != "unknown");
      json.field("schema", health.schema);
      json.field("message", health.trouble);
    });
    write_conductor(json, health, call.now);
    json.field("standstill", health.standstill);
  });
  auto response = answer(health.trouble ? 503 : 200, json.text());
  if (health.trouble) response.headers.add("Retry-After", "5");
  return response;
}

http::Response show_document(const Call&) { return answer(200, std::string{openapi_document()}); }

}  // namespace

std::span<const Route> service_routes() {
  static constexpr std::array kRoutes{
      Route{"GET", "/", Access::identified, show_root},
      Route{"GET", "/health", Access::anybody, show_health, {}, Etag::none},
      Route{"GET", "/openapi.json", Access::anybody, show_document},
  };
  return kRoutes;
}

}  // namespace gleaner::api
