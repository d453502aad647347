#include "api/cluster_turns.hpp"

namespace gleaner::api {

ClusterTurns::Turn::~Turn() {
  if (turns_ != nullptr) turns_->give_back(cluster_);
}

std::optional<ClusterTurns::Turn> ClusterTurns::take(grid::ClusterId cluster, std::chrono::milliseconds patience) {
  std::unique_lock lock{mutex_};
  const auto is_free = [&] {
    const auto known = taken_.find(cluster);
    return in_all_ < most_ && (known == taken_.end() || known->second < kMostOfCluster);
  };
  if (!freed_.wait_for(lock, patience, is_free)) return std::nullopt;
  ++taken_[cluster];
  ++in_all_;
  return Turn{*this, cluster};
}

void ClusterTurns::give_back(grid::ClusterId cluster) {
  {
    const std::lock_guard lock{mutex_};
    if (const auto known = taken_.find(cluster); --known->second == 0) taken_.erase(known);
    --in_all_;
  }
  freed_.notify_all();
}

}  // namespace gleaner::api
