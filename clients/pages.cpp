#include "clients/pages.hpp"

#include <fmt/format.h>

namespace gleaner::clients {

std::vector<Json> all_items(ApiClient& api, const std::string& path) {
  constexpr std::int64_t kPage = 1000;
  const char sign = path.find('?') == std::string::npos ? '?' : '&';
  std::vector<Json> items;
  for (std::int64_t total = 1; std::ssize(items) < total;) {
    const auto page = api.get(fmt::format("{}{}limit={}&offset={}", path, sign, kPage, items.size())).json;
    const auto& some = page["items"].items();
    if (some.empty()) break;
    items.insert(items.end(), some.begin(), some.end());
    total = page["total"].integer();
  }
  return items;
}

}  // namespace gleaner::clients
