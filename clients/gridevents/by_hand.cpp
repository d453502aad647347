#include "clients/gridevents/by_hand.hpp"

#include <fmt/format.h>

#include <limits>

#include "clients/asked.hpp"
#include "lib/process/values.hpp"
#include "lib/terminal/text.hpp"
#include "lib/terminal/times.hpp"
#include "lib/text/utc.hpp"

namespace gleaner::gridevents {
namespace {

using process::Arguments;
using process::Error;
using process::ExitCode;

/// `&expires=2026-11-20T18:14:56Z`, of --for; empty without it.
std::string expiry_of(const Arguments& arguments, grid::Instant now) {
  const auto given = arguments.value("for");
  if (!given) return {};
  const auto time = process::parse_duration(*given);
  const auto seconds = time ? std::chrono::ceil<std::chrono::seconds>(*time) : std::chrono::seconds{0};
  if (seconds.count() == 0) throw Error{ExitCode::usage, fmt::format("--for={}: must be a time such as 30m, 12h or 7d", *given)};
  return "&expires=" + text::utc(now + seconds);
}

void open(clients::ApiClient& api, terminal::Output& output, const std::string& path, grid::Instant now) {
  const auto reply = api.post(path).json;
  const auto message = terminal::in_local_times(terminal::printable(reply["message"].text()), now);
  output.show({.table = {{{"event", "Event"}, {"message", "Message"}},
                         {{terminal::Cell{reply["id"].integer()}, terminal::Cell{reply["message"].text()}}}},
               .text = message + "\n",
               .ids = {fmt::format("{}", reply["id"].integer())},
               .done = message});
}

}  // namespace

bool opens_by_hand(const Arguments& arguments) {
  const bool blacklists = arguments.has("blacklist-cluster");
  const bool marks = arguments.has("mark-job-event");
  if (!blacklists && arguments.has("for"))
    throw Error{ExitCode::usage,
                "--for goes with --blacklist-cluster: gridevents --blacklist-cluster alpha --reason 'disk full' --for 12h"};
  if (!blacklists && !marks && arguments.has("reason"))
    throw Error{ExitCode::usage, "--reason goes with --blacklist-cluster or --mark-job-event"};
  if (!blacklists && !marks) return false;
  if (blacklists && marks) throw Error{ExitCode::usage, "--blacklist-cluster and --mark-job-event exclude each other"};
  for (const std::string_view option : {"fix", "resubmit", "all", "global", "event"}) {
    if (arguments.has(option))
      throw Error{ExitCode::usage,
                  fmt::format("--{} and --{} exclude each other", blacklists ? "blacklist-cluster" : "mark-job-event", option)};
  }
  if (!arguments.has("reason")) throw Error{ExitCode::usage, "why? Add --reason TEXT, for those who find the event"};
  return true;
}

process::Outcome open_by_hand(clients::ApiClient& api, terminal::Output& output, const process::Context& context,
                              const std::vector<std::int64_t>& campaigns) {
  const auto& arguments = context.arguments;
  const auto reason = "&reason=" + clients::url_encoded(arguments.value("reason").value_or(""));
  if (arguments.has("mark-job-event")) {
    if (!campaigns.empty()) throw Error{ExitCode::usage, "--mark-job-event takes no campaign: a job has its own"};
    const auto job = clients::number_of(arguments, "mark-job-event", 0, 1, std::numeric_limits<std::int64_t>::max());
    open(api, output, fmt::format("/v1/events?job={}{}", job, reason), context.now);
    return ExitCode::ok;
  }
  const auto path = fmt::format("/v1/events?cluster={}{}{}", clients::url_encoded(arguments.value("blacklist-cluster").value_or("")),
                                reason, expiry_of(arguments, context.now));
  if (campaigns.empty()) open(api, output, path, context.now);
  for (const auto campaign : campaigns) open(api, output, fmt::format("{}&campaign={}", path, campaign), context.now);
  return ExitCode::ok;
}

}  // namespace gleaner::gridevents
