#pragma once
#include <chrono>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "lib/store/checks.hpp"
#include "lib/store/database.hpp"
#include "sim/world/clusters.hpp"
#include "sim/world/database.hpp"

namespace gleaner::world {

/// A task at the end of a world, by the database.
struct Task {
  std::int64_t campaign;
  std::int64_t number;
  std::string state;
  std::string parameter;
};

/// Judges a world by what the clusters' executors did, which production cannot see, by the laws of the database, and by the database's
/// rows, which it reads with queries of its own.
class Oracle {
 public:
  Oracle(WorldDatabase& database, Clusters& clusters, Trace& trace);

  /// After each cycle: no task's work twice in one attempt.
  void judge_work();
  /// After each cycle: promises about what is under way.
  void judge_kills();
  void judge_brakes();
  /// Campaigns that wait for a cancelled one have an event.
  void judge_waits_in_vain();
  /// Every few minutes: what is said to run is carried out by somebody, or was not so long ago.
  void judge_running(grid::Instant now, std::chrono::minutes longest);
  /// The laws of `gridctl db check`.
  void judge_laws(store::Weight most = store::Weight::law);
  /// At the end, when all must be over: what each task came to agrees with what was executed.
  void judge_end();
  /// Whether all campaigns are over, and nothing of them is left on any cluster.
  [[nodiscard]] bool is_all_over();
  /// Campaigns that wait for a user: they are paused, or for others whose tasks failed. Empty as long as anything else is under way.
  [[nodiscard]] std::vector<std::int64_t> awaiting_users();
  /// The causes for which the grid waits, for a world that does not end.
  [[nodiscard]] std::vector<std::string> waits();

  /// Notes what must not be.
  void find(std::string what);
  [[nodiscard]] const std::vector<std::string>& faults() const { return faults_; }

 private:
  /// `unread`: jobs of which nobody could read how they ended.
  void judge_task(const Task& task, const std::vector<Work>& works, const std::set<std::int64_t>& unread);
  void judge_sinks();

  WorldDatabase& database_;
  Clusters& clusters_;
  Trace& trace_;
  store::Database laws_;
  std::map<std::tuple<std::int64_t, std::int64_t, int>, std::string> done_by_;  ///< (campaign, task, attempt)
  std::map<std::int64_t, grid::Instant> idle_since_;  ///< jobs whose task is said to run, and that nobody carries out
  std::vector<std::string> faults_;
};

}  // namespace gleaner::world
