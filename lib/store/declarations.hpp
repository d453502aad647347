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

/// Declarations of administrators, with author, time and reason. A declaration locks the lease's row until the end of the transaction
/// (hold_lease), so that no module writes meanwhile.
namespace gleaner::store {

/// Blocks writes of all modules until the end of the transaction.
void hold_lease(Transaction& transaction);

struct Declarer {
  std::string name;
  std::string reason{};  ///< in the author's words; empty: none
};

struct Declaration {
  std::string_view what;  ///< cluster_retired, cluster_returned, job_lost, launch_lost or repair
  std::string subject;    ///< the cluster's name, the job's or launch's id, the law's name
  Declarer author;
  std::string message;  ///< the consequences
};
void declare(Transaction& transaction, const Declaration& declaration, grid::Instant now);

/// A live job that is to be declared lost.
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
/// The live jobs of one job, launch or cluster, except planned ones.
[[nodiscard]] std::vector<JobAtRisk> live_jobs_of(Transaction& transaction, grid::JobId job);
[[nodiscard]] std::vector<JobAtRisk> live_jobs_of(Transaction& transaction, grid::LaunchId launch);
[[nodiscard]] std::vector<JobAtRisk> live_jobs_of(Transaction& transaction, grid::ClusterId cluster);
/// The live jobs among these, planned ones included.
[[nodiscard]] std::vector<JobAtRisk> live_jobs_among(Transaction& transaction, std::span<const grid::JobId> jobs);

/// Jobs that may still run although they were declared lost.
struct Risk {
  std::int64_t running = 0, waiting = 0, unknown = 0;  ///< jobs
  std::int64_t bound = 0;                              ///< tasks bound to the cluster, because a job of a void launch may still run there
  [[nodiscard]] bool is_none() const { return running + waiting + unknown + bound == 0; }
};
[[nodiscard]] Risk risk_of(std::span<const JobAtRisk> jobs);
/// `12 jobs that run, 3 that wait and 2 of unknown fate, and 4 tasks that wait for it`.
[[nodiscard]] std::string describe(const Risk& risk);

/// Ends the jobs as grid::JobEnd::lost: each task may go to any cluster with a new attempt, and nothing is charged. Launches without open
/// jobs become void. Kills are requested for jobs that OAR has. Opens an event DECLARED_LOST for each campaign and cluster, which names the
/// tasks that may run twice. Returns the number of jobs; one whose task, pair or launch is gone is left out.
std::int64_t lose_jobs(Transaction& transaction, std::span<const JobAtRisk> jobs, const grid::Limits& limits, const Declarer& author,
                       grid::Instant now);

/// Releases the tasks bound to a cluster, or because of a launch, each with a new attempt; an event TASKS_RELEASED names them. Returns
/// their number.
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

/// Retires a cluster: nothing is sent to it, and it is not asked any more. False when it was retired before. The caller must give up its
/// jobs and release the tasks bound to it.
[[nodiscard]] bool retire_cluster(Transaction& transaction, grid::ClusterId cluster, grid::Instant now);
/// Brings a retired cluster back into use. Its jobs that were lost are killed when it answers, and so are jobs of its launches that only
/// appear now. Returns the number of kill requests; empty when the cluster was not retired.
[[nodiscard]] std::optional<std::int64_t> bring_back_cluster(Transaction& transaction, grid::ClusterId cluster, grid::Instant now);

}  // namespace gleaner::store
