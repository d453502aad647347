#include "runner/release.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lib/grid/launch_fate.hpp"
#include "lib/process/log.hpp"
#include "lib/store/batch.hpp"
#include "lib/store/checkpoints.hpp"
#include "lib/store/events.hpp"
#include "lib/store/launches.hpp"

namespace gleaner::runner {
namespace {

std::string_view reason_of(grid::Release release) {
  switch (release) {
    case grid::Release::replicas: return "the campaign allows replicas";
    case grid::Release::retired: return "the cluster is retired";
    case grid::Release::waited: return "they waited for release_after";
  }
  return "";
}

/// The numbers of the first tasks, and how many more there are.
std::string listed(const std::vector<grid::TaskNumber>& tasks) {
  constexpr std::size_t kMost = 20;
  std::string text;
  for (std::size_t i = 0; i < std::min(tasks.size(), kMost); ++i) text += fmt::format("{}{}", i == 0 ? "" : ", ", tasks[i].value());
  return tasks.size() > kMost ? fmt::format("{} and {} more", text, tasks.size() - kMost) : text;
}

}  // namespace

void release_tasks(store::Transaction& transaction, const process::Config& config, grid::Instant now, Counts& counts) {
  for (const auto& bound : store::bound_tasks(transaction)) {
    const auto release = grid::release_of(
        {.replicas_allowed = bound.replicas_allowed, .retired = bound.retired, .waited = now - bound.since}, config.release_after);
    if (!release) continue;
    std::vector<grid::TaskNumber> tasks;
    const auto refused = store::attempt(transaction, [&] { tasks = store::release_tasks(transaction, bound.launch, now); });
    if (refused) process::log::error("tasks not released", {{"launch", bound.launch}, {"error", *refused}});
    if (tasks.empty()) continue;
    const auto message =
        fmt::format("cluster {} may still run {} of launch {}, and {} may go to another cluster ({}): if it does, {} twice: {}",
                    bound.cluster_name, tasks.size() == 1 ? "a job" : fmt::format("{} jobs", tasks.size()), bound.launch.value(),
                    tasks.size() == 1 ? "its task" : "their tasks", reason_of(*release),
                    tasks.size() == 1 ? "this task runs" : "these tasks run", listed(tasks));
    process::log::warning(
        "tasks released",
        {{"cluster", bound.cluster_name}, {"campaign", bound.campaign}, {"launch", bound.launch}, {"tasks", tasks.size()}});
    store::open_event(
        transaction,
        {.code = "TASKS_RELEASED", .target = {.campaign = bound.campaign, .cluster = bound.cluster}, .job = {}, .message = message}, now);
    counts.released += static_cast<int>(tasks.size());
  }
}

void release_kept_tasks(store::Transaction& transaction, const process::Config& config, grid::Instant now, Counts& counts) {
  for (const auto& released : store::release_kept_tasks(transaction, now - config.checkpoint_patience, now)) {
    process::log::info("tasks leave their checkpoints",
                       {{"cluster", released.cluster}, {"campaign", released.campaign}, {"tasks", released.tasks}});
    counts.released += static_cast<int>(released.tasks);
  }
}

}  // namespace gleaner::runner
