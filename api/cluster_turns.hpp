#pragma once
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "lib/grid/id.hpp"

namespace gleaner::api {

/// Bounds the requests that gridapi sends to clusters for its users, by cluster, by user and in all, so that a slow or dead cluster holds
/// few threads, and no user keeps others from a cluster. Those that wait are bounded too: further ones are refused at once. Thread-safe.
class ClusterTurns {
 public:
  struct Limits {
    int all = 1;         ///< turns of all clusters together; a user has half of them at most
    int of_cluster = 3;  ///< one of them is never the same user's as the others
    int waiting = 6;     ///< requests that wait for a turn; of a user half of them at most
  };

  explicit ClusterTurns(const Limits& limits) : limits_{limits} {}
  ClusterTurns(const ClusterTurns&) = delete;
  ClusterTurns& operator=(const ClusterTurns&) = delete;

  /// The right to send requests to a cluster; its destructor gives it back.
  class Turn {
   public:
    Turn(ClusterTurns& turns, grid::ClusterId cluster, std::string user) : turns_{&turns}, cluster_{cluster}, user_{std::move(user)} {}
    Turn(Turn&& other) noexcept : turns_{std::exchange(other.turns_, nullptr)}, cluster_{other.cluster_}, user_{std::move(other.user_)} {}
    Turn& operator=(Turn&&) = delete;
    ~Turn();

   private:
    ClusterTurns* turns_;
    grid::ClusterId cluster_;
    std::string user_;
  };

  /// Waits for a turn, at most for `patience`. Empty: there was none, or too many wait already.
  [[nodiscard]] std::optional<Turn> take(grid::ClusterId cluster, const std::string& user, std::chrono::milliseconds patience);

 private:
  using Place = std::pair<grid::ClusterId, std::string>;
  [[nodiscard]] bool is_free(grid::ClusterId cluster, const std::string& user) const;
  [[nodiscard]] bool may_wait(const std::string& user) const;
  void give_back(grid::ClusterId cluster, const std::string& user);

  const Limits limits_;
  std::mutex mutex_;
  std::condition_variable freed_;
  std::map<grid::ClusterId, int> of_cluster_;
  std::map<std::string, int> of_user_;
  std::map<Place, int> of_user_there_;
  std::map<std::string, int> waiting_of_user_;
  int in_all_ = 0;
  int waiting_ = 0;
};

}  // namespace gleaner::api
