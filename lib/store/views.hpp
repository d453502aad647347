#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/grid/grouping.hpp"
#include "lib/grid/grouping_gain.hpp"
#include "lib/grid/id.hpp"
#include "lib/grid/interval.hpp"
#include "lib/grid/reason_times.hpp"
#include "lib/grid/states.hpp"
#include "lib/grid/time.hpp"
#include "lib/store/database.hpp"
#include "lib/store/dependencies.hpp"

/// Views of campaigns for users. Cost: independent of the number of tasks.
namespace gleaner::store::views {

/// A part of a list, and the length of the whole list.
template <class Item>
struct Page {
  std::vector<Item> items;
  std::int64_t total = 0;
  bool is_cut = false;  ///< further items of the window were left out, because their texts are too long for one page
};
struct Window {
  std::int64_t limit = 100;
  std::int64_t offset = 0;
};

/// While it is in force, nothing is sent.
struct Brake {
  std::string reason;
  grid::Instant expires_at;
};

/// Tasks by state. In a cancelled campaign no task waits.
struct TaskCounts {
  std::int64_t waiting = 0;
  std::int64_t launching = 0;
  std::int64_t submitted = 0;
  std::int64_t running = 0;
  std::int64_t done = 0;
  std::int64_t failed = 0;
  std::int64_t cancelled = 0;
};
[[nodiscard]] std::int64_t count_of(const TaskCounts& counts, grid::TaskState state);

/// Forecast start and end of a campaign; empty: unknown, or past, or the method says why there are none.
struct Forecast {
  std::optional<grid::Instant> made;
  std::optional<grid::Instant> start;
  std::optional<grid::Interval> start_between;
  std::optional<grid::Instant> end;
  std::optional<grid::Interval> end_between;
  std::optional<std::string> method;  ///< what the forecast is based on, or why there is none (prediction::Method)
};

struct Campaign {
  grid::CampaignId id{0};
  std::string name;
  std::string user;
  std::string project;
  std::string type;
  grid::CampaignState state{};
  grid::Instant submitted_at;
  std::optional<grid::Instant> first_start_at;
  std::optional<grid::Instant> ended_at;
  std::int64_t total = 0;
  std::int64_t next_task = 0;  ///< tasks from this number on were never taken
  TaskCounts tasks;
  std::int64_t held_tasks = 0;  ///< of the waiting ones, those that a user holds
  bool has_events = false;      ///< open ones
  Forecast forecast;
  grid::Grouping grouping = grid::Grouping::off;
  std::vector<ShownDependency> dependencies;  ///< the campaigns that come first
};

/// The campaigns that somebody may read: their own, and those of projects.
struct Readers {
  std::string user;
  std::vector<std::string> projects;
};

/// A campaign, or what belongs to one; one member is set.
struct OwnedObject {
  std::optional<std::int64_t> campaign{};
  std::optional<std::int64_t> job{};
  std::optional<std::int64_t> event{};
};
struct Owner {
  grid::CampaignId campaign{0};
  std::string user;
  std::string project;
};
/// Empty: there is no such object, or it is of no campaign.
[[nodiscard]] std::optional<Owner> owner(Transaction& transaction, const OwnedObject& object);

/// Selects campaigns; an empty member matches all.
struct CampaignFilter {
  std::optional<std::vector<std::int64_t>> ids;
  std::vector<grid::CampaignState> states;
  bool unfixed = false;                       ///< besides those of the states, terminated ones with failed tasks and an open event
  std::optional<grid::Instant> ended_from{};  ///< besides those of the states, those that ended then or later
  std::optional<std::string> user;
  std::optional<grid::Instant> submitted_from;
  std::optional<grid::Instant> submitted_before;
  std::optional<Readers> readers;
};
/// The oldest first.
[[nodiscard]] Page<Campaign> campaigns(Transaction& transaction, const CampaignFilter& filter, Window window);
[[nodiscard]] std::optional<Campaign> campaign(Transaction& transaction, grid::CampaignId id);

/// The last change of a job ratio, by what became of the jobs that the cycle before had submitted.
struct RatioChange {
  grid::Instant at;
  double before = 1;
  std::string algorithm;
  std::string verdict;  ///< on the ratio before: too_big, too_small, right
  int submitted = 0;    ///< jobs, for
  double offered = 0;   ///< free resources
  int waiting = 0;      ///< jobs of the campaign there
  int free = 0;         ///< resources
};
/// A campaign's requests of a cluster, and its progress there.
struct CampaignCluster {
  grid::ClusterId cluster{0};
  std::string name;
  bool enabled = true;
  bool retired = false;
  std::optional<bool> reachable;
  std::optional<grid::Instant> no_resources_since;  ///< since when OAR has no usable resource there
  int priority = 1;
  std::string exec_file;
  std::string exec_directory;
  std::string resources;
  std::optional<int> resources_per_job;
  grid::Seconds walltime{};
  std::string properties;
  std::string project;
  bool best_effort = true;
  std::optional<int> max_jobs;
  int launching = 0;
  int waiting = 0;
  int running = 0;
  int unknown = 0;
  std::int64_t concluded = 0;  ///< jobs after which their task does not run again
  std::int64_t done = 0;
  double duration_sum = 0;  ///< of the done jobs, in seconds
  double duration_squares = 0;
  std::int64_t ended = 0;  ///< jobs that carried out an attempt of a task, done or not
  int failures_in_a_row = 0;
  std::optional<double> job_ratio;
  std::optional<double> throughput;  ///< jobs a second
  std::optional<RatioChange> ratio_change;
  std::optional<Brake> brake;
  std::optional<grid::Seconds> max_walltime;
  std::int64_t durations = 0;            ///< number of done jobs that most_durations is based on
  std::optional<double> most_durations;  ///< seconds within which kMostJobs of them ended
  grid::StartCosts start_costs;
  std::int64_t cpu_jobs = 0;              ///< done jobs for which these are known:
  double cpu_seconds = 0;                 ///< that their tasks had of the processors, in all
  double cpu_wall_seconds = 0;            ///< that their commands took, in all
  std::int64_t memory_jobs = 0;           ///< done jobs that peak_memory is based on
  std::optional<int> peak_memory;         ///< MB that one of them took at most
  std::int64_t io_jobs = 0;               ///< done jobs for which these are known:
  double io_mb = 0;                       ///< that their tasks read from file systems and wrote to them, in all
  double io_wall_seconds = 0;             ///< that their commands took, in all
  std::optional<std::int64_t> memory_mb;  ///< the most that the JDL requests for a task; empty: it requests none
  bool states_memory = false;             ///< the grid knows which property states the memory of the cluster's nodes
  std::optional<std::string> prologue;    ///< `not_run`, or the state of its task; empty: the JDL has none
  std::optional<std::string> epilogue;
};
/// The share of jobs by which a walltime is assessed.
inline constexpr double kMostJobs = 0.95;
[[nodiscard]] std::vector<CampaignCluster> campaign_clusters(Transaction& transaction, grid::CampaignId campaign, grid::Instant now);

/// How well a campaign used what it asked for and got.
struct Efficiency {
  std::optional<double> asked;   ///< walltime of the tasks that are done, in seconds; empty: each asked for its own
  double used = 0;               ///< seconds that they took
  std::optional<double> held;    ///< resource-seconds of all its jobs; empty: jobs carried out several tasks
  std::optional<double> worked;  ///< resource-seconds of the tasks that are done
};
/// Empty before a task is done.
[[nodiscard]] std::optional<Efficiency> efficiency(Transaction& transaction, grid::CampaignId campaign);

/// A consumable that each task of a campaign needs.
struct Need {
  std::string consumable;
  int each = 0;
  double used = 0;             ///< by the live jobs of all campaigns
  std::optional<double> most;  ///< by the limit on all of them; empty: there is none
};
[[nodiscard]] std::vector<Need> needs(Transaction& transaction, grid::CampaignId campaign);

/// The brake on the campaign as a whole.
[[nodiscard]] std::optional<Brake> campaign_brake(Transaction& transaction, grid::CampaignId campaign, grid::Instant now);

/// The normalized JDL, in JSON.
[[nodiscard]] std::optional<std::string> jdl(Transaction& transaction, grid::CampaignId campaign);

/// Why a campaign, or a pair, got what it got.
struct Decision {
  std::optional<grid::ClusterId> cluster;  ///< empty: the whole campaign
  std::string cluster_name;
  std::string stage;
  std::string reason;
  std::string figures;  ///< of the reason, a JSON object; lib/decisions renders it
  int jobs = 0;
  grid::Instant since;
};
[[nodiscard]] std::vector<Decision> decisions(Transaction& transaction, grid::CampaignId campaign, grid::Instant now);

/// The reasons of a campaign's pairs that held after `from`, for grid::times_of. Bounded for each pair (docs/architecture/database.md).
[[nodiscard]] std::vector<grid::ReasonPeriod> decision_history(Transaction& transaction, grid::CampaignId campaign, grid::Instant from,
                                                               grid::Instant now);

}  // namespace gleaner::store::views
