#include "api/cluster_turns.hpp"

#include <algorithm>

namespace gleaner::api {
namespace {

template <class Key>
int count_of(const std::map<Key, int>& counts, const Key& key) {
  const auto known = counts.find(key);
  return known == counts.end() ? 0 : known->second;
}

template <class Key>
void take_one(std::map<Key, int>& counts, const Key& key) {
  if (const auto known = counts.find(key); --known->second == 0) counts.erase(known);
}

/// The greatest part of so many that one user may have.
int part_of_user(int all) { return std::max(1, all / 2); }

}  // namespace

ClusterTurns::Turn::~Turn() {
  if (turns_ != nullptr) turns_->give_back(cluster_, user_);
}

bool ClusterTurns::is_free(grid::ClusterId cluster, const std::string& user) const {
  const auto of_user_there = std::max(1, limits_.of_cluster - 1);
  return in_all_ < limits_.all && count_of(of_cluster_, cluster) < limits_.of_cluster &&
         count_of(of_user_, user) < part_of_user(limits_.all) && count_of(of_user_there_, Place{cluster, user}) < of_user_there;
}

bool ClusterTurns::may_wait(const std::string& user) const {
  return waiting_ < limits_.waiting && count_of(waiting_of_user_, user) < part_of_user(limits_.waiting);
}

std::optional<ClusterTurns::Turn> ClusterTurns::take(grid::ClusterId cluster, const std::string& user, std::chrono::milliseconds patience) {
  std::unique_lock lock{mutex_};
  if (!is_free(cluster, user)) {
    if (!may_wait(user)) return std::nullopt;
    ++waiting_;
    ++waiting_of_user_[user];
    const bool mine = freed_.wait_for(lock, patience, [&] { return is_free(cluster, user); });
    --waiting_;
    take_one(waiting_of_user_, user);
    if (!mine) return std::nullopt;
  }
  ++of_cluster_[cluster];
  ++of_user_[user];
  ++of_user_there_[Place{cluster, user}];
  ++in_all_;
  return Turn{*this, cluster, user};
}

void ClusterTurns::give_back(grid::ClusterId cluster, const std::string& user) {
  {
    const std::lock_guard lock{mutex_};
    take_one(of_cluster_, cluster);
    take_one(of_user_, user);
    take_one(of_user_there_, Place{cluster, user});
    --in_all_;
  }
  freed_.notify_all();
}

}  // namespace gleaner::api
