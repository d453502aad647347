#pragma once
#include <optional>

/// How fast a cluster can carry out tasks, however short they are. Source: docs/prediction.md, "No end before the grid can reach it".
namespace gleaner::prediction {

/// The jobs of a campaign on one cluster.
struct Pace {
  double slots = 0;                    ///< jobs that run at once
  double per_cycle = 0;                ///< jobs that one cycle submits, at most
  double cycle = 5;                    ///< seconds between two cycles
  std::optional<double> start_cost{};  ///< seconds for which a job holds its resources besides its tasks; empty: not measured
  /// Jobs that take several tasks.
  struct Pool {
    double duration = 120;  ///< seconds for which a job takes tasks
    double task = 0;        ///< mean seconds of a task
    double workers = 1;     ///< tasks that a job carries out at a time
  };
  std::optional<Pool> pool{};
};

/// Seconds that one job takes at least, its tasks not included.
[[nodiscard]] double least_start(const Pace& pace);

/// The most tasks a second: as many jobs as the cores hold, as the cycles submit, and as OAR starts, whichever is least. A job of a pool
/// counts as the tasks that fill its time. 0: the cluster runs none of its jobs.
[[nodiscard]] double most_tasks_a_second(const Pace& pace);

}  // namespace gleaner::prediction
