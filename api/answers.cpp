#include "api/answers.hpp"

namespace gleaner::api {
namespace {

std::string_view title_of(unsigned status) {
  switch (status) {
    case 202: return "Accepted";
    case 400: return "Bad request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not found";
    case 405: return "Method not allowed";
    case 408: return "Request timeout";
    case 409: return "Conflict";
    case 413: return "Too large";
    case 415: return "Unsupported media type";
    case 502: return "Bad gateway";
    case 503: return "Service unavailable";
    default: return "Internal error";
  }
}

void write_message(text::JsonWriter& json, unsigned status, std::string_view message) {
  json.field("status", std::int64_t{status});
  json.field("title", title_of(status));
  json.field("message", message);
}

}  // namespace

http::Response answer(unsigned status, std::string json) {
  http::Response response;
  response.status = status;
  response.headers.add("Content-Type", "application/json");
  response.body = std::move(json);
  return response;
}

http::Response error(unsigned status, std::string_view message) {
  text::JsonWriter json;
  json.object([&] { write_message(json, status, message); });
  return answer(status, json.text());
}

http::Response error(std::string_view message, std::span<const jdl::Problem> problems) {
  text::JsonWriter json;
  json.object([&] {
    write_message(json, 400, message);
    json.key("problems").raw(jdl::to_json(problems));
  });
  return answer(400, json.text());
}

http::Response accepted(std::string_view message, std::optional<std::int64_t> count) {
  text::JsonWriter json;
  json.object([&] {
    write_message(json, 202, message);
    if (count) json.field("count", *count);
  });
  return answer(202, json.text());
}

void write_links(text::JsonWriter& json, const std::vector<Link>& links) {
  json.key("links").array(links, [&](const Link& link) {
    json.object([&] {
      json.field("rel", link.rel);
      json.field("href", link.href);
      if (!link.title.empty()) json.field("title", link.title);
    });
  });
}

}  // namespace gleaner::api
