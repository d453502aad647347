#include "lib/grid/script.hpp"

namespace gleaner::grid {
namespace {

bool is_in_flight(std::optional<TaskState> state) {
  return state == TaskState::launching || state == TaskState::submitted || state == TaskState::running;
}

/// It is to be run, or under way: also one that came back from a void launch, whose orphan may still run.
bool is_outstanding(std::optional<TaskState> state) { return state == TaskState::waiting || is_in_flight(state); }

}  // namespace

std::string_view name_of(Script script) { return script == Script::prologue ? "prologue" : "epilogue"; }

TaskNumber task_of(Script script, ClusterId cluster) {
  return TaskNumber{script == Script::prologue ? 1 - 2 * cluster.value() : -2 * cluster.value()};
}

std::optional<Script> script_of(TaskNumber task) {
  if (task.value() >= 0) return std::nullopt;
  return task.value() % 2 == 0 ? Script::epilogue : Script::prologue;
}

Preparation preparation_of(const ScriptFacts& pair) {
  if (is_outstanding(pair.epilogue)) return Preparation::epilogue_runs;
  if (!pair.has_prologue || (pair.prepared && pair.prologue == TaskState::done)) return Preparation::ready;
  if (is_in_flight(pair.prologue)) return Preparation::prologue_runs;
  return pair.prepared && pair.prologue == TaskState::failed ? Preparation::prologue_failed : Preparation::prologue_due;
}

bool awaits_epilogue(const ScriptFacts& pair) {
  return pair.settled && (is_outstanding(pair.epilogue) || (pair.has_epilogue && pair.epilogue_due && pair.began));
}

std::optional<Script> script_to_run(const ScriptFacts& pair) {
  if (!pair.usable || pair.campaign == CampaignState::terminated || is_in_flight(pair.epilogue)) return std::nullopt;
  const bool repeats = pair.epilogue == TaskState::waiting;
  if (repeats || awaits_epilogue(pair)) return pair.live_jobs == 0 ? std::optional{Script::epilogue} : std::nullopt;
  const bool wants_tasks = pair.campaign == CampaignState::in_treatment && pair.waiting_tasks > 0;
  return wants_tasks && preparation_of(pair) == Preparation::prologue_due ? std::optional{Script::prologue} : std::nullopt;
}

}  // namespace gleaner::grid
