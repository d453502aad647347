#include "api/page.hpp"

namespace gleaner::api {
namespace {

/// Replaces the offset too.
std::string href_of_page(const Call& call, const PageEnd& page, std::int64_t offset) {
  auto replaced = page.fixed;
  replaced.emplace_back("offset", std::to_string(offset));
  return href_with(call, replaced);
}

}  // namespace

void write_page_end(text::JsonWriter& json, const Call& call, const PageEnd& page) {
  const auto next = page.window.offset + page.shown;
  const bool has_next = page.shown > 0 && next < page.total;
  write_page_end(json, call, page, has_next ? std::optional{href_of_page(call, page, next)} : std::nullopt);
}

void write_page_end(text::JsonWriter& json, const Call& call, const PageEnd& page, const std::optional<std::string>& next) {
  json.field("total", page.total);
  json.field("offset", page.window.offset);
  json.field("limit", page.window.limit);
  std::vector<Link> links{{"self", call.request.target}, {"parent", page.parent}};
  const auto before = std::min(page.window.offset, page.total);
  if (before > 0) links.push_back({"prev", href_of_page(call, page, std::max<std::int64_t>(0, before - page.window.limit))});
  if (next) links.push_back({"next", *next});
  write_links(json, links);
}

}  // namespace gleaner::api
