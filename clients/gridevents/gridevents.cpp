#include "clients/gridevents/gridevents.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "clients/act.hpp"
#include "clients/api_client.hpp"
#include "clients/asked.hpp"
#include "clients/cigri_tables.hpp"
#include "clients/events_view.hpp"
#include "clients/gridevents/by_hand.hpp"
#include "clients/pages.hpp"
#include "clients/standstill.hpp"
#include "lib/terminal/output.hpp"

namespace gleaner::gridevents {
namespace {

using clients::ApiClient;
using clients::Json;
using process::Arguments;
using process::Error;
using process::ExitCode;

/// The subjects of the command line: campaigns, events, the grid, or none of them.
struct Asked {
  std::vector<std::int64_t> campaigns;
  std::vector<std::int64_t> events;
  bool is_global = false;
};

Asked read_asked(const Arguments& arguments) {
  auto named = arguments.all("campaign");
  named.insert(named.end(), arguments.positional.begin(), arguments.positional.end());
  Asked asked{clients::ids_of(named), clients::ids_of(arguments.all("event"), "an event"), arguments.has("global")};
  if (static_cast<int>(!asked.campaigns.empty()) + static_cast<int>(!asked.events.empty()) + static_cast<int>(asked.is_global) > 1)
    throw Error{ExitCode::usage, "a campaign, --event and --global exclude each other"};
  if (arguments.has("all") && !asked.events.empty())
    throw Error{ExitCode::usage, "--all is for lists: an event that is named is shown whether it is open or closed"};
  return asked;
}

std::vector<Json> list(ApiClient& api, const Asked& asked, const Arguments& arguments) {
  std::vector<Json> events;
  for (const auto id : asked.events) events.push_back(api.get(fmt::format("/v1/events/{}", id)).json);
  if (!events.empty()) return events;
  std::vector<std::string> paths;
  for (const auto id : asked.campaigns) paths.push_back(fmt::format("/v1/campaigns/{}/events", id));
  if (asked.is_global) paths.emplace_back("/v1/events");
  if (paths.empty()) return clients::all_items(api, arguments.has("all") ? "/v1/events?mine=1&all=1" : "/v1/events?mine=1");
  for (const auto& path : paths) {
    for (auto& event : clients::all_items(api, path + (arguments.has("all") ? "?all=1" : ""))) {
      // Campaigns share the events of their clusters.
      const auto is_it = [&](const Json& known) { return known["id"].integer() == event["id"].integer(); };
      if (std::ranges::none_of(events, is_it)) events.push_back(std::move(event));
    }
  }
  return events;
}

void show(ApiClient& api, terminal::Output& output, const process::Context& context, const Asked& asked) {
  const auto events = list(api, asked, context.arguments);
  const auto of = asked.campaigns.size() == 1 ? clients::EventsOf::one_campaign : clients::EventsOf::grid;
  const auto heading = context.arguments.has("headerless") ? terminal::Heading::left_out : terminal::Heading::shown;
  terminal::Answer answer{
      .table = clients::events_table(events, heading, context.now),
      .text = clients::is_cigri_style(context.config) ? clients::cigri_events(events)
                                                      : clients::events_text(events, of, output.screen(), context.now),
      .json = clients::dump(Json::of(std::vector<Json::Member>{{"items", Json::of(events)}}), clients::Layout::one_line)};
  for (const auto& event : events) answer.ids.push_back(fmt::format("{}", event["id"].integer()));
  output.show(answer);
  clients::report_standstill(api.standstill(), output, context.now);
}

process::Outcome fix(ApiClient& api, terminal::Output& output, const Asked& asked, const process::Context& context) {
  const auto& arguments = context.arguments;
  if (asked.campaigns.empty() && asked.events.empty())
    throw Error{ExitCode::usage, "--fix closes the events of campaigns, or single ones: gridevents -f -c 12, or gridevents -f -e 31"};
  const bool is_single = asked.campaigns.empty();
  const auto path = fmt::format("{}{}", is_single ? "" : "/events", arguments.has("resubmit") ? "?resubmit=1" : "");
  const clients::Action action{.option = "fix",
                               .verb = clients::Verb::remove,
                               .path = path,
                               .done = "fixed",
                               .of = is_single ? clients::Action::Object::event : clients::Action::Object::campaign};
  return clients::act_on(api, output, action, is_single ? asked.events : asked.campaigns, {},
                         clients::manner_of(context, clients::form_of(arguments)));
}

}  // namespace

process::Outcome gridevents(const process::Context& context) {
  const auto& arguments = context.arguments;
  const auto asked = read_asked(arguments);
  if (arguments.has("resubmit") && !arguments.has("fix"))
    throw Error{ExitCode::usage, "--resubmit goes with --fix: gridevents -f -r -c 12"};
  if (arguments.has("fix") && arguments.has("all")) throw Error{ExitCode::usage, "--fix closes open events: --all does not go with it"};
  const bool by_hand = opens_by_hand(arguments);
  const auto output = terminal::make_output(clients::form_of(arguments));
  ApiClient api{context.config};
  if (by_hand) return open_by_hand(api, *output, context, asked.campaigns);
  if (arguments.has("fix")) return fix(api, *output, asked, context);
  show(api, *output, context, asked);
  return ExitCode::ok;
}

}  // namespace gleaner::gridevents
