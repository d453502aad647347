#include "lib/http/uri.hpp"

#include <algorithm>

#include "lib/text/percent.hpp"

namespace gleaner::http {
namespace {

std::string decode_form(std::string_view text) {
  std::string spaced{text};
  std::replace(spaced.begin(), spaced.end(), '+', ' ');
  return text::percent_decoded(spaced).value_or(std::string{text});
}

}  // namespace

Query parse_query(std::string_view text) {
  Query query;
  while (!text.empty()) {
    const auto end = text.find('&');
    const auto part = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    if (part.empty()) continue;
    const auto equal = part.find('=');
    auto value = equal == std::string_view::npos ? std::string_view{} : part.substr(equal + 1);
    query.emplace_back(decode_form(part.substr(0, equal)), decode_form(value));
  }
  return query;
}

std::pair<std::string_view, std::string_view> split_target(std::string_view target) {
  const auto mark = target.find('?');
  if (mark == std::string_view::npos) return {target, {}};
  return {target.substr(0, mark), target.substr(mark + 1)};
}

}  // namespace gleaner::http
