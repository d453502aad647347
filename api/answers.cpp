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
    case 410: return "Gone";
    case 412: return "Precondition failed";
    case 413: return "Too large";
    case 415: return "Unsupported media type";
    case 431: return "Request header fields too large";
    case 502: return "Bad gateway";
    case 503: return "Service unavailable";
    default: return "Internal error";
  }
}

void write_error(text::JsonWriter& json, Code code, std::string_view title, std::string_view message) {
  json.field("status", std::int64_t{status_of(code)});
  json.field("code", word_of(code));
  json.field("title", title);
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

http::Response error(Code code, std::string_view message) {
  text::JsonWriter json;
  json.object([&] { write_error(json, code, title_of(status_of(code)), message); });
  return answer(status_of(code), json.text());
}

http::Response rule_error(Code code, std::string_view rule, std::string_view message) {
  text::JsonWriter json;
  json.object([&] {
    write_error(json, code, "Admission rule error", message);  // the title that CiGri's clients expect
    json.field("rule", rule);
  });
  return answer(status_of(code), json.text());
}

http::Response error(std::string_view message, std::span<const jdl::Problem> problems) {
  text::JsonWriter json;
  json.object([&] {
    write_error(json, Code::bad_input, title_of(status_of(Code::bad_input)), message);
    json.key("problems").raw(jdl::to_json(problems));
  });
  return answer(status_of(Code::bad_input), json.text());
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

http::Response accepted(std::string_view message, std::optional<std::int64_t> count, std::string next) {
  text::JsonWriter json;
  json.object([&] {
    json.field("status", std::int64_t{202});
    json.field("title", title_of(202));
    json.field("message", message);
    if (count) json.field("count", *count);
    if (!next.empty()) write_links(json, {{"next", std::move(next)}});
  });
  return answer(202, json.text());
}

}  // namespace gleaner::api
