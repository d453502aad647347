#include "sim/minioar/call.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "lib/text/numbers.hpp"
#include "lib/text/percent.hpp"

namespace gleaner::minioar {

std::optional<std::string> Call::parameter(std::string_view name) const {
  const auto value = http.parameter(name);
  if (!value) return std::nullopt;
  return std::string{*value};
}

std::optional<std::int64_t> Call::number(std::string_view name) const {
  const auto text = http.parameter(name);
  if (!text) return std::nullopt;
  std::string_view rest{*text};
  const auto value = text::take_whole_number(rest);
  return value ? std::optional{*value} : std::nullopt;
}

void write_link(text::JsonWriter& json, const std::string& href, std::string_view rel, std::string_view title) {
  json.begin_object().field("href", href).field("rel", rel);
  if (!title.empty()) json.field("title", title);
  json.end_object();
}

std::string page_json(const Call& call, const Page& page) {
  text::JsonWriter json;
  json.begin_object();
  if (page.total <= 0) {
    json.key("items").raw("[]").key("links").raw("[]").field("offset", std::int64_t{0}).field("total", std::int64_t{0}).end_object();
    return json.text();
  }
  auto base = call.path_info.substr(call.path_info.starts_with("/") ? 1 : 0);
  char separator = '?';
  for (const auto& [name, value] : call.http.query) {
    if (name == "offset" || page.limit == 0) continue;
    base += fmt::format("{}{}={}", separator, text::percent_encoded(name), text::percent_encoded(value));
    separator = '&';
  }
  const auto at = [&](std::int64_t offset) { return call.link(fmt::format("{}{}offset={}", base, separator, offset)); };
  json.field("api_timestamp", call.now).key("items").raw(page.items).key("links").begin_array();
  write_link(json, page.limit != 0 ? at(page.offset) : call.link(base), "self");
  if (page.limit != 0 && page.offset + page.limit < page.total) write_link(json, at(page.offset + page.limit), "next");
  if (page.limit != 0 && page.offset - page.limit >= 0) write_link(json, at(page.offset - page.limit), "previous");
  json.end_array().field("offset", page.offset).field("total", page.total).end_object();
  return json.text();
}

}  // namespace gleaner::minioar
