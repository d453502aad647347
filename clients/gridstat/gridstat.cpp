#include "clients/gridstat/gridstat.hpp"
#include "clients/standstill.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "clients/asked.hpp"

namespace gleaner::gridstat {
namespace {

using process::Error;
using process::ExitCode;

terminal::Form form_of(const process::Arguments& arguments) {
  const auto form = clients::form_of(arguments);
  const bool dump = arguments.has("dump") || arguments.has("pretty");
  if (dump && form != terminal::Form::human && form != terminal::Form::json)
    throw Error{ExitCode::usage, "--dump is JSON: no other form goes with it"};
  return dump ? terminal::Form::json : form;
}

bool is_number(const std::string& text) { return !text.empty() && text.find_first_not_of("0123456789,") == std::string::npos; }

/// The ids given with -c and without an option; the name after -u is not an id.
std::vector<std::int64_t> asked_ids(const process::Arguments& arguments) {
  auto named = arguments.all("campaign");
  for (const auto& argument : arguments.positional) {
    const bool is_user = arguments.value("user") == "" && !is_number(argument);
    if (!is_user) named.push_back(argument);
  }
  return clients::ids_of(named);
}

/// Options for single tasks.
void check_outputs(const process::Arguments& arguments, const std::vector<std::int64_t>& ids) {
  if (arguments.has("task")) static_cast<void>(clients::task_lists(arguments, ids));
  for (const std::string_view option :
       {"job", "watch", "order", "why", "history", "failures", "strip", "events", "jdl", "state", "failure", "report"}) {
    if (arguments.has("task") && arguments.has(option))
      throw Error{ExitCode::usage, fmt::format("--task and --{} exclude each other", option)};
  }
  const bool has_output = arguments.has("stdout") || arguments.has("stderr");
  if (has_output && !arguments.has("task") && !arguments.has("job"))
    throw Error{ExitCode::usage, "whose output? gridstat 12 --task 7 -O, or gridstat -j 31 -O"};
  for (const std::string_view option : {"follow", "lines", "attempt"}) {
    if (arguments.has(option) && !has_output)
      throw Error{ExitCode::usage, fmt::format("--{} goes with --stdout or --stderr: gridstat 12 --task 7 -O --{}", option, option)};
  }
  if (arguments.has("cinfos") && (!arguments.has("job") || has_output))
    throw Error{ExitCode::usage, "--cinfos shows one job, and not its output: gridstat -j 31 -C"};
  if (arguments.has("attempt") && arguments.has("job")) throw Error{ExitCode::usage, "--attempt is for --task: a job is one attempt"};
}

void check_parameters(const process::Arguments& arguments, const std::vector<std::int64_t>& ids) {
  if (!arguments.has("params")) return;
  if (ids.size() > 1) throw Error{ExitCode::usage, "--params prints the parameters of one campaign: give one id"};
  for (const std::string_view option :
       {"full", "watch", "order", "why", "history", "failures", "strip", "events", "jdl", "task", "job", "csv", "quiet"}) {
    if (arguments.has(option)) throw Error{ExitCode::usage, fmt::format("--params and --{} exclude each other", option)};
  }
}

void check_report(const process::Arguments& arguments, const std::vector<std::int64_t>& ids) {
  if (!arguments.has("report")) return;
  if (ids.size() > 1) throw Error{ExitCode::usage, "--report is about one campaign: give one id"};
  for (const std::string_view option : {"full", "watch", "params", "json", "dump", "pretty", "csv", "quiet", "offset", "limit"}) {
    if (arguments.has(option))
      throw Error{ExitCode::usage,
                  fmt::format("--report and --{} exclude each other: --report writes a page of HTML about all tasks", option)};
  }
}

void check_strip(const process::Arguments& arguments, const std::vector<std::int64_t>& ids) {
  if (!arguments.has("strip")) return;
  const bool json = arguments.has("json") || arguments.has("dump") || arguments.has("pretty");
  if (ids.size() > 1 && !json) throw Error{ExitCode::usage, "--strip draws one campaign: give one id (with --json several)"};
  for (const std::string_view option : {"full", "quiet", "offset", "limit"}) {
    if (arguments.has(option))
      throw Error{ExitCode::usage, fmt::format("--strip and --{} exclude each other: --strip draws all tasks", option)};
  }
}

void check_failures(const process::Arguments& arguments, const std::vector<std::int64_t>& ids) {
  if (!arguments.has("failures")) return;
  const bool json = arguments.has("json") || arguments.has("dump") || arguments.has("pretty");
  if (ids.size() > 1 && !json) throw Error{ExitCode::usage, "--failures is about one campaign: give one id (with --json several)"};
  for (const std::string_view option : {"full", "quiet", "offset", "limit"}) {
    if (arguments.has(option))
      throw Error{ExitCode::usage, fmt::format("--failures and --{} exclude each other: --failures shows all groups", option)};
  }
}

/// A page shows one view of a campaign at a time.
void check_views(const process::Arguments& arguments, const std::vector<std::int64_t>& ids) {
  std::string_view first;
  for (const std::string_view view :
       {"order", "why", "history", "failures", "strip", "events", "jdl", "state", "failure", "job", "report"}) {
    if (!arguments.has(view)) continue;
    if (!first.empty()) throw Error{ExitCode::usage, fmt::format("--{} and --{} exclude each other", first, view)};
    first = view;
  }
  if (arguments.has("closed") && first != "events")
    throw Error{ExitCode::usage, "--closed goes with --events: gridstat 12 --events --closed"};
  if (arguments.has("ratio") && first != "why") throw Error{ExitCode::usage, "--ratio goes with --why: gridstat 12 --why --ratio"};
  if (arguments.has("since") && first != "why") {
    const auto other = first.empty() ? std::string{} : fmt::format(", and not with --{}", first);
    throw Error{ExitCode::usage, fmt::format("--since goes with --why{}: gridstat 12 --why --since 24h", other)};
  }
  if (arguments.has("since") && arguments.has("ratio"))
    throw Error{ExitCode::usage, "--since and --ratio exclude each other: the one shows past reasons, the other the ratio of now"};
  if (first == "job" && !ids.empty()) throw Error{ExitCode::usage, "--job shows one job, whose campaign is known: gridstat -j 31"};
}

/// The page has the views of all campaigns, and a place for each option.
void check_web(const process::Arguments& arguments) {
  if (!arguments.has("web")) return;
  if (!arguments.positional.empty()) throw Error{ExitCode::usage, "--web prints the link to the page, which has all campaigns: give no id"};
  for (const std::string_view option :
       {"full",     "summary", "user",   "username", "all",    "by-user", "tree",  "why",    "ratio", "since",     "history", "order",
        "failures", "strip",   "report", "events",   "closed", "jdl",     "job",   "cinfos", "task",  "stdout",    "stderr",  "lines",
        "attempt",  "follow",  "state",  "failure",  "params", "offset",  "limit", "watch",  "csv",   "headerless"}) {
    if (arguments.has(option))
      throw Error{ExitCode::usage, fmt::format("--web and --{} exclude each other: --web prints a link to a page with all of it", option)};
  }
}

void check_order(const process::Arguments& arguments, const std::vector<std::int64_t>& ids) {
  if (!arguments.has("order")) return;
  if (ids.size() > 1) throw Error{ExitCode::usage, "--order shows the places of all campaigns, or of one: give no id, or one"};
  for (const std::string_view option : {"full", "summary", "all", "tree", "by-user"}) {
    if (arguments.has(option)) throw Error{ExitCode::usage, fmt::format("--order and --{} exclude each other", option)};
  }
}

/// Options that require a campaign.
void check_combination(const process::Arguments& arguments, const std::vector<std::int64_t>& ids) {
  check_web(arguments);
  for (const std::string_view option :
       {"full", "why", "history", "failures", "strip", "events", "jdl", "state", "failure", "params", "report"}) {
    if (arguments.has(option) && ids.empty())
      throw Error{ExitCode::usage, fmt::format("--{} needs the id of a campaign, such as: gridstat 3 --{}", option, option)};
  }
  for (const std::string_view option : {"summary", "all", "user", "username", "tree", "by-user"}) {
    if (arguments.has(option) && !ids.empty())
      throw Error{ExitCode::usage, fmt::format("--{} is for the list of campaigns, and not for one of them", option)};
  }
  for (const std::string_view option : {"tree", "offset", "limit", "dump", "pretty"}) {
    if (arguments.has("by-user") && arguments.has(option))
      throw Error{ExitCode::usage, fmt::format("--by-user and --{} exclude each other: --json is a line's object for each user", option)};
  }
  check_views(arguments, ids);
  check_outputs(arguments, ids);
  check_parameters(arguments, ids);
  check_report(arguments, ids);
  check_strip(arguments, ids);
  check_failures(arguments, ids);
  check_order(arguments, ids);
  for (const std::string_view option : {"order", "why", "history", "failures", "strip", "tree", "by-user"}) {
    if (arguments.has("watch") && arguments.has(option))
      throw Error{ExitCode::usage, fmt::format("--watch and --{} exclude each other", option)};
  }
}

}  // namespace

Setting Run::setting() const {
  return {output.screen(), has("headerless") ? terminal::Heading::left_out : terminal::Heading::shown,
          std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now())};
}

