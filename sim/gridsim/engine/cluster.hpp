#pragma once
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "sim/gridsim/engine/agenda.hpp"
#include "sim/gridsim/engine/job.hpp"
#include "sim/gridsim/engine/scenario.hpp"

namespace gleaner::gridsim {

/// What the clusters of a simulation share.
struct World {
  const Scenario& scenario;
  Agenda agenda;
  std::vector<Job> jobs;           ///< of the grid, all of them
  std::vector<UsageChange> usage;  ///< in order of time
  std::vector<int> changed;        ///< jobs whose state changed since the grid last looked
};

/// One OAR cluster. Local jobs start in the order of their arrival, a later one before an earlier that
/// does not fit; where too little is free for one, best-effort jobs are killed, the youngest first, and
/// give way after a while. The grid's jobs start one by one, at the cluster's start rate, in order;
/// behind one that does not fit, only those that end (by their walltimes) before it can start, or that
/// leave it what it needs: OAR's own backfilling.
class Cluster {
 public:
  Cluster(int index, std::vector<LocalJob> local, World& world);

  /// Notes the first local arrival.
  void begin();
  /// Has a job of ours run that began before the simulation; false when it finds no room.
  bool resume(int job);
  void happen(const Event& event);

  [[nodiscard]] const ClusterSpec& spec() const { return spec_; }
  /// Resources that nobody holds now.
  [[nodiscard]] int free() const { return nodes_.free(); }
  [[nodiscard]] const std::deque<int>& waiting() const { return queue_; }
  [[nodiscard]] bool is_without_us() const { return holding_.empty(); }

 private:
  struct Local {
    int index;
    bool claims = false;  ///< room is being made for it
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
  void finish(int job, JobEnd end);
  void end(int job, JobEnd why, double free_after);
  void release(int job);
  void schedule();
  void schedule_local();
  bool make_room(int resources);
  void start_local(const Local& local);
  void schedule_ours();
  [[nodiscard]] std::optional<std::size_t> next_to_start();
  [[nodiscard]] const CampaignOnCluster& pair_of(const Job& job) const;
  void start(std::size_t place);

  struct Reservation {
    grid::Instant time;
    int spare = 0;  ///< resources free then that it does not need
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
  int claimed_ = 0;           ///< resources that local jobs wait for while room is made
  int dying_ = 0;             ///< resources of jobs that are being killed
  grid::Instant next_start_{};
  std::optional<grid::Instant> next_pass_;
  std::optional<Shares> taken_;  ///< for the job that next_to_start found
};

}  // namespace gleaner::gridsim
