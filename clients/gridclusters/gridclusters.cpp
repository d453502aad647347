#include "clients/gridclusters/gridclusters.hpp"

#include <fmt/format.h>

#include <array>

#include "clients/api_client.hpp"
#include "clients/asked.hpp"
#include "clients/cigri_tables.hpp"
#include "clients/gridclusters/since.hpp"
#include "clients/gridclusters/views.hpp"
#include "clients/pages.hpp"
#include "clients/standstill.hpp"
#include "lib/process/values.hpp"
#include "lib/text/utc.hpp"

namespace gleaner::gridclusters {
namespace {

using clients::Json;
using process::Arguments;
using process::Error;
using process::ExitCode;

/// Options that choose a view for people.
constexpr std::array<std::string_view, 4> kViews{"bars", "more-infos", "usage", "infos"};

void check(const Arguments& arguments) {
  for (const auto view : kViews) {
    if (arguments.has(view) && arguments.has("since"))
      throw Error{ExitCode::usage, fmt::format("--since and --{} exclude each other", view)};
    for (const std::string_view form : {"json", "csv", "quiet"}) {
      if (arguments.has(view) && arguments.has(form))
        throw Error{ExitCode::usage, fmt::format("--{} is for people: --{} has all the figures without it", view, form)};
    }
  }
}

std::string text_of(const process::Context& context, const std::vector<Json>& clusters, const terminal::Table& table,
                    const terminal::Screen& screen) {
  const auto& arguments = context.arguments;
  const bool is_cigri = clients::is_cigri_style(context.config);
  if (arguments.has("bars")) return bars_text(clusters, screen);
  if (arguments.has("more-infos")) return is_cigri ? clients::cigri_details(clusters) : details_text(clusters);
  if (arguments.has("usage") && is_cigri) return clients::cigri_usage(clusters);
  if (arguments.has("usage")) return (arguments.has("infos") ? infos_text(clusters) : "") + usage_text(clusters, screen);
  if (arguments.has("infos")) return is_cigri ? clients::cigri_infos(clusters) : infos_text(clusters);
  if (is_cigri) return clients::cigri_clusters(clusters);
  return terminal::render_human(table, screen) + reasons(clusters, screen, context.now);
}

/// The use of the clusters in time.
terminal::Answer use_in_time(const process::Context& context, clients::ApiClient& api, const terminal::Screen& screen) {
  const auto text = *context.arguments.value("since");
  const auto span = process::parse_duration(text);
  if (!span || *span < std::chrono::minutes{1})
    throw Error{ExitCode::usage, fmt::format("--since={}: must be a time of a minute or more, such as 1h, 24h or 7d", text)};
  const auto slices = Slices::of(*span, context.now);
  const auto clusters = clients::all_items(api, slices.path());
  const auto document = Json::of(std::vector<Json::Member>{{"items", Json::of(clusters)},
                                                           {"from", Json::of(text::utc(slices.from))},
                                                           {"to", Json::of(text::utc(slices.to))},
                                                           {"step", Json::of(std::int64_t{slices.step.count()})},
                                                           {"total", Json::of(std::ssize(clusters))}});
  terminal::Answer answer{.table = use_table(clusters, slices), .json = clients::dump(document, clients::Layout::one_line)};
  if (context.arguments.has("headerless")) answer.table.heading = terminal::Heading::left_out;
  for (const auto& cluster : clusters) answer.ids.push_back(cluster["cluster_name"].text());
  answer.text = terminal::render_human(answer.table, screen) + outages_text(clusters, context.now);
  return answer;
}

}  // namespace

process::Outcome gridclusters(const process::Context& context) {
  const auto& arguments = context.arguments;
  check(arguments);
  const auto output = terminal::make_output(clients::form_of(arguments));
  clients::ApiClient api{context.config};
  if (arguments.has("since")) {
    output->show(use_in_time(context, api, output->screen()));
    return ExitCode::ok;
  }
  const auto clusters = clients::all_items(api, "/v1/clusters");
  const auto document = Json::of(std::vector<Json::Member>{
      {"items", Json::of(clusters)}, {"total", Json::of(std::ssize(clusters))}, {"standstill", api.standstill()}});
  terminal::Answer answer{.table = clusters_table(clusters, context.now), .json = clients::dump(document, clients::Layout::one_line)};
  if (arguments.has("headerless")) answer.table.heading = terminal::Heading::left_out;
  for (const auto& cluster : clusters) answer.ids.push_back(cluster["name"].text());
  if (!clusters.empty()) answer.text = text_of(context, clusters, answer.table, output->screen());
  output->show(answer);
  clients::report_standstill(api.standstill(), *output, context.now);
  return ExitCode::ok;
}

}  // namespace gleaner::gridclusters
