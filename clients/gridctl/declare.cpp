// Declarations by an administrator: clusters that are gone, jobs and launches that are lost.
#include <fmt/format.h>

#include "clients/asked.hpp"
#include "clients/gridctl/commands.hpp"
#include "lib/process/values.hpp"
#include "lib/store/clock.hpp"
#include "lib/store/declarations.hpp"
#include "lib/terminal/text.hpp"
#include "lib/text/numbers.hpp"

namespace gleaner::gridctl {
namespace {

using process::Error;
using process::ExitCode;

store::Declarer author_of(const Call& call) { return {clients::our_name(), call.value("reason").value_or("")}; }

template <class Id>
Id id_of(const Call& call, std::string_view what) {
  const auto read = text::whole_number(call.arguments[0], std::int64_t{1});
  if (!read) throw Error{ExitCode::usage, fmt::format("'{}' is not the id of {}", call.arguments[0], what)};
  return Id{*read};
}

/// Runs the declaration in one transaction, while no module writes.
std::string declare(const Call& call, const std::function<std::string(store::Transaction&)>& work) {
  auto database = open_database(call);
  std::string message;
  store::transact(database, std::nullopt, [&](store::Transaction& transaction) {
    store::hold_lease(transaction);
    message = work(transaction);
    store::wake_up(transaction);
  });
  return message;
}

store::Cluster cluster_in_use(store::Transaction& transaction, const std::string& name) {
  auto cluster = known_cluster(transaction, name);
  if (cluster.retired_at)
    throw Error{ExitCode::refused, fmt::format("{} is retired already: 'gridctl cluster enable {}' brings it back", name, name)};
  return cluster;
}

/// Prints what is at risk, before anything is changed.
void warn_of_risk(const Call& call, const std::string& name) {
  auto database = open_database(call);
  auto transaction = database.begin();
  const auto cluster = cluster_in_use(transaction, name);
  auto risk = store::risk_of(store::live_jobs_of(transaction, cluster.id));
  risk.bound = store::bound_tasks_of(transaction, cluster.id);
  call.output.report(
      fmt::format("gridctl: {} has {}{}", name, store::describe(risk),
                  risk.is_none() ? " of ours" : ": their tasks go to other clusters, and run twice if one of these jobs still runs"));
}

}  // namespace

process::Outcome cluster_retire(const Call& call) {
  const auto& name = call.arguments[0];
  warn_of_risk(call, name);
  if (!is_confirmed(call, name, "retire it"))
    return {ExitCode::refused, fmt::format("{} is not retired, nothing was changed: confirm it with --yes", name)};
  const auto message = declare(call, [&](store::Transaction& transaction) {
    const auto cluster = cluster_in_use(transaction, name);
    const auto author = author_of(call);
    const auto now = store::now(transaction);
    if (!store::retire_cluster(transaction, cluster.id, now)) throw std::logic_error{"a cluster that was not retired cannot be retired"};
    const auto jobs =
        store::lose_jobs(transaction, store::live_jobs_of(transaction, cluster.id), limits_of(call.context.config), author, now);
    const auto released = store::release_bound_tasks(transaction, cluster.id, author, now);
    const auto text = fmt::format("{} is retired: {} lost, {} released; it gets nothing more, and is not asked any more", name,
                                  terminal::counted(jobs, "job") + (jobs == 1 ? " is" : " are"),
                                  terminal::counted(released, "bound task") + (released == 1 ? " is" : " are"));
    store::declare(transaction, {.what = "cluster_retired", .subject = name, .author = author, .message = text}, now);
    return text;
  });
  call.output.report("gridctl: " + message);
  return ExitCode::ok;
}

process::Outcome job_lost(const Call& call) {
  const auto id = id_of<grid::JobId>(call, "a job");
  const auto message = declare(call, [&](store::Transaction& transaction) {
    const auto job = store::find_job(transaction, id);
    if (!job) throw Error{ExitCode::not_found, fmt::format("there is no job {}", id.value())};
    const auto jobs = store::live_jobs_of(transaction, id);
    if (jobs.empty() && job->state == grid::JobState::planned)
      throw Error{
          ExitCode::refused,
          fmt::format("job {} is only planned, nothing of it was sent: the next cycle sends it or gives its task back", id.value())};
    if (jobs.empty())
      throw Error{ExitCode::refused, fmt::format("job {} is over already ({}, {})", id.value(), grid::name_of(job->state), job->ending)};
    store::lose_jobs(transaction, jobs, limits_of(call.context.config), author_of(call), store::now(transaction));
    const auto& one = jobs.front();
    const auto text = fmt::format(
        "job {} of task {} of campaign {} on {} is lost: its task goes on with a new attempt, and runs twice if the job goes on there",
        id.value(), one.task.value(), one.campaign.value(), one.cluster_name);
    store::declare(transaction, {.what = "job_lost", .subject = fmt::format("{}", id.value()), .author = author_of(call), .message = text},
                   store::now(transaction));
    return text;
  });
  call.output.report("gridctl: " + message);
  return ExitCode::ok;
}

process::Outcome launch_lost(const Call& call) {
  const auto id = id_of<grid::LaunchId>(call, "a launch");
  const auto message = declare(call, [&](store::Transaction& transaction) {
    const auto launch = store::find_launch(transaction, id);
    if (!launch) throw Error{ExitCode::not_found, fmt::format("there is no launch {}", id.value())};
    if (launch->state == grid::LaunchState::planned)
      throw Error{
          ExitCode::refused,
          fmt::format("launch {} is only planned, nothing of it was sent: the next cycle sends it or gives its tasks back", id.value())};
    const auto author = author_of(call);
    const auto jobs = store::lose_jobs(transaction, store::live_jobs_of(transaction, id), limits_of(call.context.config), author,
                                       store::now(transaction));
    const auto released = store::release_bound_tasks(transaction, id, author, store::now(transaction));
    if (jobs + released == 0)
      throw Error{ExitCode::refused, fmt::format("launch {} is {}: none of its jobs is alive, and no task waits because of it", id.value(),
                                                 grid::name_of(launch->state))};
    const auto text =
        fmt::format("launch {} of campaign {} on {} is lost: {} go on with a new attempt, and run twice where a job of it goes on there",
                    id.value(), launch->campaign.value(), launch->cluster, terminal::counted(jobs + released, "task"));
    store::declare(transaction, {.what = "launch_lost", .subject = fmt::format("{}", id.value()), .author = author, .message = text},
                   store::now(transaction));
    return text;
  });
  call.output.report("gridctl: " + message);
  return ExitCode::ok;
}

}  // namespace gleaner::gridctl
