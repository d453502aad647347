#include "sim/world/tasks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>

#include "sim/world/campaigns.hpp"

namespace gleaner::world {
namespace {

/// The duration of a task that nobody takes for one that may end at once.
constexpr std::chrono::seconds kLong{20};

wrapper::TaskPlan plan_of(const Behaviour& behaviour, int attempt) {
  wrapper::TaskPlan plan;
  plan.duration = std::chrono::seconds{behaviour.seconds};
  plan.status = attempt < behaviour.fails ? behaviour.fails_with : behaviour.status;
  if (behaviour.saves) plan.at_checkpoint = {.state = "half", .after = {}, .status = {}};
  return plan;
}

}  // namespace

wrapper::TaskPlan Tasks::task(const wrapper::TaskRun& run) {
  trace_.note(fmt::format("{} task {}.{}.{} begins in job {} of OAR", cluster_, run.campaign, run.task, run.attempt, run.remote_job));
  works_.push_back({cluster_, run.campaign, run.task, run.attempt, run.remote_job, run.job, faults_.now()});
  // The words of a script are those of its command, which the model does not execute: it takes the usual time.
  const auto words = fmt::format("{}", fmt::join(run.arguments, " "));
  const auto behaviour = behaviour_in(words).value_or(Behaviour{.seconds = 30});
  auto plan = plan_of(behaviour, run.attempt);
  plan.gives = fmt::format("size={}", run.task % 3 + 1);
  if (behaviour.leaves) plan.files.push_back({fmt::format("result-{}.dat", run.task), words});
  if (run.has_checkpoint) plan.duration /= 2;
  if (plan.status != 0) plan.errors = fmt::format("{} of campaign {}\n", kSecret, run.campaign);
  if (run.task >= 0 && faults_.is_away(Fault::sink, cluster_)) {
    works_.back().is_swallowed = plan.duration >= kLong;
    faults_.count(Fault::sink);
    plan.duration = {};
    plan.status = 0;
  }
  return plan;
}

void Tasks::ended(const wrapper::TaskRun& run, int status) {
  trace_.note(fmt::format("{} task {}.{}.{} ends with {}", cluster_, run.campaign, run.task, run.attempt, status));
  const auto is_it = [&](const Work& work) {
    return work.campaign == run.campaign && work.task == run.task && work.attempt == run.attempt && work.job == run.remote_job;
  };
  const auto recent = std::views::reverse(works_);
  if (const auto work = std::ranges::find_if(recent, is_it); work != recent.end()) {
    work->is_whole = true;
    work->ended = faults_.now();
    work->status = status;
  }
}

std::optional<int> Tasks::login_shell_ends(std::int64_t remote_job) {
  if (!faults_.is_away(Fault::login_ends, cluster_)) return std::nullopt;
  faults_.count(Fault::login_ends);
  trace_.note(fmt::format("{} shell of job {} ends early", cluster_, remote_job));
  return static_cast<int>(remote_job % 2);
}

wrapper::TaskPlan Tasks::other_job(std::int64_t /*remote_job*/, const std::string& command) {
  return plan_of(behaviour_in(command).value_or(Behaviour{}), 0);
}

}  // namespace gleaner::world
