#include "clients/griddel/griddel.hpp"

#include <fmt/format.h>

#include <array>

#include "clients/act.hpp"
#include "clients/api_client.hpp"
#include "clients/asked.hpp"
#include "lib/terminal/text.hpp"

namespace gleaner::griddel {
namespace {

using clients::Action;
using clients::ApiClient;
using process::Arguments;
using process::Error;
using process::ExitCode;

constexpr std::array kActions{
    Action{"pause", clients::Verb::post, "/hold", "paused"},
    Action{"resume", clients::Verb::post, "/resume", "resumed"},
    Action{"purge", clients::Verb::remove, "?purge=1", "purged"},
};

Action asked_action(const Arguments& arguments) {
  Action asked{"", clients::Verb::remove, "", "cancelled"};
  for (const auto& action : kActions) {
    if (!arguments.has(action.option)) continue;
    if (!asked.option.empty()) throw Error{ExitCode::usage, fmt::format("--{} and --{} exclude each other", asked.option, action.option)};
    asked = action;
  }
  for (const std::string_view other : {"task", "job"}) {
    const bool is_of_whole = asked.option == "purge";
    const bool takes_tasks = other == "task" && !is_of_whole;
    if (!asked.option.empty() && !takes_tasks && arguments.has(other))
      throw Error{ExitCode::usage, fmt::format("--{} does not go with --{}: {}", asked.option, other,
                                               is_of_whole ? "it is for whole campaigns" : "name a campaign, and its tasks by --task")};
  }
  if (arguments.has("dry-run") && asked.option == "purge") throw Error{ExitCode::usage, "--purge and --dry-run exclude each other"};
  return asked;
}

/// Cancels the task that the job carries out. Error (refused): the job is over, or is no task's.
std::string cancel_job(ApiClient& api, std::int64_t id, clients::Extent extent) {
  const auto job = api.get(fmt::format("/v1/jobs/{}", id)).json;
  const auto campaign = job["campaign_id"].integer();
  const auto task = job["task"].integer();
  if (task < 0)
    throw Error{ExitCode::refused,
                fmt::format("job {} is a prologue or an epilogue of campaign {}: it ends with the campaign", id, campaign)};
  if (!job["ending"].is_null())
    throw Error{ExitCode::refused, fmt::format("job {} is over; 'griddel {} --task {}' cancels its task", id, campaign, task)};
  const auto query = extent == clients::Extent::dry_run ? "?dry_run=1" : "";
  const auto message = api.remove(fmt::format("/v1/campaigns/{}/tasks/{}{}", campaign, task, query)).json["message"].text();
  return fmt::format("Job {}, task {}: {}", id, task, message);
}

/// A job that is refused does not stop the others.
process::Outcome cancel_jobs(ApiClient& api, terminal::Output& output, const std::vector<std::int64_t>& jobs, clients::Manner manner,
                             clients::Extent extent) {
  auto code = ExitCode::ok;
  std::string refusals;
  terminal::Answer answer{.table = {{{"job", "Job"}, {"message", "Message"}}, {}}};
  for (const auto id : jobs) {
    try {
      const auto message = cancel_job(api, id, extent);
      answer.text += terminal::printable(message) + "\n";
      answer.done += (answer.done.empty() ? "" : "; ") + terminal::printable(message);
      answer.table.rows.push_back({terminal::Cell{id}, terminal::Cell{message}});
      answer.ids.push_back(fmt::format("{}", id));
    } catch (const Error& error) {
      if (error.code() != ExitCode::not_found && error.code() != ExitCode::refused) throw;
      code = error.code();
      refusals += (refusals.empty() ? "" : "\n") + std::string{error.what()};
    }
  }
  const bool is_silent = manner == clients::Manner::cigri && extent == clients::Extent::done;
  if (!answer.table.rows.empty() && !is_silent) output.show(answer);
  return {code, refusals};
}

}  // namespace

process::Outcome griddel(const process::Context& context) {
  const auto& arguments = context.arguments;
  auto action = asked_action(arguments);
  const auto form = clients::form_of(arguments);
  const auto output = terminal::make_output(form);
  const auto manner = clients::manner_of(context, form);
  auto named = arguments.all("campaign-ids");
  named.insert(named.end(), arguments.positional.begin(), arguments.positional.end());
  const auto ids = clients::ids_of(named);
  if (arguments.has("job")) {
    if (!ids.empty() || arguments.has("task"))
      throw Error{ExitCode::usage, "--job is for jobs, whose campaigns are known: neither a campaign nor --task goes with it"};
    const auto jobs = clients::ids_of(arguments.all("job"), "a job");
    ApiClient api{context.config};
    return cancel_jobs(api, *output, jobs, manner, clients::extent_of(arguments));
  }
  const auto tasks = clients::task_lists(arguments, ids);
  if (!tasks.empty() && action.option.empty()) action.path = "/tasks";
  ApiClient api{context.config};
  return clients::act_on(api, *output, action, ids, tasks, manner, clients::extent_of(arguments));
}

}  // namespace gleaner::griddel
