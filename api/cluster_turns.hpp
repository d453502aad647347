#pragma once
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "lib/grid/id.hpp"

namespace gleaner::api {

/// Bounds the requests that gridapi sends to clusters for its users, so that a slow or dead cluster holds few threads, and no user can load
/// a cluster's API. Thread-safe.
class ClusterTurns {
 public:
  static constexpr int kMostOfCluster = 3;

  /// @param most  turns of all clusters together
  explicit ClusterTurns(int most) : most_{most} {}
  ClusterTurns(const ClusterTurns&) = delete;
  ClusterTurns& operator=(const ClusterTurns&) = delete;

  /// The right to send requests to a cluster; its destructor gives it back.
  class Turn {
   public:
    Turn(ClusterTurns& turns, grid::ClusterId cluster) : turns_{&turns}, cluster_{cluster} {}
    Turn(Turn&& other) noexcept : turns_{std::exchange(other.turns_, nullptr)}, cluster_{other.cluster_} {}
    Turn& operator=(Turn&&) = delete;
    ~Turn();

   private:
    ClusterTurns* turns_;
    grid::ClusterId cluster_;
  };

  /// Waits for a turn, at most for `patience`. Empty: there was none.
  [[nodiscard]] std::optional<Turn> take(grid::ClusterId cluster, std::chrono::milliseconds patience);

 private:
  void give_back(grid::ClusterId cluster);

  const int most_;
  std::mutex mutex_;
  std::condition_variable freed_;
  std::map<grid::ClusterId, int> taken_;
  int in_all_ = 0;
};

}  // namespace gleaner::api
