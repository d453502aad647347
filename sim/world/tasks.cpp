#include "sim/world/tasks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>

#include "sim/world/campaigns.hpp"

namespace gleaner::world {
namespace {

wrapper::TaskPlan plan_of(const Behaviour& behaviour, int attempt) {
  wrapper::TaskPlan plan;
  plan.duration = std::chrono::seconds{behaviour.seconds};
  plan.status = attempt < behaviour.fails ? 1 : behaviour.status;
  return plan;
}

}  // namespace

wrapper::TaskPlan Tasks::task(const wrapper::TaskRun& run) {
  trace_.note(fmt::format("{} task {}.{}.{} begins in job {} of OAR", cluster_, run.campaign, run.task, run.attempt, run.remote_job));
  works_.push_back({cluster_, run.campaign, run.task, run.attempt, run.remote_job});
  // The words of a script are those of its command, which the model does not execute: it takes the usual time.
  const auto words = fmt::format("{}", fmt::join(run.arguments, " "));
  return plan_of(behaviour_in(words).value_or(Behaviour{.seconds = 30}), run.attempt);
}

void Tasks::ended(const wrapper::TaskRun& run, int status) {
  trace_.note(fmt::format("{} task {}.{}.{} ends with {}", cluster_, run.campaign, run.task, run.attempt, status));
  const auto is_it = [&](const Work& work) {
    return work.campaign == run.campaign && work.task == run.task && work.attempt == run.attempt && work.job == run.remote_job;
  };
  const auto recent = std::views::reverse(works_);
  if (const auto work = std::ranges::find_if(recent, is_it); work != recent.end()) {
    work->is_whole = true;
    work->status = status;
  }
}

wrapper::TaskPlan Tasks::other_job(std::int64_t /*remote_job*/, const std::string& command) {
  return plan_of(behaviour_in(command).value_or(Behaviour{}), 0);
}

}  // namespace gleaner::world
