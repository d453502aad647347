#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "lib/grid/id.hpp"
#include "lib/grid/states.hpp"

/// Scripts: the prologue and the epilogue of a campaign on a cluster. A script is a task with a reserved, negative number, so that
/// launches, claims, evidence and ends are for it what they are for tasks. Pure rules; docs/architecture/scripts.md.
namespace gleaner::grid {

enum class Script { prologue, epilogue };

[[nodiscard]] std::string_view name_of(Script script);

/// The number of a script's task, as the SQL functions prologue_on and epilogue_on have it.
[[nodiscard]] TaskNumber task_of(Script script, ClusterId cluster);
/// Empty: it is a task of the bag.
[[nodiscard]] std::optional<Script> script_of(TaskNumber task);

/// The scripts of a pair, and what decides on them.
struct ScriptFacts {
  CampaignState campaign = CampaignState::in_treatment;
  std::int64_t waiting_tasks = 0;  ///< of the campaign, on any cluster
  bool settled = false;            ///< no task of the campaign is left
  bool usable = true;              ///< the cluster can be given a job, and no brake holds the pair
  bool has_prologue = false;
  bool has_epilogue = false;
  bool prepared = false;              ///< the prologue was planned, and no epilogue since
  bool epilogue_due = false;          ///< a job was planned there, and no epilogue since
  bool began = false;                 ///< a job of the campaign has started there
  int live_jobs = 0;                  ///< of the pair, scripts included
  std::optional<TaskState> prologue;  ///< empty: never needed yet
  std::optional<TaskState> epilogue;
};

/// Whether a pair can be given tasks.
enum class Preparation {
  ready,
  prologue_due,     ///< not before its prologue
  prologue_runs,    ///< not before its prologue has ended
  prologue_failed,  ///< not before somebody has fixed the event
  epilogue_runs     ///< not before its epilogue has ended
};
[[nodiscard]] Preparation preparation_of(const ScriptFacts& pair);

/// Whether the campaign waits for its epilogue there: all its tasks are settled, and the epilogue is not over.
[[nodiscard]] bool awaits_epilogue(const ScriptFacts& pair);

/// The script to launch now.
/// - A prologue: while tasks wait and nothing of the pair is prepared.
/// - An epilogue: when no task is left, nothing of the campaign lives on the cluster, and something had started there. A cancelled campaign
///   runs it too, because what its prologue made is still there.
[[nodiscard]] std::optional<Script> script_to_run(const ScriptFacts& pair);

}  // namespace gleaner::grid
