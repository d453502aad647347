#include "clients/gridctl/commands.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iostream>

#include "clients/asked.hpp"
#include "lib/fleet/kept_database.hpp"
#include "lib/grid/planning_facts.hpp"
#include "lib/store/migrations.hpp"
#include "lib/text/suggest.hpp"

namespace gleaner::gridctl {
namespace {

using process::Error;
using process::ExitCode;

std::vector<std::string_view> access_options() {
  std::vector<std::string_view> options{
      "api",           "homes",       "authentication", "auth",       "login",           "secret-file", "identity-header", "ca-file",
      "certificate",   "key",         "no-verify",      "verify",     "flood",           "array_size",  "headroom",        "availability",
      "load_property", "shared_home", "shares",         "properties", "memory-property", "memory-unit", "memory-max"};
  grid::for_each_field(grid::kDeclaredFields, [&](const auto& field) { options.push_back(field.option); });
  return options;
}
const std::vector<std::string_view> kAccess = access_options();

std::vector<std::string_view> with(std::vector<std::string_view> options, std::string_view more) {
  options.push_back(more);
  return options;
}

std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const auto blank = std::min(text.find(' '), text.size());
    words.emplace_back(text.substr(0, blank));
    text.remove_prefix(std::min(blank + 1, text.size()));
  }
  return words;
}

std::string all_commands() {
  std::string text;
  for (const auto& command : commands()) text += fmt::format("{}{}", text.empty() ? "" : ", ", command.words);
  return text;
}

[[noreturn]] void refuse_unknown(const std::vector<std::string>& typed) {
  const auto& first = typed[0];
  std::vector<std::string> groups;
  std::vector<std::string> seconds;
  for (const auto& command : commands()) {
    const auto words = split_words(command.words);
    groups.push_back(words[0]);
    if (words[0] == first && words.size() > 1) seconds.push_back(words[1]);
  }
  if (seconds.empty()) {
    const std::vector<std::string_view> known{groups.begin(), groups.end()};
    throw Error{ExitCode::usage, fmt::format("unknown command '{}'{}; known: {}", first, text::did_you_mean(first, known), all_commands())};
  }
  const std::vector<std::string_view> known{seconds.begin(), seconds.end()};
  const auto second = typed.size() > 1 ? typed[1] : std::string{};
  const auto what = second.empty() ? fmt::format("'{}' alone is no command", first) : fmt::format("unknown command '{} {}'", first, second);
  std::string list;
  for (const auto& word : seconds) list += fmt::format("{}{} {}", list.empty() ? "" : ", ", first, word);
  throw Error{ExitCode::usage, fmt::format("{}{}; known: {}", what, text::did_you_mean(second, known), list)};
}

const Command& find_command(const std::vector<std::string>& typed) {
  if (typed.empty()) throw Error{ExitCode::usage, fmt::format("a command is needed: {} (see --help)", all_commands())};
  for (const auto& command : commands()) {
    const auto words = split_words(command.words);
    if (words.size() <= typed.size() && std::equal(words.begin(), words.end(), typed.begin())) return command;
  }
  refuse_unknown(typed);
}

void check_arguments(const Command& command, std::size_t given) {
  const auto named = split_words(command.arguments);
  const auto least = static_cast<std::size_t>(std::ranges::count_if(named, [](const auto& word) { return !word.starts_with('['); }));
  if (given >= least && given <= named.size()) return;
  throw Error{ExitCode::usage, fmt::format("usage: gridctl {} {}", command.words, command.arguments)};
}

void check_options(const Command& command, const process::Arguments& arguments) {
  constexpr std::array<std::string_view, 3> kForms{"json", "csv", "quiet"};
  for (const auto& [name, values] : arguments.options) {
    const bool taken = std::ranges::find(kForms, name) != kForms.end() || std::ranges::find(command.options, name) != command.options.end();
    if (!taken) throw Error{ExitCode::usage, fmt::format("'gridctl {}' does not take --{}", command.words, name)};
  }
}

}  // namespace

