#pragma once
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "sim/gridsim/engine/agenda.hpp"
#include "sim/gridsim/engine/file_server.hpp"
#include "sim/gridsim/engine/job.hpp"
#include "sim/gridsim/engine/scenario.hpp"

namespace gleaner::gridsim {

/// Seconds after the end of a pool's time, as OAR knows it, for which a carrier may still claim a task (updator/pools.cpp).
inline constexpr double kLateClaim = 30;

/// State that the clusters of a simulation share.
struct World {
  const Scenario& scenario;
  Agenda agenda;
  std::vector<Job> jobs;           ///< all jobs of the grid
  std::vector<UsageChange> usage;  ///< in order of time
  std::vector<int> changed;        ///< jobs whose state changed since the grid's last poll
  std::vector<Pool> pools = {};
  std::vector<LocalWait> local_waits = {};  ///< of the local jobs that started
  FileServers file_servers{scenario};
};

/// One OAR cluster. Local jobs start in the order of arrival, a later one before an earlier one that does not fit; if too little is free
/// for one, best-effort jobs are killed, the youngest first, and release their resources after a delay. The grid's jobs start one by one,
/// in order, at the cluster's start rate. A job with checkpoints is signalled, and runs on for some time before it is killed. Behind one
/// that does not fit, only those start that end (by their walltimes) before it can start, or that leave enough resources for it, as in
/// OAR's own backfilling. In a pool, a job takes pooled tasks as the wrapper does (runner/command): until none is left, its time is over,
/// it is to be killed, or three tasks in a row failed.
class Cluster {
 public:
  Cluster(int index, std::vector<LocalJob> local, World& world);

  /// Schedules the first local arrival.
  void begin();
  /// Starts a job of ours that began before the simulation. False: it finds no resources.
  bool resume(int job);
  void happen(const Event& event);

  [[nodiscard]] const ClusterSpec& spec() const { return spec_; }
  /// Resources that are free now.
  [[nodiscard]] int free() const { return nodes_.free(); }
  /// Its nodes by their free resources.
  [[nodiscard]] grid::NodeSizes free_nodes() const { return nodes_.sizes(); }
  [[nodiscard]] std::vector<Nodes::Rest> rests(grid::Instant now) const { return nodes_.rests(now); }
  [[nodiscard]] double awake_until(grid::Instant now) const { return nodes_.awake_until(now); }
  [[nodiscard]] const std::deque<int>& waiting() const { return queue_; }
  [[nodiscard]] bool is_without_us() const { return holding_.empty(); }

 private:
  struct Local {
    int index;
    bool claims = false;  ///< best-effort jobs are being killed for it
  };
  struct RunningLocal {
    Shares shares;
    grid::Instant end;
    int resources = 0;
  };

  void arrive(int local);
  void end_local(int local);
  void note_arrival(std::size_t local);
  void queue(int job);
  void run(int job);
  void begin_command(int job);
  void end_task(int job);
  void finish(int job, JobEnd end);
  void end(int job, JobEnd why, double free_after);
  void release(int job);
  void end_in_pool(int job);
  void start_workers(int carrier);
  [[nodiscard]] std::optional<int> next_pooled(const Job& carrier);
  void carry(int carrier, int pooled);
  void end_pooled(int job, JobEnd end);
  void give_back_rest(const Job& carrier);
  void schedule();
  void schedule_local();
  bool make_room(int resources);
  void start_local(const Local& local);
  void preempt(int job);
  void schedule_ours();
  [[nodiscard]] std::optional<std::size_t> next_to_start();
  [[nodiscard]] const CampaignOnCluster& pair_of(const Job& job) const;
  /// Seconds after which a job's task, or the tasks of its group, are ended.
  [[nodiscard]] double walltime_of_task(const Job& job) const;
  /// Seconds after which OAR ends it.
  [[nodiscard]] double walltime_of(const Job& job) const;
  [[nodiscard]] JobEnd own_end_of(const Job& job) const;
  /// Whether its task is over now: an event of its end is older than its present end, where its file server has slowed it down since.
  [[nodiscard]] bool is_due(const Job& job) const;
  void start(std::size_t place);

  struct Reservation {
    grid::Instant time;
    int spare = 0;  ///< resources free at that time that the job does not need
  };
  [[nodiscard]] Reservation reservation_for(int width, int available) const;

  int index_;
  const ClusterSpec& spec_;
  std::vector<LocalJob> local_;
  World& world_;
  Nodes nodes_;
  std::deque<Local> local_queue_;
  std::map<int, RunningLocal> running_local_;
  std::deque<int> queue_;     ///< the grid's jobs that wait
  std::vector<int> holding_;  ///< the grid's jobs that hold resources, the youngest last
  int claimed_ = 0;           ///< resources for which local jobs wait while best-effort jobs are killed
  int dying_ = 0;             ///< resources of jobs that are being killed
  grid::Instant next_start_{};
  std::optional<grid::Instant> next_pass_;
  std::optional<Nodes::Taken> taken_;  ///< the resources of the job found by next_to_start
};

}  // namespace gleaner::gridsim
