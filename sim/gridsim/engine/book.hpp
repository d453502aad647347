#pragma once
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "lib/grid/settle.hpp"
#include "lib/store/kills.hpp"
#include "lib/store/planning.hpp"
#include "lib/store/prediction.hpp"
#include "metascheduler/planner/plan.hpp"
#include "sim/gridsim/engine/cluster.hpp"

namespace gleaner::gridsim {

/// Places in the vectors of the simulated world are ints; the ids that production's functions ask for begin at 1.
[[nodiscard]] inline std::size_t index_of(int place) { return static_cast<std::size_t>(place); }
[[nodiscard]] inline grid::JobId id_of(int job) { return grid::JobId{job + 1}; }
[[nodiscard]] inline std::size_t index_of(grid::CampaignId id) { return static_cast<std::size_t>(id.value() - 1); }
[[nodiscard]] inline std::size_t index_of(grid::ClusterId id) { return static_cast<std::size_t>(id.value() - 1); }

/// As the database counts ends and durations: by minute, and in buckets a tenth apart (the table durations).
[[nodiscard]] std::int64_t minute_of(grid::Instant instant);
[[nodiscard]] int bucket_of(double seconds);

/// The grid's state, which production keeps in PostgreSQL, in the structures in which production's modules read it from there. The
/// consequences of an end are lib/grid's rules (grid::settle, grid::is_failure). Figures that production counts in SQL are counted here
/// again; tests/db/accounting_test.cpp compares the two. Campaign i of the scenario is CampaignId{i + 1}, cluster i is ClusterId{i + 1}.
class Book {
 public:
  explicit Book(World& world);

  void submit(int campaign, grid::Instant now);
  /// The jobs that are there when the simulation begins; those that run have `held`.
  [[nodiscard]] std::vector<int> resume();
  /// The updator: copies the clusters' status and the states of the jobs, and counts what changed.
  void update(std::span<const Cluster> clusters, grid::Instant now);

  [[nodiscard]] grid::PlanningFacts planning_facts(grid::Instant now) const;
  [[nodiscard]] store::PredictionFacts prediction_facts(grid::Instant window_begin);
  /// Our jobs that wait on a cluster, the newest first, without those whose kill is requested.
  [[nodiscard]] std::vector<store::WaitingJob> waiting_jobs(int cluster) const;

  void write(std::span<const store::StoredForecast> forecasts);
  void write(std::span<const store::Submitted> submitted);
  void request_kills(std::span<const grid::JobId> jobs);
  /// The youngest running jobs of a campaign on a cluster, and all that wait there: to be killed.
  [[nodiscard]] std::vector<grid::JobId> to_preempt(const planner::Preemption& preemption) const;
  /// Notes the reservations that last, in the order of the plan, which is that of their age.
  void hold(std::vector<grid::HeldForJob> held) { held_ = std::move(held); }
  /// Takes tasks from the bag, those given back first; the jobs of OAR made for them, fewer when the bag has fewer. Pooled tasks wait in
  /// World::pools.
  [[nodiscard]] std::vector<int> launch(const store::PlannedLaunch& launch, grid::Instant now);
  void accept(int job, grid::Instant at);
  /// Second copies of a campaign's longest running tasks, on a cluster where their first ones are not; the jobs made for them.
  /// @param longer_than  seconds for which a task must have run
  [[nodiscard]] std::vector<int> replicate(const planner::Replicas& replicas, std::optional<double> longer_than, grid::Instant now);
  /// Jobs whose tasks another copy has done, and carriers of such tasks, that do nothing else of use: to be killed.
  [[nodiscard]] std::vector<grid::JobId> take_superseded();
  /// The updator reads the files of the pools on a cluster.
  void read_pools(std::size_t cluster, grid::Instant now);

  /// The predictor's latest result for a cluster.
  void learn_headroom(std::size_t cluster, int resources) { learnt_headroom_[cluster] = resources; }

  [[nodiscard]] bool active() const { return !active_.empty(); }
  [[nodiscard]] bool all_over() const { return over_ == campaigns_.size(); }

