#include <algorithm>
#include <ctime>
#include <map>
#include <set>

#include <fmt/format.h>

#include "sim/minioar/api.hpp"
#include "sim/minioar/condition.hpp"
#include "sim/minioar/job_json.hpp"
#include "sim/minioar/pages.hpp"

namespace gleaner::minioar {

namespace {

void write_versions(text::JsonWriter& json, const Call& call, const Dialect& dialect) {
  json.field("api_timestamp", call.now).field("api_timezone", "UTC").field("api_version", "1.0.2").field("apilib_version", "1.0.2");
  json.field("oar_version", dialect.version);
}

std::string zone(std::time_t now) {
  std::tm parts{};
  localtime_r(&now, &parts);
  return parts.tm_zone;
}

}  // namespace

http::Response Api::root(const Call& call) {
  text::JsonWriter json;
  json.begin_object();
  write_versions(json, call, engine_.dialect());
  json.key("links").begin_array();
  write_link(json, call.link("./"), "self");
  for (const auto& [path, title] : {std::pair{"resources", "resources"},
                                    {"resources/details", "full_resources"},
                                    {"jobs", "jobs"},
                                    {"jobs/details", "detailed_jobs"},
                                    {"jobs/table", "jobs_table"},
                                    {"config", "config"},
                                    {"admission_rules", "admission_rules"}}) {
    write_link(json, call.link(path), "collection", title);
  }
  json.end_array().end_object();
  return json_answer(200, json.text(), "GET");
}

http::Response Api::small_facts(const Call& call, const std::string& which) {
  text::JsonWriter json;
  json.begin_object();
  if (which == "version") {
    write_versions(json, call, engine_.dialect());
  } else if (which == "whoami") {
    json.field("api_timestamp", call.now).field("authenticated_user", call.user);
  } else if (which == "timezone") {
    json.field("api_timestamp", call.now).field("timezone", zone(call.now));
  } else {
    const std::lock_guard lock{stress_mutex_};
    json.field("GLOBAL_STRESS", stress_).field("api_timestamp", call.now).key("links").begin_array();
    write_link(json, call.link("stress_factor"), "self");
    json.end_array();
  }
  json.end_object();
  return json_answer(200, json.text(), "GET");
}

http::Response Api::list_resources(const Call& call, std::string_view kind) {
  Page page;
  page.limit = call.parameter("limit") ? std::max<std::int64_t>(call.number("limit").value_or(0), 0) : kPageLimit;
  page.offset = std::max<std::int64_t>(call.number("offset").value_or(0), 0);
  page.items = engine_.read([&](Ledger& ledger) {
    const auto& resources = ledger.resources();
    page.total = static_cast<std::int64_t>(resources.size());
    const auto begin = std::min(page.offset, page.total);
    const auto end = page.limit == 0 ? page.total : std::min(begin + page.limit, page.total);
    text::JsonWriter json;
    json.begin_array();
    for (auto i = begin; i < end; ++i) {
      const auto& resource = resources[static_cast<std::size_t>(i)];
      if (kind.empty()) {
        write_listed_resource(json, call, resource);
      } else {
        write_resource(json, call, resource);
      }
    }
    json.end_array();
    return json.text();
  });
  return json_answer(200, page_json(call, page), kind.empty() ? "GET, POST" : "GET");
}

http::Response Api::show_resource(const Call& call, std::int64_t id) {
  const auto json = engine_.read([&](Ledger& ledger) -> std::optional<std::string> {
    if (id < 1 || id > static_cast<std::int64_t>(ledger.resources().size())) return std::nullopt;
    text::JsonWriter text;
    write_resource(text, call, ledger.resources()[static_cast<std::size_t>(id - 1)]);
    return text.text();
  });
  if (!json) return error_answer({404, "Resource not found", "Resource not found"});
  return json_answer(200, *json, "GET, DELETE");
}

/// The resources of each node that jobs hold, and one row more.
http::Response Api::held_by_node(const Call& call) {
  const auto held = engine_.read([&](Ledger& ledger) {
    std::map<std::string, std::set<int>> places{{"", {}}};
    for (const auto id : ledger.unfinished()) {
      for (const int place : ledger.find(id)->resources) {
        const auto& resource = ledger.resources()[static_cast<std::size_t>(place)];
        if (resource.licence == 0) places[resource.host].insert(place);
      }
    }
    return places;
  });
  Page page;
  page.total = std::ssize(held);
  text::JsonWriter json;
  json.begin_array();
  for (const auto& [node, places] : held) json.begin_object().field("node", node).field("held", std::ssize(places)).end_object();
  json.end_array();
  page.items = json.text();
  return json_answer(200, page_json(call, page), "GET");
}

/// The cores that are alive, or woken for a job, and those held by jobs on each node, by whether best-effort jobs get them, and one row
/// more.
http::Response Api::free_by_node(const Call& call) {
  struct Cores {
    std::int64_t usable = 0, asleep = 0, held = 0;
  };
  const auto nodes = engine_.read([&](Ledger& ledger) {
    std::set<int> held;
    for (const auto id : ledger.unfinished()) held.insert(ledger.find(id)->resources.begin(), ledger.find(id)->resources.end());
    std::map<std::pair<std::string, bool>, Cores> found{{{"", true}, {}}};
    int place = 0;
    for (const auto& resource : ledger.resources()) {
      const bool is_held = held.contains(place++);
      const bool is_asleep = resource.state == ResourceState::absent;
      if (resource.licence > 0 || (resource.state != ResourceState::alive && !is_asleep)) continue;
      auto& cores = found[{resource.host, resource.best_effort}];
      ++cores.usable;
      cores.asleep += is_asleep ? 1 : 0;
      cores.held += is_held ? 1 : 0;
    }
    return found;
  });
  Page page;
  page.total = std::ssize(nodes);
  text::JsonWriter json;
  json.begin_array();
  for (const auto& [node, cores] : nodes)
    json.begin_object()
        .field("node", node.first)
        .field("besteffort", node.second ? "YES" : "NO")
        .field("usable", cores.usable)
        .field("asleep", cores.asleep)
        .field("held", cores.held)
        .end_object();
  json.end_array();
  page.items = json.text();
  return json_answer(200, page_json(call, page), "GET");
}

/// OAR executes the query as it is. Here, only the grid's queries are understood: what jobs hold by node, in two forms; and the resources
/// of a condition, and one row more, because a count of 0 is an error as in OAR.
http::Response Api::select_all(const Call& call) {
  if (call.user.empty()) return error_answer({401, "Permission denied", "A suitable authentication must be done before looking at jobs"});
  const auto query = call.parameter("query");
  if (!query) return error_answer({400, "Bad query", "The 'query' parameter is mandatory"});
  if (query->starts_with("FROM (SELECT r.network_address AS node") && query->ends_with("AS held_by_node")) return held_by_node(call);
  if (query->starts_with("FROM (SELECT r.network_address AS node") && query->ends_with("AS free_by_node")) return free_by_node(call);
  constexpr std::string_view kBegin{"FROM (SELECT resource_id FROM resources WHERE "}, kEnd{" UNION ALL SELECT 0) AS matching"};
  const ApiError wrong{500, "SQL error", "SQL error"};
  if (!query->starts_with(kBegin) || !query->ends_with(kEnd)) return error_answer(wrong);
  const auto condition = Condition::parse(std::string_view{*query}.substr(kBegin.size(), query->size() - kBegin.size() - kEnd.size()));
  if (!condition) return error_answer(wrong);
  auto found = engine_.read([&](Ledger& ledger) {
    std::vector<std::int64_t> ids;
    for (const auto& resource : ledger.resources()) {
      if (condition->holds(resource)) ids.push_back(resource.id);
    }
    return ids;
  });
  found.push_back(0);
  Page page;
  page.total = std::ssize(found);
  page.limit = call.parameter("limit") ? std::max<std::int64_t>(call.number("limit").value_or(0), 0) : kPageLimit;
  page.offset = std::clamp<std::int64_t>(call.number("offset").value_or(0), 0, page.total);
  text::JsonWriter json;
  json.begin_array();
  for (auto i = page.offset; i < std::min(page.offset + page.limit, page.total); ++i)
    json.begin_object().field("resource_id", found[static_cast<std::size_t>(i)]).end_object();
  json.end_array();
  page.items = json.text();
  return json_answer(200, page_json(call, page), "GET");
}

http::Response Api::node_resources(const Call& call, const std::string& node) {
  Page page;
  page.items = engine_.read([&](Ledger& ledger) {
    text::JsonWriter json;
    json.begin_array();
    for (const auto& resource : ledger.resources()) {
      if (resource.host != node) continue;
      ++page.total;
      write_listed_resource(json, call, resource);
    }
    json.end_array();
    return json.text();
  });
  if (page.total == 0) return error_answer({500, "", ""});
  return json_answer(200, page_json(call, page), "GET");
}

http::Response Api::jobs_on(const Call& call, const std::string& node, std::int64_t resource) {
  Page page;
  page.items = engine_.read([&](Ledger& ledger) {
    text::JsonWriter json;
    json.begin_array();
    for (const auto id : ledger.unfinished()) {
      const auto& job = *ledger.find(id);
      const auto uses = [&](int place) {
        const auto& each = ledger.resources()[static_cast<std::size_t>(place)];
        return node.empty() ? each.id == resource : each.host == node;
      };
      if (std::none_of(job.resources.begin(), job.resources.end(), uses)) continue;
      ++page.total;
      json.begin_object().field("api_timestamp", call.now).field("id", id);
      write_job_links(json, call, id);
      json.end_object();
    }
    json.end_array();
    return json.text();
  });
  return json_answer(200, page_json(call, page), "GET");
}

}  // namespace gleaner::minioar
