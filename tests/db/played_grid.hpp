#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "clients/json.hpp"
#include "lib/grid/time.hpp"
#include "sim/world/clusters.hpp"
#include "sim/world/settings.hpp"

namespace gleaner::tests {

/// A job of a cluster's own users.
struct OwnJob {
  double at = 0;  ///< seconds from now
  std::string cluster;
  int cores = 1;
  std::int64_t seconds = 60;
};

/// A world without faults (docs/architecture/world.md) whose campaigns come from a test: production's modules, API and database, and
/// clusters of minioar, on a virtual clock.
class PlayedGrid {
 public:
  /// `settings`: without faults and features. `licences`: how many of world::kConsumable the grid has; 0: none is known.
  PlayedGrid(world::Settings settings, double licences);
  ~PlayedGrid();
  PlayedGrid(const PlayedGrid&) = delete;
  PlayedGrid& operator=(const PlayedGrid&) = delete;

  struct Answer {
    unsigned status = 0;
    clients::Json json;
    std::string body;
  };
  /// A user asks the API.
  Answer ask(const std::string& user, const std::string& method, const std::string& target, const std::string& body = {});
  void add(OwnJob job);
  [[nodiscard]] world::Cluster& cluster(const std::string& name);
  /// Cycles until `is_over`, for so many seconds at most. Returns whether it is.
  bool play_until(const std::function<bool()>& is_over, double most_seconds);
  /// Since the begin.
  [[nodiscard]] double seconds() const;

 private:
  struct Parts;
  void submit(const OwnJob& job);
  void jump();

  world::Settings settings_;
  std::vector<OwnJob> own_jobs_;  ///< to come, by their times since the begin
  std::unique_ptr<Parts> parts_;
  grid::Instant next_cycle_;
};

}  // namespace gleaner::tests