std::string Run::document(const clients::Json& json) const {
  return clients::dump(json, has("pretty") ? clients::Layout::indented : clients::Layout::one_line);
}

process::Outcome gridstat(const process::Context& context) {
  const auto& arguments = context.arguments;
  const auto ids = asked_ids(arguments);
  check_combination(arguments, ids);
  const auto form = form_of(arguments);
  const auto output = terminal::make_output(form);
  clients::ApiClient api{context.config};
  const Run run{context, api, *output, form};
  const bool has_output = arguments.has("stdout") || arguments.has("stderr");
  if (arguments.has("job") && has_output) {
    return show_job_outputs(run, clients::number_of(arguments, "job", 0, 1, std::numeric_limits<std::int64_t>::max()));
  } else if (arguments.has("task")) {
    return show_tasks(run, ids.front());
  } else if (arguments.has("job")) {
    show_job(run, clients::number_of(arguments, "job", 0, 1, std::numeric_limits<std::int64_t>::max()));
  } else if (arguments.has("web")) {
    show_web(run);
  } else if (arguments.has("watch")) {
    return watch(run, ids);
  } else if (arguments.has("order")) {
    show_order(run, ids.empty() ? std::nullopt : std::optional{ids.front()});
  } else if (ids.empty()) {
    show_list(run);
  } else if (arguments.has("why")) {
    show_why(run, ids);
  } else if (arguments.has("history")) {
    show_history(run, ids);
  } else if (arguments.has("failures")) {
    show_failures(run, ids);
  } else if (arguments.has("strip")) {
    show_strip(run, ids);
  } else if (arguments.has("events")) {
    show_events(run, ids);
  } else if (const auto file = arguments.value("report")) {
    write_report(run, ids.front(), *file);
  } else if (arguments.has("jdl")) {
    show_jdl(run, ids);
  } else if (arguments.has("params")) {
    show_parameters(run, ids.front());
  } else {
    show_campaigns(run, ids);
  }
  clients::report_standstill(api.standstill(), *output, context.now);
  return ExitCode::ok;
}

}  // namespace gleaner::gridstat