std::span<const Command> commands() {
  static const std::array kCommands{
      Command{"setup",
              "",
              "a first installation: make the roles, the database, the configuration and a token, and say what is left to do",
              {"yes", "user", "postgres", "listen", "certificate", "key", "directory"},
              setup},
      Command{"import cigri",
              "",
              "bring clusters, users and waiting campaigns out of CiGri 3's database; the campaigns are paused",
              {"from", "dry-run", "yes", "only", "campaigns", "user", "live-tasks", "drained", "while-cigri-runs", "directory", "ca-file",
               "certificate", "key", "insecure"},
              import_cigri},
      Command{"cycle", "", "have the conductor begin a cycle now, and wait until it has ended", {}, cycle},
      Command{"db migrate", "", "bring the database's schema up to this program's", {}, db_migrate},
      Command{"db status", "", "what the database holds, and who conducts the grid", {}, db_status},
      Command{"db restored", "", "after a restore: ids are given again, and files of before are not believed for them", {}, db_restored},
      Command{
          "db check", "", "which laws of the database hold; --repair repairs what can be repaired safely", {"repair", "full"}, db_check},
      Command{"cluster add", "NAME URL", "add a cluster by the URL of its OAR API", with(with(kAccess, "disabled"), "insecure"),
              cluster_add},
      Command{"cluster edit", "CLUSTER", "change how it is reached and used; other settings stay as they are",
              with(with(kAccess, "url"), "insecure"), cluster_edit},
      Command{"cluster list", "", "the clusters, as they are reached", {}, cluster_list},
      Command{"cluster show", "CLUSTER", "all that is known of one cluster, and how it is reached and used", {}, cluster_show},
      Command{"cluster disable", "CLUSTER", "submit nothing more to it; its jobs continue", {}, cluster_disable},
      Command{"cluster enable", "CLUSTER", "use it again, also a retired one", {}, cluster_enable},
      Command{"cluster retire",
              "CLUSTER",
              "it is gone: its jobs are lost, their tasks go elsewhere and may run twice",
              {"yes", "reason"},
              cluster_retire},
      Command{"cluster remove", "CLUSTER", "forget a cluster that no campaign ever used", {}, cluster_remove},
      Command{"job lost", "JOB", "declare a job lost: its task continues with a new attempt, and may run twice", {"reason"}, job_lost},
      Command{"launch list", "", "launches of unknown fate, and those that keep tasks bound to their cluster", {}, launch_list},
      Command{"launch lost",
              "LAUNCH",
              "declare all jobs of a launch lost, and free the tasks that wait because of it",
              {"reason"},
              launch_lost},
      Command{"token list", "", "users' tokens for clusters, without what is in them", {}, token_list},
      Command{"token import",
              "CLUSTER FILE",
              "keep the tokens in a file for their users: one a line, as 'oarsub -T' prints them",
              {},
              token_import},
      Command{"token delete", "CLUSTER USER", "delete a user's token", {}, token_delete},
      Command{"token new-key", "", "make the key that encrypts tokens (token_key_file), or put another in its place", {}, token_new_key},
      Command{"user map", "USER CLUSTER LOGIN", "the login of a user on a cluster, where it differs", {"insecure"}, user_map},
      Command{"user unmap", "USER CLUSTER", "forget that login: the user has the same name there", {}, user_unmap},
      Command{"user list", "", "the logins that differ from the users' names", {}, user_list},
      Command{"user priority",
              "USER PRIORITY",
              "a user's priority in the ticket draw: 1 the highest, 4 normal, 7 the lowest",
              {},
              user_priority},
      Command{"project priority",
              "PROJECT PRIORITY",
              "a project's priority, before those of its campaigns: 1 the highest, 4 normal, 7 the lowest",
              {},
              project_priority},
      Command{"group priority",
              "GROUP PRIORITY",
              "the priority of a unix group's members, after that of their projects: 1 the highest, 4 normal, 7 the lowest",
              {},
              group_priority},
      Command{"priority list", "", "the priorities of users, projects and groups that administrators set", {}, priority_list},
      // Before `limit set`, whose words it begins with.
      Command{"limit set consumable",
              "NAME MOST",
              "declare a consumable, such as a licence, and the most of it that is in use at once",
              {"user", "group", "project", "campaign", "cluster", "silent"},
              limit_set_consumable},
      Command{"limit set",
              "KIND MOST",
              "the most running_jobs, waiting_jobs, nodes, resources or resource_seconds of whom the options name",
              {"user", "group", "project", "campaign", "cluster", "silent", "days"},
              limit_set},
      Command{"limit list", "", "the limits, and what each counts now", {}, limit_list},
      Command{"limit remove", "LIMIT", "lift a limit", {}, limit_remove},
      Command{"keep set",
              "NAME",
              "keep --resources of a --cluster for whom the options name; others get what is left",
              {"cluster", "resources", "user", "group", "project", "type", "new-users", "campaign", "hours", "from", "until"},
              keep_set},
      Command{"keep list", "", "what is kept of clusters and for whom, and how much of it is in use", {}, keep_list},
      Command{"keep remove", "NAME", "keep it no longer", {}, keep_remove},
      Command{"share set",
              "project|group|user NAME SHARES",
              "the shares of a project, unix group or user, against its siblings in --project",
              {"project"},
              share_set},
      Command{"share list", "", "the tree of shares", {}, share_list},
      Command{"share remove",
              "project|group|user NAME",
              "forget a project, group or user of the tree, and all below it",
              {"project"},
              share_remove},
      Command{"usage list", "", "what users have used of the grid", {"days"}, usage_list},
      Command{
          "quality", "", "how good the plans were: started, waited, killed; errors of ratios and forecasts", {"cluster", "days"}, quality},
      Command{"affinity add", "USER CLUSTER", "serve a user's campaigns first on a cluster", {}, affinity_add},
      Command{"affinity remove", "USER CLUSTER", "remove an affinity", {}, affinity_remove},
      Command{"affinity list", "", "the affinities of users and clusters", {}, affinity_list},
      Command{"user allow-normal", "USER [CLUSTER]", "let a user submit jobs that are not best-effort", {}, user_allow_normal},
      Command{"user forbid-normal", "USER [CLUSTER]", "withdraw that permission", {}, user_forbid_normal},
      Command{"user list-normal", "", "the users who may, and where", {}, user_list_normal},
      Command{"user limit",
              "USER",
              "how much one user may submit, where the configuration's max_* options are not meant for them",
              {"campaigns", "tasks", "submission"},
              user_limit},
      Command{"user list-limits", "", "the users with limits of their own", {}, user_list_limits},
      Command{"rules list", "", "the admission rules, in the order in which they run", {}, rules_list},
      Command{"rules show", "RULE", "the text of a rule", {}, rules_show},
      Command{"rules add", "FILE", "add a rule, ruby in a file (`-`: standard input)", {"name", "position", "disabled"}, rules_add},
      Command{"rules edit", "RULE [FILE]", "give a rule another text, name or position", {"name", "position"}, rules_edit},
      Command{"rules enable", "RULE", "run it at each submission", {}, rules_enable},
      Command{"rules disable", "RULE", "keep it, and do not run it", {}, rules_disable},
      Command{"rules remove", "RULE", "forget it", {}, rules_remove},
      Command{"rules test", "FILE", "what each rule does to a campaign file", {"user", "nb-jobs"}, rules_test},
      Command{"check", "", "reach the database and every cluster; say what is wrong and what to do", {"as"}, check},
      Command{"prune", "", "delete what ended longer ago than the retention", {"older-than", "dry-run", "yes"}, prune},
      Command{"event list", "[CAMPAIGN]", "the open events: of the grid and its clusters, or of a campaign", {"all"}, event_list},
      Command{"event show", "EVENT", "an event with its whole message", {}, event_show},
      Command{"event close", "EVENT", "fix an event: close it, and lift its brake", {}, event_close},
      Command{"brake list", "", "the brakes in force: on what, why, since when, and how each ends", {}, brake_list},
      Command{"brake clear", "CAMPAIGN [CLUSTER]", "send jobs again; CAMPAIGN may be `any` for a cluster's own brake", {}, brake_clear},
      Command{"audit", "[CAMPAIGN]", "who changed what, from where and when; the newest first", {"user", "since"}, audit_list},
  };
  return kCommands;
}

