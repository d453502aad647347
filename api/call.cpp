#include "api/call.hpp"

#include <algorithm>
#include <chrono>
#include <limits>

#include <fmt/format.h>

#include "lib/fleet/health.hpp"
#include "lib/text/numbers.hpp"
#include "lib/text/percent.hpp"
#include "lib/text/utc.hpp"

namespace gleaner::api {

Asked<std::int64_t> number(const Call& call, std::string_view name, std::int64_t fallback, Bounds bounds, std::string_view remark) {
  const auto text = call.request.parameter(name);
  if (!text) return fallback;
  const auto value = text::whole_number(*text, bounds.least, bounds.most);
  if (!value) {
    return tl::unexpected{error(Code::bad_value, fmt::format("{}={}: a whole number from {} to {} is needed{}", name, jdl::excerpt(*text),
                                                             bounds.least, bounds.most, remark))};
  }
  return *value;
}

Asked<std::optional<grid::Instant>> instant(const Call& call, std::string_view name) {
  const auto text = call.request.parameter(name);
  if (!text) return std::optional<grid::Instant>{};
  // A `+` that was not encoded has become a blank. A time has none; only its offset can have begun with a `+`.
  std::string with_sign{*text};
  std::ranges::replace(with_sign, ' ', '+');
  const auto time = text::read_utc(with_sign);
  if (!time || *time < std::chrono::sys_seconds{})
    return tl::unexpected{error(
        Code::bad_value, fmt::format("{}={}: a time such as 2026-11-20T18:14:56Z is needed, of 1970 or later", name, jdl::excerpt(*text)))};
  return std::optional{grid::Instant{*time}};
}

bool flag(const http::Request& request, std::string_view name) {
  const auto text = request.parameter(name);
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
  for (const auto& [key, value] : call.request.query) {
    if (key != name) continue;
    for (std::string_view rest = value; !rest.empty();) {
      const auto comma = std::min(rest.find(','), rest.size());
      if (comma != 0) parts.emplace_back(rest.substr(0, comma));
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
  }
  return parts;
}

std::optional<std::int64_t> id_of(const std::string& part) {
  const auto id = text::whole_number(part);
  return id ? std::optional{*id} : std::nullopt;
}

http::Response no_campaign(const Call& call) {
  return error(Code::no_such_campaign, fmt::format("there is no campaign '{}'", jdl::excerpt(call.parts.at(0))));
}

std::string href_with(const Call& call, const http::Query& replaced) {
  std::string query;
  const auto add = [&query](const std::string& key, const std::string& value) {
    query += fmt::format("{}{}={}", query.empty() ? '?' : '&', text::percent_encoded(key), text::percent_encoded(value));
  };
  for (const auto& [key, value] : call.request.query) {
    if (std::ranges::find(replaced, key, &http::Query::value_type::first) == replaced.end()) add(key, value);
  }
  for (const auto& [key, value] : replaced) add(key, value);
  return call.request.path + query;
}

std::optional<grid::Instant> standstill_of(const Call& call, store::Transaction& transaction) {
  const auto trouble = fleet::standstill(store::conduct(transaction), call.config, call.now);
  return trouble ? trouble->since : std::nullopt;
}

bool may_change(const Call& call, const std::string& owner) { return call.caller.role == Role::administrator || call.caller.user == owner; }

http::Response not_yours(const Call& call, std::string_view what, const std::string& owner) {
  return error(Code::not_yours, fmt::format("{} is of {}, and you are {}", what, jdl::excerpt(owner), jdl::excerpt(call.caller.user)));
}

std::string campaign_text(grid::CampaignId id) { return fmt::format("campaign {}", id.value()); }

}  // namespace gleaner::api