  struct Pair {
    grid::PairFacts facts;
    std::map<std::int64_t, std::int64_t> ended_in_minute;
    struct End {
      double seconds;
      bool swallowed;
    };
    std::deque<End> last_ends = {};  ///< of the jobs done, the newest first (grid::kLastEnds)
    std::int64_t swallowed = 0;      ///< tasks that ended in almost no time, as a sink's (grid::find_sink)
    int sink_brakes = 0;
    std::optional<grid::Instant> braked_until = {};
    std::string_view algorithm = {};  ///< that computed the ratio; empty: none did
    std::vector<store::AlgorithmTrial> trials = {};
  };
  /// A task one of whose jobs ended without doing it, or that got a replica (once in its life): as production's rule sees it.
  struct Task {
    grid::TaskFacts facts;
    std::vector<int> live;  ///< its jobs, where it has two copies
    /// Its checkpoint: seconds of its work on that cluster.
    struct Saved {
      int cluster = kNone;
      double work = 0;
    } saved = {};
  };
  struct Campaign {
    bool submitted = false;
    grid::Instant submitted_at{};
    std::optional<grid::Instant> first_start_at;
    std::optional<grid::Instant> ended_at;  ///< when the grid knew it
    std::int64_t next_task = 0;
    std::set<std::int64_t> returned;
    std::set<std::pair<grid::Instant, std::int64_t>> failed_once = {};  ///< tasks given back that failed: mixed with new ones
    struct Kept {
      int cluster;
      grid::Instant since;
    };
    std::map<std::int64_t, Kept> kept;  ///< tasks given back that wait for the cluster with their checkpoint
    std::map<std::int64_t, Task> tasks;
    std::map<int, std::int64_t> lasted;  ///< jobs done by duration (bucket_of), where tasks may get copies
    std::int64_t done = 0, failed = 0;
    std::vector<store::KeptForecast> forecasts;  ///< of its end, those that are kept
    std::vector<Pair> pairs;
  };
  [[nodiscard]] std::string_view algorithm_of(grid::CampaignId campaign, grid::ClusterId cluster) {
    return pair_of(campaign, cluster).algorithm;
  }
  [[nodiscard]] const Campaign& campaign(int index) const { return campaigns_[index_of(index)]; }
  /// The durations of each campaign's tasks, on a cluster of speed 1.
  [[nodiscard]] const std::vector<std::vector<double>>& durations() const { return durations_; }

 private:
  /// Whether jobs are kept from some of a cluster's nodes.
  [[nodiscard]] bool leaves_nodes(std::size_t cluster) const;
  [[nodiscard]] Avoided nodes_left(std::size_t cluster, const std::string& leaves) const;
  /// Changes that one update makes once per campaign or pair, independent of the order of its jobs.
  struct Changes {
    struct Ends {
      int done = 0, failed = 0;
    };
    std::map<int, grid::Instant> first_starts;  ///< by campaign
    std::map<std::pair<int, int>, Ends> ends;   ///< by campaign and pair
  };
  void update_jobs(std::span<const int> jobs);
  void update_job(int job, Changes& changes);
  void update_pooled(int job, Changes& changes);
  void count_start(const Job& job, Changes& changes);
  void settle(int job, Changes& changes);
  void conclude(const Job& job, const grid::Settlement& next);
  void brake_sinks(const Changes& changes);
  void brake_if_sink(Campaign& campaign, std::size_t place, const CampaignSpec& spec);
  [[nodiscard]] double start_cost(std::size_t cluster) const;
  void release_kept();
  /// Whether the users of two clusters have the same homes, so that a checkpoint of one is there on the other.
  [[nodiscard]] bool have_one_home(int one, int other) const;
  /// Seconds of the work that a job's task need not do again, here.
  [[nodiscard]] double saved_by(const Job& job) const;
  /// Lets a new job continue from the last checkpoint of its task.
  void continue_task(Job& job, const Task* known) const;
  void add_use(const Job& job);
  void finish_campaigns();
  [[nodiscard]] Task task_of(const Job& job) const;
  [[nodiscard]] grid::JobFacts facts_of(int job, const Task& task) const;
  void add_replicable(grid::PlanningFacts& facts, grid::Instant now) const;
  /// A job in which a task of a campaign runs that may get a replica, as the view carried_out has it.
  struct Copyable {
    int job;
    std::int64_t task;
    grid::Instant began;
    double seconds;  ///< for which it is known to run
  };
  [[nodiscard]] std::optional<Copyable> copyable(int job, grid::Instant now) const;
  [[nodiscard]] std::vector<Copyable> copyable_on(std::size_t cluster, int campaign, grid::Instant now) const;
  /// Whether a job runs as far as the grid knows, by itself or in its carrier.
  [[nodiscard]] bool is_known_to_run(int job) const;
  [[nodiscard]] bool is_awaited(int job) const { return task_of(job_of(job)).facts.state != grid::TaskState::done; }
  [[nodiscard]] bool carries_awaited(int carrier) const;
  [[nodiscard]] std::map<int, std::int64_t> running_tasks() const;
  /// For which the running jobs of each campaign have run, in all.
  [[nodiscard]] std::map<int, double> running_seconds() const;
  [[nodiscard]] int pair_index(grid::CampaignId campaign, grid::ClusterId cluster) const;
  [[nodiscard]] std::vector<std::int64_t> take_tasks(int campaign, int cluster, std::int64_t most);
  [[nodiscard]] bool is_over(std::size_t campaign) const;
  /// The number of its first tasks that no other campaign holds.
  [[nodiscard]] std::int64_t released(int campaign) const;
  void note_first(int campaign, grid::CampaignFacts& facts) const;
  [[nodiscard]] int make_job(const store::PlannedLaunch& launch, int pair, std::int64_t task, grid::Instant now);
  [[nodiscard]] int resume_job(int campaign, int pair, std::int64_t task, std::optional<double> age);
  [[nodiscard]] double pooled_seconds(int campaign, int pair) const;
  [[nodiscard]] std::string name_in(grid::LimitEach each, int campaign) const;
  void count_limits(grid::PolicyFacts& facts, std::int64_t today) const;
  void add_usage(grid::PolicyFacts& facts, grid::Instant now) const;
  void add_endings(grid::PolicyFacts& facts, grid::Instant now) const;
  [[nodiscard]] grid::PolicyFacts policy_facts(grid::Instant now) const;
  [[nodiscard]] grid::CampaignFacts campaign_facts(int index, grid::Instant now) const;
  [[nodiscard]] grid::PairFacts planning_pair(int campaign, int pair) const;
  [[nodiscard]] grid::ClusterFacts cluster_facts(std::size_t cluster, grid::Instant now) const;

