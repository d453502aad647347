#pragma once
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/http/message.hpp"
#include "sim/minioar/crash.hpp"
#include "sim/minioar/job.hpp"
#include "sim/minioar/schedule.hpp"
#include "sim/world/faults.hpp"
#include "sim/world/stepping_clock.hpp"
#include "sim/world/trace.hpp"

namespace gleaner::minioar {
class Api;
class Engine;
}  // namespace gleaner::minioar
namespace gleaner::wrapper {
class ModelExecutor;
}  // namespace gleaner::wrapper

namespace gleaner::world {

/// The work of one task that was begun on a cluster, as its executor saw it.
struct Work {
  std::string cluster;
  std::int64_t campaign = 0;
  std::int64_t task = 0;
  int attempt = 0;
  minioar::JobNumber job = 0;
  std::int64_t grid_job = 0;  ///< as the grid numbers it
  grid::Instant began = {};
  bool is_whole = false;      ///< it ended by itself
  int status = 0;             ///< its exit status, if it is whole
  bool is_swallowed = false;  ///< by a sink: it did nothing
  grid::Instant ended = {};   ///< if it is whole
  int cores = 0;              ///< that its job holds, if it is under way
};

class Tasks;

/// A cluster of this process: minioar's engine and API on the world's clock, jobs that a model of the wrapper executes.
class Cluster {
 public:
  Cluster(std::string name, const std::filesystem::path& folder, const Settings& settings, const VirtualClock& clock, Faults& faults,
          Trace& trace);
  ~Cluster();
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& prefix() const { return prefix_; }
  /// A request to its API, now.
  [[nodiscard]] http::Response handle(const http::Request& request);
  /// When something happens by itself next, on the cluster or to it.
  [[nodiscard]] std::optional<grid::Instant> next_event();
  /// All that happens until now.
  void catch_up();
  /// OAR fails to launch the next job so.
  void fail_launch(minioar::LaunchFate fate);
  /// The works that were begun since the last call.
  [[nodiscard]] std::vector<Work> take_works();
  [[nodiscard]] const std::vector<Work>& works() const;
  /// How far OAR's clock is ahead of the world's.
  [[nodiscard]] std::chrono::seconds clock_ahead() { return clock_of_oar_.ahead(clock_.now()); }
  /// The jobs of the grid that are not over.
  struct Unfinished {
    minioar::JobNumber job;
    minioar::JobState state;
    bool is_launched_badly;  ///< nothing of it was executed, and nothing will be
    std::string history;     ///< the job that it replaces, and the kinds of its events in OAR
  };
  [[nodiscard]] std::vector<Unfinished> unfinished();
  /// The works that are under way, as far as OAR knows.
  [[nodiscard]] std::vector<Work> under_way();
  /// The works that are under way in jobs that OAR gave up.
  [[nodiscard]] std::vector<Work> unseen();

 private:
  /// A moment at which the cluster's surroundings change.
  struct Change {
    grid::Instant at;
    enum class Kind { server_dies, server_starts, local_job, local_user_looks, launch_fails, clock_steps } kind;
    std::int64_t seconds = 0;  ///< of a local job; by which the clock steps
    int cores = 0;
  };
  void plan_changes(const Settings& settings);
  void make(const Change& change);
  void delete_unlaunched_local_jobs();

  std::string name_;
  std::string prefix_{"/oarapi-grid"};
  const VirtualClock& clock_;
  Faults& faults_;
  Trace& trace_;
  SteppingClock clock_of_oar_;
  std::unique_ptr<Tasks> tasks_;
  std::unique_ptr<wrapper::ModelExecutor> executor_;
  std::unique_ptr<minioar::Engine> engine_;
  std::unique_ptr<minioar::Api> api_;
  std::vector<Change> changes_;  ///< by their times
  std::size_t made_ = 0;         ///< of the changes
  std::size_t taken_ = 0;        ///< of the works
};

/// All clusters, by name.
class Clusters {
 public:
  Clusters(const std::filesystem::path& folder, const Settings& settings, const VirtualClock& clock, Faults& faults, Trace& trace);

  [[nodiscard]] Cluster& at(const std::string& name) { return *clusters_.at(name); }
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] std::optional<grid::Instant> next_event();
  void catch_up();
  [[nodiscard]] std::map<std::string, std::unique_ptr<Cluster>>& all() { return clusters_; }

 private:
  std::map<std::string, std::unique_ptr<Cluster>> clusters_;
};

}  // namespace gleaner::world
