// Shows in which order the campaigns are served.
#include <fmt/format.h>

#include <limits>

#include "clients/asked.hpp"
#include "clients/gridstat/gridstat.hpp"
#include "lib/terminal/times.hpp"

namespace gleaner::gridstat {

using clients::Json;

void show_order(const Run& run, std::optional<std::int64_t> campaign) {
  const auto& arguments = run.context.arguments;
  const auto limit = clients::number_of(arguments, "limit", 1000, 1, 10000);
  const auto offset = clients::number_of(arguments, "offset", 0, 0, std::numeric_limits<std::int64_t>::max());
  auto path = fmt::format("/v1/order?limit={}&offset={}", limit, offset);
  if (campaign) path += fmt::format("&campaign={}", *campaign);
  if (const auto user = asked_user(run)) path += "&user=" + clients::url_encoded(*user);
  const auto order = run.api.get(path).json;
  terminal::Answer answer{.table = order_table(order, run.setting())};
  for (const auto& place : order["items"].items()) {
    if (!place["campaign_id"].is_null()) answer.ids.push_back(fmt::format("{}", place["campaign_id"].integer()));
  }
  if (run.form == terminal::Form::json) answer.json = run.document(order);
  run.output.show(answer);
  if (run.form != terminal::Form::human || order["campaign_order"].is_null()) return;
  const auto shown = static_cast<std::int64_t>(order["items"].items().size());
  auto hint =
      fmt::format("the order is '{}', and has {} place{}; as it stands since {}", order["campaign_order"].text(), order["places"].integer(),
                  order["places"].integer() == 1 ? "" : "s", terminal::near_time(order["since"].seconds(), run.context.now));
  if (order["total"].integer() > shown) hint += fmt::format("; {} of {} are shown (--offset, --limit)", shown, order["total"].integer());
  if (!order["old_since"].is_null()) hint += "; nothing is planned any more";
  run.output.report(fitted(hint, run.setting()));
}

}  // namespace gleaner::gridstat
