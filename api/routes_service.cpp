// Routes of the API itself: entry, health, OpenAPI document.
#include <algorithm>
#include <array>
#include <chrono>
#include <functional>

#include "api/health_watch.hpp"
#include "api/metrics.hpp"
#include "api/openapi.hpp"
#include "api/router.hpp"
#include "api/sessions.hpp"
#include "lib/fleet/health.hpp"

namespace gleaner::api {
namespace {

http::Response show_root(const Call& call) {
  text::JsonWriter json;
  json.object([&] {
    json.field("name", "Gleaner");
    json.field("version", GLEANER_VERSION);
    json.field("user", call.caller.user);
    json.field("administrator", call.caller.role == Role::administrator);
    json.field("session", !call.caller.session.empty());
    write_links(json, {{"self", "/"},
                       {"collection", "/v1/campaigns", "campaigns"},
                       {"collection", "/v1/clusters", "clusters"},
                       {"collection", "/v1/events", "events"},
                       {"item", "/v1/gridusage", "gridusage"},
                       {"collection", "/v1/usage", "usage"},
                       {"collection", "/v1/notifications", "notifications"},
                       {"item", "/health", "health"},
                       {"item", "/ready", "readiness"},
                       {"item", "/metrics", "metrics"},
                       {"item", "/openapi.json", "the API's document"}});
  });
  return answer(json);
}

/// A monitor that gets no answer learns less than from one that states that the database gives none.
Health examine(const Call& call) {
  constexpr std::chrono::milliseconds kPatience{8000};
  return call.health.within(std::min<std::chrono::milliseconds>(call.config.api_patience, kPatience));
}

std::string_view status_of(const Health& health) { return health.trouble ? "unavailable" : health_word(health.troubles); }

/// A browser's session names its user, too. It is looked up here alone, as this route answers without the database.
bool is_of_somebody(const Call& call) {
  if (!call.caller.user.empty()) return true;
  try {
    return caller_of_session(call.request, call.connections).has_value();
  } catch (const store::Unavailable&) {
    return false;
  }
}

/// Messages may quote addresses and answers, which are not for everybody.
void write_troubles(text::JsonWriter& json, const Health& health, const Call& call) {
  const bool is_known = !health.troubles.empty() && is_of_somebody(call);
  json.key("troubles").array(health.troubles, [&](const fleet::Trouble& trouble) {
    json.object([&] {
      json.field("kind", trouble.kind);
      json.field("subject", trouble.subject);
      json.field("since", trouble.since);
      json.field("message", is_known ? std::optional{trouble.message} : std::nullopt);
      json.field("remedy", trouble.remedy);
    });
  });
}

void write_conductor(text::JsonWriter& json, const Health& health) {
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
    json.field("age", std::chrono::duration<double>(health.now - health.cycle->started_at).count());
  });
}

http::Response show_health(const Call& call) {
  const auto health = examine(call);
  const auto status = status_of(health);
  const auto conductor = std::ranges::find(health.troubles, "conductor", &fleet::Trouble::kind);
  text::JsonWriter json;
  json.object([&] {
    json.field("status", status);
    json.field("version", GLEANER_VERSION);
    json.key("database").object([&] {
      json.field("reachable", health.schema != "unknown");
      json.field("schema", health.schema);
      json.field("message", health.trouble);
    });
    write_conductor(json, health);
    json.field("standstill", conductor == health.troubles.end() ? std::nullopt : conductor->since);
    write_troubles(json, health, call);
  });
  auto response = answer(status == "unavailable" ? 503 : 200, json.text());
  if (status == "unavailable") response.headers.add("Retry-After", "5");
  return response;
}

/// Whether campaigns that are submitted now are worked on: what a load balancer or a monitor asks that wants one bit. Troubles of one
/// cluster, brakes and broken laws leave the grid ready.
bool keeps_from_work(const fleet::Trouble& trouble) {
  return trouble.kind == "conductor" || trouble.kind == "database" || trouble.fails_again;
}

http::Response show_readiness(const Call& call) {
  auto health = examine(call);
  const auto status = status_of(health);
  std::erase_if(health.troubles, std::not_fn(keeps_from_work));
  const bool is_ready = !health.trouble && health.troubles.empty();
  text::JsonWriter json;
  json.object([&] {
    json.field("ready", is_ready);
    json.field("status", status);
    json.field("message", health.trouble);
    write_troubles(json, health, call);
  });
  auto response = answer(is_ready ? 200 : 503, json.text());
  if (!is_ready) response.headers.add("Retry-After", "5");
  return response;
}

http::Response show_document(const Call&) { return answer(200, std::string{openapi_document()}); }

}  // namespace

std::span<const Route> service_routes() {
  static constexpr std::array kRoutes{
      Route{"GET", "/", Access::identified, show_root},
      Route{"GET", "/health", Access::anybody, show_health, {}, Etag::none},
      Route{"GET", "/ready", Access::anybody, show_readiness, {}, Etag::none},
      Route{"GET", kMetricsPath, Access::measuring, nullptr, {}, Etag::none},
      Route{"GET", "/openapi.json", Access::anybody, show_document},
  };
  return kRoutes;
}

}  // namespace gleaner::api
