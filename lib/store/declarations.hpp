#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/grid/id.hpp"
#include "lib/grid/settle.hpp"
#include "lib/grid/states.hpp"
#include "lib/grid/time.hpp"
#include "lib/store/database.hpp"

/// What administrators declare, with who, when and why. Whoever declares holds the lease's row until the end of the transaction
/// (hold_lease), so that no module is in the middle of a write.
namespace gleaner::store {

/// No module writes until the end of the transaction.
void hold_lease(Transaction& transaction);

struct Declarer {
  std::string name;
  std::string reason{};  ///< in the author's words; empty: none given
};

struct Declaration {
  std::string_view what;  ///< cluster_retired, cluster_returned, job_lost, launch_lost or repair
  std::string subject;    ///< the cluster's name, the job's or launch's id, the law's name
  Declarer author;
  std::string message;  ///< what followed from it
};
void declare(Transaction& transaction, const Declaration& declaration, grid::Instant now);

/// A job whose fate is given up, as it was before.
struct JobAtRisk {
  grid::JobId id{0};
  grid::JobState state = grid::JobState::running;
  grid::CampaignId campaign{0};
  grid::ClusterId cluster{0};
  std::string cluster_name;
  grid::LaunchId launch{0};
  grid::TaskNumber task{0};
  std::optional<grid::RemoteJobId> remote;
};
/// The live jobs of one job, launch or cluster, without those that are only planned.
[[nodiscard]] std::vector<JobAtRisk> live_jobs_of(Transaction& transaction, grid::JobId job);
[[nodiscard]] std::vector<JobAtRisk> live_jobs_of(Transaction& transaction, grid::LaunchId launch);
[[nodiscard]] std::vector<JobAtRisk> live_jobs_of(Transaction& transaction, grid::ClusterId cluster);
/// Those among these that are alive, planned ones too.
[[nodiscard]] std::vector<JobAtRisk> live_jobs_among(Transaction& transaction, std::span<const grid::JobId> jobs);

/// What may still happen: jobs that go on although they were given up.
struct Risk {
  std::int64_t running = 0, waiting = 0, unknown = 0;  ///< jobs
  std::int64_t bound = 0;                              ///< tasks that wait for the cluster, as a job of a void launch may still run there
  [[nodiscard]] bool is_none() const { return running + waiting + unknown + bound == 0; }
};
[[nodiscard]] Risk risk_of(std::span<const JobAtRisk> jobs);
/// `12 jobs that run, 3 that wait and 2 of unknown fate, and 4 tasks that wait for it`.
[[nodiscard]] std::string describe(const Risk& risk);

/// The jobs are over (grid::JobEnd::lost): each task goes elsewhere with a new attempt, and nobody pays. Launches of which no job is
/// left open are void. The deletion of jobs that OAR has is asked for. Opens an event DECLARED_LOST for each campaign and cluster, which
/// names the tasks that may run twice. How many jobs it were; one whose task, pair or launch is gone is left out.
std::int64_t lose_jobs(Transaction& transaction, std::span<const JobAtRisk> jobs, const grid::Limits& limits, const Declarer& author,
                       grid::Instant now);

/// Tasks that wait for a cluster, or because of a launch, may go anywhere, with a new attempt; an event TASKS_RELEASED names
/// them. How many they were.
std::int64_t release_bound_tasks(Transaction& transaction, grid::ClusterId cluster, const Declarer& author, grid::Instant now);
std::int64_t release_bound_tasks(Transaction& transaction, grid::LaunchId launch, const Declarer& author, grid::Instant now);
[[nodiscard]] std::int64_t bound_tasks_of(Transaction& transaction, grid::ClusterId cluster);

struct KnownLaunch {
  grid::LaunchState state = grid::LaunchState::planned;
  grid::CampaignId campaign{0};
  std::string cluster;
};
[[nodiscard]] std::optional<KnownLaunch> find_launch(Transaction& transaction, grid::LaunchId launch);
struct KnownJob {
  grid::JobState state = grid::JobState::planned;
  std::string ending;  ///< empty: it is alive
};
[[nodiscard]] std::optional<KnownJob> find_job(Transaction& transaction, grid::JobId job);

/// Takes a cluster out of use: it gets nothing more, and is not asked any more. False when it was retired before. Its jobs and the tasks
/// that wait for it are the caller's to give up.
[[nodiscard]] bool retire_cluster(Transaction& transaction, grid::ClusterId cluster, grid::Instant now);
/// Takes it into use again. The jobs that were lost when it was retired are deleted when it answers, and so are those of its launches
/// that only appear now. How many deletions are asked for; nothing when it was not retired.
[[nodiscard]] std::optional<std::int64_t> bring_back_cluster(Transaction& transaction, grid::ClusterId cluster, grid::Instant now);

}  // namespace gleaner::store