process::Outcome dispatch(const process::Context& context) {
  const auto& typed = context.arguments.positional;
  const auto& command = find_command(typed);
  const auto words = split_words(command.words).size();
  std::vector<std::string> arguments{typed.begin() + static_cast<std::ptrdiff_t>(words), typed.end()};
  check_arguments(command, arguments.size());
  check_options(command, context.arguments);
  const auto output = terminal::make_output(clients::form_of(context.arguments));
  try {
    return command.act(Call{context, command.words, std::move(arguments), *output});
  } catch (const store::WrongSchema& error) {
    return {ExitCode::refused, error.what()};
  }
}

store::ConnectionLimits limits_of(const Call& call) {
  auto limits = fleet::connection_limits(call.context.config);
  limits.statement = {};
  return limits;
}

store::Database open_database(const Call& call) {
  store::Database database{call.context.config.database, limits_of(call)};
  store::check_schema(database);
  store::act_as(database, our_actor(), std::string{call.words});
  return database;
}

store::Actor our_actor() {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  const char* const before = std::getenv("SUDO_USER");
  return {.name = clients::our_name(),
          .origin = fmt::format("{}{}", host.data(), before == nullptr ? "" : fmt::format(", {} by sudo", before))};
}

bool is_confirmed(const Call& call, std::string_view word, std::string_view deed) {
  if (call.has("yes")) return true;
  if (::isatty(STDIN_FILENO) == 0) return false;
  call.output.report(fmt::format("gridctl: type {} to {}", word, deed));
  std::string typed;
  return std::getline(std::cin, typed) && typed == word;
}

jdl::Defaults defaults_of(const process::Config& config) {
  return {.resources = config.default_resources,
          .walltime = config.default_walltime,
          .most_attempts = config.max_attempts,
          .most_retries = config.max_retries,
          .grouping = config.temporal_grouping,
          .params_shell = config.params_shell};
}

grid::Limits limits_of(const process::Config& config) {
  return {.attempts = config.max_attempts,
          .charged = config.max_charged_attempts,
          .retries = config.max_retries,
          .walltime_factor = config.walltime_retry_factor};
}

}  // namespace gleaner::gridctl
