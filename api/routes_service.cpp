// Routes of the API itself: entry, health, OpenAPI document.
#include <algorithm>
#include <array>

#include "api/openapi.hpp"
#include "api/router.hpp"
#include "lib/fleet/health.hpp"
#include "lib/store/lease.hpp"
#include "lib/store/migrations.hpp"
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
  std::optional<std::string> trouble;  ///< with the database, which says no more then
  std::optional<store::LeaseHolder> conductor = {};
  std::optional<views::Cycle> cycle = {};
  std::vector<fleet::Trouble> troubles = {};
};

/// The service's connections were checked when they were made, and the schema may be another one since.
Health examine(const Call& call) {
  try {
    return call.connections.read([&](store::Transaction& transaction) {
      store::check_schema(transaction);
      return Health{.schema = "ok",
                    .trouble = {},
                    .conductor = store::lease_holder(transaction),
                    .cycle = views::last_cycle(transaction),
                    .troubles = fleet::troubles(transaction, call.config, call.now)};
    });
  } catch (const store::Unavailable&) {
    return {.schema = "unknown", .trouble = "the database cannot be used"};
  } catch (const store::WrongSchema& error) {
    return {.schema = "wrong", .trouble = error.what()};
  }
}

bool has(const Health& health, std::string_view kind) {
  return std::ranges::find(health.troubles, kind, &fleet::Trouble::kind) != health.troubles.end();
}

std::string_view status_of(const Health& health) {
  if (health.trouble || has(health, "database")) return "unavailable";
  if (has(health, "conductor")) return "standstill";
  return health.troubles.empty() ? "ok" : "degraded";
}

/// Messages may quote addresses and answers, which are not for everybody.
void write_troubles(text::JsonWriter& json, const Health& health, const Call& call) {
  json.key("troubles").array(health.troubles, [&](const fleet::Trouble& trouble) {
    json.object([&] {
      json.field("kind", trouble.kind);
      json.field("subject", trouble.subject);
      json.field("since", trouble.since);
      json.field("message", call.caller.user.empty() ? std::nullopt : std::optional{trouble.message});
      json.field("remedy", trouble.remedy);
    });
  });
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
  const auto status = status_of(health);
  const auto* const conductor = has(health, "conductor") ? &health.troubles.front() : nullptr;
  text::JsonWriter json;
  json.object([&] {
    json.field("status", status);
    json.field("version", GLEANER_VERSION);
    json.key("database").object([&] {
      json.field("reachable", health.schema != "unknown");
      json.field("schema", health.schema);
      json.field("message", health.trouble);
    });
    write_conductor(json, health, call.now);
    json.field("standstill", conductor == nullptr ? std::nullopt : conductor->since);
    write_troubles(json, health, call);
  });
  auto response = answer(status == "unavailable" ? 503 : 200, json.text());
  if (status == "unavailable") response.headers.add("Retry-After", "5");
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
