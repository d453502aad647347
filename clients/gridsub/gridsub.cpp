#include "clients/gridsub/gridsub.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>

#include "clients/act.hpp"
#include "clients/api_client.hpp"
#include "clients/asked.hpp"
#include "clients/gridsub/append.hpp"
#include "clients/gridsub/campaign.hpp"
#include "clients/gridsub/chain.hpp"
#include "clients/gridsub/edit.hpp"
#include "clients/gridsub/input_from.hpp"
#include "clients/gridsub/local.hpp"
#include "clients/gridsub/problems.hpp"
#include "clients/gridsub/rerun.hpp"
#include "clients/gridsub/submit.hpp"
#include "clients/gridsub/waiting.hpp"
#include "clients/gridsub/what_if.hpp"
#include "clients/gridsub/what_if_changes.hpp"
#include "lib/process/values.hpp"
#include "lib/terminal/text.hpp"

namespace gleaner::gridsub {
namespace {

using clients::ApiClient;
using clients::Reply;
using process::Error;
using process::ExitCode;
using terminal::Output;

constexpr std::array kActions{
    clients::Action{"hold", clients::Verb::post, "/hold", "held"},
    clients::Action{"resume", clients::Verb::post, "/resume", "resumed"},
    clients::Action{"retry", clients::Verb::post, "/retries", "retried"},
    clients::Action{"fix", clients::Verb::remove, "/events", "fixed"},
};

/// The time for a simulation (--budget).
TimeBudget budget_of(const process::Arguments& arguments) {
  const auto text = arguments.value("budget");
  if (!text) return {};
  const auto most = process::parse_duration(*text);
  if (!most || most->count() == 0) throw Error{ExitCode::usage, fmt::format("--budget={}: must be a time such as 30s or 2m", *text)};
  return {.most = *most, .is_asked_for = true};
}

/// How a simulation is made, and shown.
struct Manner {
  TimeBudget budget;
  terminal::Form form;
};

/// Simulates the grid with the checked campaign. Empty, with a note: it cannot be simulated; the check is valid all the same.
std::optional<Outlook> forecast_of(ApiClient& api, const Reply& checked, Output& output, const Manner& manner) {
  if (checked.json["candidate"].is_null()) return std::nullopt;
  try {
    return simulate(api, {checked.json["candidate"]}, manner.budget, manner.form);
  } catch (const Error& error) {
    output.report(fmt::format("gridsub: note: no forecast: {}", error.what()));
    return std::nullopt;
  }
}

/// The command of the first task, on each cluster where they differ; nothing where there is no task.
std::string first_commands(const Reply& checked) {
  if (checked.json["total_tasks"].integer() == 0) return {};
  const auto& clusters = checked.json["clusters"].items();
  const auto command_of = [](const clients::Json& cluster) { return terminal::printable(cluster["first_command"].text()); };
  const bool is_one =
      std::ranges::all_of(clusters, [&](const auto& cluster) { return command_of(cluster) == command_of(clusters.front()); });
  std::string text;
  for (const auto& cluster : clusters) {
    const auto where = is_one ? std::string{} : fmt::format(" on {}", terminal::printable(cluster["cluster_name"].text()));
    text += fmt::format("The first task runs{}: {}\n", where, command_of(cluster));
    if (is_one) break;
  }
  return text;
}

void check_only(ApiClient& api, Campaign& campaign, Output& output, const Manner& manner) {
  const auto reply = send(api, campaign, SubmissionMode::check_only);
  show_warnings(reply, output);
  const auto outlook = manner.form == terminal::Form::quiet ? std::nullopt : forecast_of(api, reply, output, manner);
  std::string clusters;
  for (const auto& cluster : reply.json["clusters"].items()) clusters += (clusters.empty() ? "" : ", ") + cluster["cluster_name"].text();
  auto json = reply.json;
  json.add("forecast", outlook ? forecast_json(*outlook) : clients::Json{});
  output.show({.text = fmt::format("{} is valid: {} on {}; nothing was submitted\n{}{}", campaign.source,
                                   terminal::counted(reply.json["total_tasks"].integer(), "task"), terminal::printable(clusters),
                                   first_commands(reply), outlook ? sentence_of(*outlook, output.screen()) : ""),
               .json = clients::dump(json, clients::Layout::one_line)});
}

/// Adds the names of campaigns that are simulated along with a candidate, and come first, to what the grid knows of those.
void add_first(clients::Json& candidate, const std::vector<FirstByName>& first) {
  using clients::Json;
  if (first.empty() || candidate.is_null()) return;
  std::vector<Json::Member> members;
  for (const auto& member : candidate.members()) {
    if (!grid::dependency_kind(member.first) && member.first != "held") members.push_back(member);
  }
  bool is_each = !candidate["held"].is_null();
  for (const auto kind : grid::kDependencyKinds) {
    auto campaigns = candidate[name_of(kind)].items();
    for (const auto& one : first) {
      if (one.kind != kind) continue;
      campaigns.push_back(Json::of(one.name));
      is_each = is_each || kind == grid::DependencyKind::after_each;
    }
    if (!campaigns.empty()) members.emplace_back(std::string{name_of(kind)}, Json::of(std::move(campaigns)));
  }
  if (is_each) members.emplace_back("held", candidate["waiting"]);
  candidate = Json::of(std::move(members));
}

/// Checks the campaigns as for a submission; without any, simulates the grid as it is.
process::Outcome what_if(ApiClient& api, std::vector<Campaign>& campaigns, Output& output, const Manner& manner) {
  std::vector<clients::Json> candidates;
  for (auto& campaign : campaigns) {
    const auto reply = send(api, campaign, SubmissionMode::check_only);
    show_warnings(reply, output);
    candidates.push_back(reply.json["candidate"]);
    add_first(candidates.back(), first_among(campaign, campaigns));
  }
  const auto outlook = simulate(api, candidates, manner.budget, manner.form);
  output.show({.text = describe(outlook, output.screen()), .json = to_json(outlook)});
  return ExitCode::ok;
}

/// Asks the API to play the grid with the changes that the words say.
process::Outcome what_if_changed(ApiClient& api, const std::vector<Campaign>& campaigns, const process::Arguments& arguments,
                                 Output& output) {
  for (const std::string_view option : {"budget", "type", "nb-jobs", "param-file"}) {
    if (arguments.has(option))
      throw Error{ExitCode::usage,
                  fmt::format("--{} and the change '{}' exclude each other: the API plays changes, in its own time, with a "
                              "campaign file as it is",
                              option, arguments.positional[0])};
  }
  if (campaigns.size() > 1)
    throw Error{ExitCode::usage,
                fmt::format("'{}': one campaign file goes with a change, and there are {}", arguments.positional[0], campaigns.size())};
  std::optional<std::string> jdl;
  for (const auto& campaign : campaigns) {
    if (campaign.parameters != nullptr)
      throw Error{ExitCode::usage, fmt::format("{}: with the change '{}' its parameters must be in the campaign file itself",
                                               campaign.source, arguments.positional[0])};
    jdl = campaign.text;
  }
  const auto reply = api.ask("/v1/what-if", what_if_question(arguments.positional, jdl));
  if (reply.status == 400)
    throw wrong_input(problems_of(reply.json), campaigns.empty() ? "the question" : campaigns[0].source, kNothingSubmitted);
  output.show({.text = describe_changed(reply.json, output.screen()), .json = clients::dump(reply.json, clients::Layout::one_line)});
  return ExitCode::ok;
}

/// --what-if allows no campaign file, and excludes options that act on campaigns.
void check_what_if(const process::Arguments& arguments) {
  if (!arguments.has("what-if")) return;
  for (const std::string_view option : {"hold", "resume", "retry", "fix", "edit", "campaign", "wait", "dry-run", "quiet"}) {
    if (arguments.has(option))
      throw Error{ExitCode::usage,
                  fmt::format("--what-if and --{} exclude each other: --what-if changes nothing, and shows a table", option)};
  }
}

/// --strict is about campaign files.
void check_strict(const process::Arguments& arguments) {
  if (!arguments.has("strict")) return;
  for (const std::string_view option : {"hold", "resume", "retry", "fix", "edit", "campaign"}) {
    if (arguments.has(option))
      throw Error{ExitCode::usage, fmt::format("--strict and --{} exclude each other: --strict is for campaign files", option)};
  }
}

bool names_an_action(const process::Arguments& arguments) {
  return std::ranges::any_of(kActions, [&](const auto& action) { return arguments.has(action.option); });
}

/// Options that have a meaning beside another one only.
void check_companions(const process::Arguments& arguments) {
  const bool simulates =
      arguments.has("what-if") || (arguments.has("dry-run") && !arguments.has("campaign") && !names_an_action(arguments));
  if (arguments.has("budget") && !simulates)
    throw Error{ExitCode::usage, "--budget goes with --what-if, or with --dry-run of a new campaign: 'gridsub --what-if --budget 1m'"};
  if (arguments.has("cluster")) throw Error{ExitCode::usage, "--cluster goes with --local: 'gridsub --local 3 --cluster alpha -f pi.jdl'"};
}

bool names_a_campaign(const process::Arguments& arguments) {
  for (const std::string_view option : {"file", "json", "nb-jobs", "param-file", "type"}) {
    if (arguments.has(option)) return true;
  }
  return false;
}

/// CiGri's options for the parameters of an append.
void check_jobs_options(const process::Arguments& arguments) {
  for (const std::string_view option : {"jobfile", "jsonjob"}) {
    if (arguments.has(option)) throw Error{ExitCode::usage, fmt::format("--{} appends tasks to a campaign: name it by -c ID", option)};
  }
}

terminal::Form form_of(const process::Arguments& arguments) {
  if (arguments.has("details")) return terminal::Form::json;
  return arguments.has("quiet") ? terminal::Form::quiet : terminal::Form::human;
}

/// An option beside one that names submitted campaigns is refused unless it has a meaning there.
void check_alone(const process::Arguments& arguments, std::string_view act, std::initializer_list<std::string_view> taken) {
  for (const auto& [option, values] : arguments.options) {
    if (option == act || std::ranges::find(taken, option) != taken.end()) continue;
    throw Error{ExitCode::usage, fmt::format("--{} and --{} exclude each other", act, option)};
  }
}

/// The tasks that are run again.
std::string retry_query(const process::Arguments& arguments) {
  for (const std::string option : {"sink", "failure"}) {
    if (const auto value = arguments.value(option)) return "?" + option + "=" + clients::url_encoded(*value);
  }
  return {};
}

/// `--retry ID KEY=VALUE`: the failed tasks run again with another JDL.
void check_changes(const clients::Action& action, const std::vector<std::int64_t>& ids, const std::string& change) {
  if (action.option != "retry")
    throw Error{ExitCode::usage, fmt::format("'{}': --{} takes no KEY=VALUE; --edit and --retry do", change, action.option)};
  if (ids.size() != 1)
    throw Error{ExitCode::usage,
                fmt::format("'{}': one campaign is edited and retried at a time: gridsub --retry ID KEY=VALUE...", change)};
}

std::optional<clients::Action> asked_action(const process::Arguments& arguments) {
  std::optional<clients::Action> asked;
  for (const auto& action : kActions) {
    if (!arguments.has(action.option)) continue;
    if (asked) throw Error{ExitCode::usage, fmt::format("--{} and --{} exclude each other", asked->option, action.option)};
    asked = action;
  }
  if (arguments.has("sink") && (!asked || asked->option != "retry"))
    throw Error{ExitCode::usage, "--sink goes with --retry: 'gridsub --retry ID --sink SINK'"};
  if (arguments.has("failure") && (!asked || asked->option != "retry"))
    throw Error{ExitCode::usage, "--failure goes with --retry: 'gridsub --retry ID --failure GROUP'"};
  if (arguments.has("task") && (!asked || asked->option == "fix"))
    throw Error{ExitCode::usage, "--task goes with --retry, --hold and --resume: 'gridsub --retry ID --task 7,9-12'"};
  if (arguments.has("task") && arguments.has("sink"))
    throw Error{ExitCode::usage, "--task and --sink exclude each other: a sink names its tasks itself"};
  for (const auto& [one, other] : {std::pair{"failure", "sink"}, std::pair{"failure", "task"}}) {
    if (arguments.has(one) && arguments.has(other))
      throw Error{ExitCode::usage,
                  fmt::format("--{0} and --{1} exclude each other: a group of failures names its tasks itself", one, other)};
  }
  if (asked && (arguments.has("file") || arguments.has("json")))
    throw Error{ExitCode::usage, fmt::format("--{} is for campaigns that were submitted before", asked->option)};
  if (asked) check_alone(arguments, asked->option, {"failure", "sink", "task", "quiet", "details", "dry-run"});
  return asked;
}

}  // namespace

process::Outcome gridsub(const process::Context& context) {
  const auto& arguments = context.arguments;
  check_what_if(arguments);
  check_strict(arguments);
  const auto form = form_of(arguments);
  const auto output = terminal::make_output(form);
  if (arguments.has("local")) return run_local(context, *output);
  check_companions(arguments);
  if (auto action = asked_action(arguments)) {
    const auto path = fmt::format("{}{}", action->path, retry_query(arguments));
    action->path = path;
    auto named = arguments.all(action->option);
    auto changes = arguments.positional;
    const auto [first, last] = std::ranges::stable_partition(changes, [](const auto& word) { return word.find('=') != std::string::npos; });
    named.insert(named.end(), first, last);
    changes.erase(first, last);
    const auto ids = clients::ids_of(named);
    if (!changes.empty()) check_changes(*action, ids, changes.front());
    if (!changes.empty() && arguments.has("dry-run"))
      throw Error{ExitCode::usage,
                  fmt::format("'{}': --dry-run of a change is 'gridsub --edit {} --dry-run {}'", changes.front(), ids[0], changes.front())};
    const auto tasks = clients::task_lists(arguments, ids);
    ApiClient api{context.config};
    if (!changes.empty()) {
      clients::check_act(api, *action, ids[0], tasks);  // the tasks that wait are not changed for a retry of none
      edit_before_retry(api, *output, ids[0], changes);
    }
    return clients::act_on(api, *output, *action, ids, tasks, clients::Manner::gleaner, clients::extent_of(arguments));
  }
  if (arguments.has("edit")) {
    edit(context, *output);
    return ExitCode::ok;
  }
  if (!arguments.positional.empty() && !arguments.has("what-if"))
    throw Error{ExitCode::usage, fmt::format("unexpected argument '{}': a campaign file is given by -f", arguments.positional[0])};
  if (arguments.has("campaign") && !arguments.has("rerun-failed")) {
    const auto id = append(context, *output);
    if (!arguments.has("wait") || arguments.has("dry-run")) return ExitCode::ok;
    ApiClient api{context.config};
    return wait_for(api, *output, form, {id});
  }
  check_jobs_options(arguments);
  const Manner manner{.budget = budget_of(arguments), .form = form};
  const bool simulates = arguments.has("what-if");
  const auto ask = [&](const Campaign& campaign) { return problems_of_grid(context.config, campaign); };
  auto failed = arguments.has("rerun-failed") ? failed_parameters(context) : nullptr;
  auto campaigns = simulates && !names_a_campaign(arguments) ? std::vector<Campaign>{} : read_campaigns(arguments, ask, std::move(failed));
  ApiClient api{context.config};
  bring_outputs(context, api, campaigns, *output);
  if (simulates && !arguments.positional.empty()) return what_if_changed(api, campaigns, arguments, *output);
  if (simulates) return what_if(api, campaigns, *output, manner);
  if (arguments.has("dry-run")) {
    for (auto& campaign : campaigns) check_only(api, campaign, *output, manner);
    return ExitCode::ok;
  }
  const auto ids = submit_all(api, campaigns, *output, announcement_of(context));
  if (!arguments.has("wait")) return ExitCode::ok;
  return wait_for(api, *output, form, ids);
}

}  // namespace gleaner::gridsub
