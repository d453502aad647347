#pragma once
#include <optional>
#include <vector>

#include "sim/gridsim/engine/agenda.hpp"
#include "sim/gridsim/engine/job.hpp"
#include "sim/gridsim/engine/scenario.hpp"

namespace gleaner::gridsim {

/// The file servers of a simulation: one for each cluster, or for each home that clusters share. A server that serves less than its running
/// tasks want gives each of them the same part of what it wants, and all of them take longer by as much: they compute nothing while they
/// wait for their files. Cost: O(running tasks of the server) where its load changes.
class FileServers {
 public:
  explicit FileServers(const Scenario& scenario);

  /// A task's command begins; the agenda has its end. Where the load slows tasks down, their durations and ends change.
  void begin(int job, std::vector<Job>& jobs, Agenda& agenda);
  /// It ends, in whatever way. Does nothing for a task that is not there.
  void end(int job, std::vector<Job>& jobs, Agenda& agenda);

 private:
  struct Server {
    double serves = 0.0;  ///< MB/s; 0: any load
    double wanted = 0.0;  ///< MB/s, of the running tasks
    std::vector<int> running;
    [[nodiscard]] double speed() const { return serves > 0 && wanted > serves ? serves / wanted : 1.0; }
  };
  [[nodiscard]] Server& server_of(const Job& job) { return servers_[places_[static_cast<std::size_t>(job.cluster)]]; }
  static void change_speed(Server& server, double before, std::vector<Job>& jobs, Agenda& agenda);

  std::vector<Server> servers_;
  std::vector<std::size_t> places_;  ///< by cluster
};

}  // namespace gleaner::gridsim