  [[nodiscard]] const Job& job_of(int job) const { return world_.jobs[index_of(job)]; }
  [[nodiscard]] const CampaignSpec& spec_of(int campaign) const { return world_.scenario.campaigns[index_of(campaign)]; }
  [[nodiscard]] const CampaignOnCluster& spec_of(const Job& job) const { return spec_of(job.campaign).clusters[index_of(job.pair)]; }
  [[nodiscard]] Campaign& campaign_of(const Job& job) { return campaigns_[index_of(job.campaign)]; }
  [[nodiscard]] const Pair& pair_of(const Job& job) const { return campaigns_[index_of(job.campaign)].pairs[index_of(job.pair)]; }
  [[nodiscard]] Pair& pair_of(const Job& job) { return campaigns_[index_of(job.campaign)].pairs[index_of(job.pair)]; }
  [[nodiscard]] Pair& pair_of(grid::CampaignId campaign, grid::ClusterId cluster) {
    return campaigns_[index_of(campaign)].pairs[index_of(pair_index(campaign, cluster))];
  }

  World& world_;
  std::vector<Campaign> campaigns_;
  std::vector<std::vector<double>> durations_;
  std::vector<int> active_;  ///< campaigns in treatment
  std::size_t over_ = 0;
  std::vector<JobState> known_;  ///< state of each job at the last update
  std::set<grid::JobId> to_kill_;
  std::set<int> superseded_;               ///< jobs that are not over whose tasks another copy has done
  std::vector<std::vector<int>> waiting_;  ///< by cluster, jobs that wait as far as the grid knows
  std::vector<std::vector<int>> running_;  ///< by cluster, jobs that hold resources as far as the grid knows, the youngest last
  std::vector<int> carried_;               ///< pooled jobs that carriers carry out, as far as the grid knows
  /// By pool, the jobs of it that the grid has not settled.
  struct LivePool {
    int campaign, pair;
    double duration;  ///< seconds for which a carrier takes tasks
    int carriers, pooled;
    std::optional<grid::Instant> read_at = {};  ///< when its files were last read
  };
  std::map<int, LivePool> live_pools_;
  std::map<int, grid::Instant> claimed_at_;  ///< by pooled job that is carried out: when that was first seen
  std::set<int> command_over_;               ///< carriers that are known to be over with their own tasks
  /// Resource-seconds of ended jobs by campaign, pair and day.
  std::map<std::tuple<int, int, std::int64_t>, double> usage_;
  std::vector<int> free_;                ///< by cluster, in the status
  std::vector<std::string> free_nodes_;  ///< by cluster, as ClusterFacts::free_nodes
  /// By cluster: the nodes as the grid knows them, where it leaves some empty.
  std::vector<std::vector<Nodes::Rest>> rests_;
  std::vector<grid::HeldForJob> held_;  ///< by the last plan, for wide jobs
  bool names_nodes_ = false;            ///< whether a campaign's requests name nodes
  std::vector<int> learnt_headroom_;    ///< by cluster
  grid::Instant status_at_{};
};

}  // namespace gleaner::gridsim
