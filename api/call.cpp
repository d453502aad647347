#include "api/call.hpp"

#include <algorithm>
#include <chrono>
#include <limits>

#include <fmt/format.h>

#include "lib/store/views_grid.hpp"
#include "lib/text/numbers.hpp"

namespace gleaner::api {

Asked<std::int64_t> number(const Call& call, std::string_view name, std::int64_t fallback, Bounds bounds, std::string_view remark) {
  const auto text = call.request.parameter(name);
  if (!text) return fallback;
  const auto value = text::whole_number(*text, bounds.least, bounds.most);
  if (!value) {
    return tl::unexpected{error(
        400, fmt::format("{}={}: a whole number from {} to {} is needed{}", name, jdl::excerpt(*text), bounds.least, bounds.most, remark))};
  }
  return *value;
}

Asked<std::optional<grid::Instant>> instant(const Call& call, std::string_view name) {
  if (!call.request.parameter(name)) return std::optional<grid::Instant>{};
  constexpr std::int64_t kYear10000 = 253'402'300'800;
  const auto seconds = number(call, name, 0, {0, kYear10000});
  if (!seconds) return tl::unexpected{seconds.error()};
  return std::optional{grid::from_unix(*seconds)};
}

bool flag(const Call& call, std::string_view name) {
  const auto text = call.request.parameter(name);
  return text && *text != "0" && *text != "false";
}

Asked<store::views::Window> window(const Call& call, std::int64_t usual_limit) {
  const std::int64_t most = call.config.max_rows;
  const auto limit = number(call, "limit", std::min(usual_limit, most), {1, most}, " (max_rows); the link 'next' leads to the others");
  if (!limit) return tl::unexpected{limit.error()};
  const auto offset = number(call, "offset", 0, {0, std::numeric_limits<std::int32_t>::max()});
  if (!offset) return tl::unexpected{offset.error()};
  return store::views::Window{*limit, *offset};
}

std::vector<std::string> list(const Call& call, std::string_view name) {
  std::vector<std::string> parts;
  std::string_view rest = call.request.parameter(name).value_or("");
  while (!rest.empty()) {
    const auto comma = rest.find(',');
    if (comma != 0) parts.emplace_back(rest.substr(0, comma));
    rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(comma + 1);
  }
  return parts;
}

std::optional<std::int64_t> id_of(const std::string& part) {
  const auto id = text::whole_number(part);
  return id ? std::optional{*id} : std::nullopt;
}

http::Response no_campaign(const Call& call) {
  return error(404, fmt::format("there is no campaign '{}'", jdl::excerpt(call.parts.at(0))));
}

std::string href_with(const Call& call, std::string_view name, std::int64_t value) {
  std::string href = call.request.path + '?';
  for (const auto& [key, content] : call.request.query) {
    if (key != name) href += fmt::format("{}={}&", http::percent_encode(key), http::percent_encode(content));
  }
  return href + fmt::format("{}={}", name, value);
}

std::optional<grid::Instant> standstill_of(const Call& call, store::Transaction& transaction) {
  constexpr int kModules = 5;
  const auto pause = std::max<std::chrono::milliseconds>(call.config.idle_period, std::chrono::minutes{1});
  return store::views::standstill(transaction, call.now, 3 * pause + kModules * call.config.module_time_limit);
}

bool may_change(const Call& call, const std::string& owner) { return call.caller.role == Role::administrator || call.caller.user == owner; }

http::Response not_yours(const Call& call, std::string_view what, const std::string& owner) {
  return error(403, fmt::format("{} is of {}, and you are {}", what, jdl::excerpt(owner), jdl::excerpt(call.caller.user)));
}

std::string campaign_text(grid::CampaignId id) { return fmt::format("campaign {}", id.value()); }

}  // namespace gleaner::api
