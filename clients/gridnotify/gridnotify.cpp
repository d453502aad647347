#include "clients/gridnotify/gridnotify.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <thread>
#include <vector>

#include "clients/act.hpp"
#include "clients/api_client.hpp"
#include "clients/asked.hpp"
#include "lib/grid/clock.hpp"
#include "lib/terminal/output.hpp"
#include "lib/terminal/text.hpp"

namespace gleaner::gridnotify {
namespace {

using clients::ApiClient;
using clients::Json;
using process::Arguments;
using process::Error;
using process::ExitCode;
using terminal::Cell;

constexpr const char* kPath = "/v1/notifications";

/// The list is short, and has no pages.
std::vector<Json> subscriptions(ApiClient& api) { return api.get(kPath).json["items"].items(); }

/// The destination that the command line names.
struct Destination {
  std::string channel;
  std::string address;
};

std::optional<Destination> destination_of(const Arguments& arguments) {
  if (arguments.has("jabber"))
    throw Error{ExitCode::usage,
                "--jabber: this grid sends no jabber messages; use --mail ADDRESS, or --webhook URL --chat for a chat service"};
  const auto mail = arguments.value("mail");
  const auto webhook = arguments.value("webhook");
  if (mail && webhook) throw Error{ExitCode::usage, "--mail and --webhook: write one of them"};
  if (mail) return Destination{"mail", *mail};
  if (webhook) return Destination{"webhook", *webhook};
  return std::nullopt;
}

/// The time zone of this machine, where it has a name.
std::string our_zone() {
  if (const char* zone = std::getenv("TZ"); zone != nullptr && *zone != '\0') return *zone == ':' ? zone + 1 : zone;
  std::error_code error;
  const auto link = std::filesystem::read_symlink("/etc/localtime", error).string();
  constexpr std::string_view kFolder{"zoneinfo/"};
  const auto at = link.find(kFolder);
  return error || at == std::string::npos ? "UTC" : link.substr(at + kFolder.size());
}

std::string sent_text(const Json& item) {
  if (item["last_state"].text() == "failed") return "failed: " + item["last_error"].text();
  if (!item["last_error"].is_null()) return "tried again: " + item["last_error"].text();
  return item["last_sent"].is_null() ? "" : item["last_sent"].text();
}

terminal::Table table_of(const std::vector<Json>& items) {
  terminal::Table table{{{"id", "Id", terminal::Align::right},
                         {"audience", "About"},
                         {"channel", "By"},
                         {"address", "To", terminal::Align::left, terminal::Shrink::last},
                         {"severity", "From severity"},
                         {"quiet", "Quiet"},
                         {"pending", "Waiting", terminal::Align::right},
                         {"sent", "Last sent", terminal::Align::left, terminal::Shrink::when_needed}},
                        {},
                        "Nobody is told anything: gridnotify --mail ADDRESS --severity high"};
  for (const auto& item : items) {
    const auto quiet = item["quiet"].is_null() ? std::string{} : fmt::format("{} {}", item["quiet"].text(), item["zone"].text());
    const auto sent = sent_text(item);
    table.rows.push_back({Cell{item["id"].integer()},
                          Cell{item["audience"].text(), item["audience"].text() == "user" ? "my campaigns" : "the grid"},
                          Cell{item["channel"].text(), terminal::printable(item["channel"].text())},
                          Cell{item["address"].text(), terminal::printable(item["address"].text())}, Cell{item["severity"].text()},
                          Cell{quiet, terminal::printable(quiet)}, Cell{item["pending"].integer()}, Cell{sent, terminal::printable(sent)}});
  }
  return table;
}

std::string cigri_lines(const std::vector<Json>& items) {
  std::string text;
  for (const auto& item : items)
    text += fmt::format(" - {} on {} with severity {}\n", terminal::printable(item["channel"].text()),
                        terminal::printable(item["address"].text()), item["severity"].text());
  return text;
}

process::Outcome show(const process::Context& context, ApiClient& api, terminal::Output& output, terminal::Form form) {
  const auto items = subscriptions(api);
  auto table = table_of(items);
  const bool is_cigri = clients::manner_of(context, form) != clients::Manner::gleaner;
  output.show({.table = table,
               .text = is_cigri ? cigri_lines(items) : terminal::render_human(table, output.screen()),
               .json = clients::dump(Json::of(std::vector<Json::Member>{{"items", Json::of(items)}}), clients::Layout::one_line)});
  return ExitCode::ok;
}

process::Outcome add(const process::Context& context, ApiClient& api, terminal::Output& output, const Destination& to) {
  const auto& arguments = context.arguments;
  const auto severity = arguments.value("severity");
  if (!severity) throw Error{ExitCode::usage, "--severity is missing: write low, medium or high"};
  if (arguments.has("chat") && to.channel != "webhook") throw Error{ExitCode::usage, "--chat belongs to --webhook"};
  std::vector<Json::Member> members{
      {"channel", Json::of(to.channel)}, {"address", Json::of(to.address)}, {"severity", Json::of(*severity)}};
  if (arguments.has("chat")) members.emplace_back("form", Json::of(std::string{"text"}));
  if (arguments.has("global")) members.emplace_back("audience", Json::of(std::string{"administrators"}));
  if (const auto quiet = arguments.value("quiet-hours")) {
    members.emplace_back("quiet", Json::of(*quiet));
    members.emplace_back("zone", Json::of(arguments.value("zone").value_or(our_zone())));
  } else if (arguments.has("zone")) {
    throw Error{ExitCode::usage, "--zone belongs to --quiet-hours"};
  }
  const auto reply = api.ask(kPath, clients::dump(Json::of(members), clients::Layout::one_line));
  if (clients::manner_of(context, terminal::Form::human) != clients::Manner::cigri)
    output.report(fmt::format("subscription {}: {} is told by {} from severity {} on; try it: gridnotify --test",
                              reply.json["id"].integer(), terminal::printable(to.address), to.channel, *severity));
  if (const auto secret = reply.json["secret"].text(); !secret.empty())
    output.show(
        {.table = {{{"secret", "Secret"}}, {{Cell{secret}}}},
         .text = fmt::format(
             "secret: {}\nIts key: the header X-Gleaner-Signature has the HMAC-SHA256 of each message. It is shown only now.\n", secret),
         .done = "the subscription is made, and its secret is lost: remove it, and add it again"});
  return ExitCode::ok;
}

process::Outcome remove(const process::Context& context, ApiClient& api, terminal::Output& output, const Destination& to) {
  const auto reply = api.remove(fmt::format("{}?channel={}&address={}", kPath, to.channel, clients::url_encoded(to.address)));
  if (reply.json["count"].integer() == 0)
    return {ExitCode::not_found, fmt::format("there is no subscription of yours by {} to '{}': gridnotify --list shows them", to.channel,
                                             terminal::printable(to.address))};
  if (clients::manner_of(context, terminal::Form::human) != clients::Manner::cigri)
    output.report(fmt::format("{} is told nothing more", terminal::printable(to.address)));
  return ExitCode::ok;
}

/// Waits until the messages are taken by their servers. A subscription that was sent something since then leaves `waiting`.
void await_tests(ApiClient& api, std::map<std::int64_t, Json>& waiting) {
  constexpr std::chrono::seconds kPatience{20};
  constexpr std::chrono::milliseconds kLook{300};
  const auto until = grid::SteadyClock::now() + kPatience;
  while (!waiting.empty() && grid::SteadyClock::now() < until) {
    std::this_thread::sleep_for(kLook);
    for (const auto& item : subscriptions(api)) {
      const auto tested = waiting.find(item["id"].integer());
      if (tested == waiting.end()) continue;
      const bool is_new = item["last_sent"].text() != tested->second["last_sent"].text();
      if (is_new || (item["pending"].integer() == 0 && item["last_state"].text() == "sent")) waiting.erase(tested);
      else if (item["last_state"].text() == "failed" && item["pending"].integer() == 0) return;
    }
  }
}

process::Outcome test(ApiClient& api, terminal::Output& output, const std::optional<Destination>& only) {
  std::map<std::int64_t, Json> waiting;
  std::map<std::int64_t, std::string> names;
  for (const auto& item : subscriptions(api)) {
    if (only && (item["channel"].text() != only->channel || item["address"].text() != only->address)) continue;
    const auto id = item["id"].integer();
    api.post(fmt::format("{}/{}/test", kPath, id));
    names.emplace(id, terminal::printable(item["channel"].text() + " " + item["address"].text()));
    waiting.emplace(id, item);
  }
  if (names.empty()) return {ExitCode::not_found, "there is no such subscription: gridnotify --list shows yours"};
  await_tests(api, waiting);
  const auto items = subscriptions(api);
  for (const auto& item : items) {
    const auto id = item["id"].integer();
    if (!names.contains(id)) continue;
    if (!waiting.contains(id)) output.report(fmt::format("{}: a test message was taken", names.at(id)));
    else if (item["last_error"].is_null())
      output.report(fmt::format("{}: the test message was not sent yet: does the herald run?", names.at(id)));
    else output.report(fmt::format("{}: the test message was not taken: {}", names.at(id), terminal::printable(item["last_error"].text())));
  }
  return waiting.empty() ? process::Outcome{ExitCode::ok} : process::Outcome{ExitCode::failure};
}

}  // namespace

process::Outcome gridnotify(const process::Context& context) {
  const auto& arguments = context.arguments;
  const auto form = clients::form_of(arguments);
  const auto to = destination_of(arguments);
  const auto output = terminal::make_output(form);
  if (arguments.has("unsubscribe") && !to) throw Error{ExitCode::usage, "--unsubscribe: write which, with --mail ADDRESS or --webhook URL"};
  if (arguments.has("unsubscribe") && arguments.has("severity"))
    throw Error{ExitCode::usage, "--unsubscribe and --severity: write one of them"};
  ApiClient api{context.config};
  if (arguments.has("test")) return test(api, *output, to);
  if (to && arguments.has("unsubscribe")) return remove(context, api, *output, *to);
  if (to) {
    auto added = add(context, api, *output, *to);
    return arguments.has("list") ? show(context, api, *output, form) : added;
  }
  for (const auto* option : {"severity", "global", "quiet-hours", "zone", "chat"}) {
    if (arguments.has(option))
      throw Error{ExitCode::usage, fmt::format("--{}: write where to, with --mail ADDRESS or --webhook URL", option)};
  }
  return show(context, api, *output, form);
}

}  // namespace gleaner::gridnotify
