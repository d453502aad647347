#include "predictor/algorithms/sharing.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "lib/grid/dust.hpp"

namespace gleaner::prediction {
namespace {

constexpr double kGrowth = 0.04;        // of a step, as part of the time played so far
constexpr double kLongestPlay = 3.2e9;  // seconds: 100 years

constexpr int kPlays = 8;  // with other durations and resources

/// A claim while it is played.
struct Holding {
  std::size_t sharer = 0, user = 0;
  double width = 1, seconds = 1, most = 0;
  double slots = 0;  ///< jobs
  bool is_open = false;
  std::optional<std::size_t> limit{};
  double part = 1;
};

/// Those of a cluster that have one rank, and one user where users share: each group gets as much as the others, if it has tasks.
struct Claimants {
  int rank = 0;
  std::size_t user = 0;
  std::vector<Holding> holdings;
  std::size_t first = 0;  ///< the first that may still get something
};

struct PlayedCluster {
  double free = 0;
  std::vector<Claimants> groups;  ///< by rank
  std::vector<Holding*> active;   ///< those with slots
};

class Play {
 public:
  Play(const std::vector<Sharer>& sharers, const std::vector<SharedCluster>& clusters, Sharing sharing, const std::vector<double>& limits,
       std::mt19937_64* draws);
  void run(double cycle);
  [[nodiscard]] const std::vector<std::optional<Emptying>>& emptied() const { return emptied_; }

 private:
  void add(const std::vector<Sharer>& sharers, std::size_t index, Sharing sharing, double factor);
  void step(double seconds);
  void release(PlayedCluster& cluster, double seconds);
  void give(PlayedCluster& cluster);
  double give(PlayedCluster& cluster, Claimants& group, double resources);
  void note_users();
  [[nodiscard]] bool is_over(const Holding& one) const { return !one.is_open || bags_[one.sharer] <= 0.0; }
  [[nodiscard]] bool may_take(Claimants& group) const;

  std::vector<PlayedCluster> clusters_;
  std::vector<double> bags_;
  std::vector<double> slots_;  ///< of each sharer, on all clusters
  std::vector<std::optional<Emptying>> emptied_;
  std::vector<double> held_;    ///< resources of each user
  std::vector<double> limits_;  ///< what is left of each; below 0 where those that run hold more
  double now_ = 0;
  std::size_t left_ = 0;  ///< bags that are not empty
};

double factor_of(const Sharer& sharer, std::mt19937_64& draws) {
  if (sharer.is_bound) return std::uniform_real_distribution<>{0.05, 1.5}(draws);
  const double error = std::min(1.0, sharer.error);
  return std::exp(error * std::normal_distribution<>{}(draws)-0.5 * error * error);
}

Play::Play(const std::vector<Sharer>& sharers, const std::vector<SharedCluster>& clusters, Sharing sharing,
           const std::vector<double>& limits, std::mt19937_64* draws)
    : clusters_(clusters.size()), bags_(sharers.size()), slots_(sharers.size()), emptied_(sharers.size()), limits_{limits} {
  constexpr double kChange = 0.1;  // of what others hold
  for (std::size_t i = 0; i < clusters.size(); ++i) {
    clusters_[i].free = clusters[i].free;
    if (draws != nullptr) clusters_[i].free += kChange * clusters[i].others * std::normal_distribution<>{}(*draws);
  }
  for (std::size_t i = 0; i < sharers.size(); ++i) {
    // The mean of a job whose walltime alone is known.
    const double expected = sharers[i].is_bound ? 0.5 : 1.0;
    add(sharers, i, sharing, expected * (draws == nullptr ? 1.0 : factor_of(sharers[i], *draws)));
    bags_[i] = sharers[i].waiting;
    if (bags_[i] > 0.0) ++left_;
    else emptied_[i] = Emptying{.seconds = 0, .earlier = 0, .later = 0, .slots = slots_[i]};
  }
  for (auto& cluster : clusters_) {
    std::ranges::stable_sort(cluster.groups, {}, &Claimants::rank);
    for (auto& group : cluster.groups) {
      held_.resize(std::max(held_.size(), group.user + 1));
      for (auto& one : group.holdings) {
        if (one.slots > 0.0) cluster.active.push_back(&one);
      }
    }
  }
}

void Play::add(const std::vector<Sharer>& sharers, std::size_t index, Sharing sharing, double factor) {
  const auto& sharer = sharers[index];
  for (const auto& claim : sharer.claims) {
    auto& groups = clusters_[claim.cluster].groups;
    const auto user = sharing == Sharing::among_users ? sharer.user : 0;
    auto group = std::ranges::find_if(groups, [&](const Claimants& one) { return one.rank == sharer.rank && one.user == user; });
    if (group == groups.end()) group = groups.insert(groups.end(), Claimants{.rank = sharer.rank, .user = user, .holdings = {}});
    group->holdings.push_back({.sharer = index,
                               .user = user,
                               .width = claim.width,
                               .seconds = claim.seconds * factor,
                               .most = claim.most,
                               .slots = claim.running,
                               .is_open = claim.is_open,
                               .limit = claim.limit,
                               .part = claim.part});
    slots_[index] += claim.running;
    if (claim.limit) limits_[*claim.limit] -= claim.running * claim.part;
  }
}

void Play::release(PlayedCluster& cluster, double seconds) {
  constexpr double kFew = 1e-3;  // jobs: a part of one that is left counts as over
  for (auto* one : cluster.active) {
    const double part = one->slots < kFew ? 1.0 : seconds / (seconds + one->seconds);  // an implicit step of slots' = -slots / seconds
    const double released = one->slots * part;
    // Tasks that begin in slots that others end in: one after the other. Those of the slots that are given again count when they are.
    if (one->is_open) bags_[one->sharer] -= std::max(0.0, one->slots * seconds / one->seconds - released);
    one->slots -= released;
    slots_[one->sharer] -= released;
    cluster.free += released * one->width;
    if (one->limit) limits_[*one->limit] += released * one->part;
  }
  std::erase_if(cluster.active, [](const Holding* one) { return one->slots <= 0.0; });
}

/// Whether some of a group may get more; one that may not never will.
bool Play::may_take(Claimants& group) const {
  while (group.first < group.holdings.size() && is_over(group.holdings[group.first])) ++group.first;
  return group.first < group.holdings.size();
}

/// Gives a group so many resources at most; returns what it takes.
double Play::give(PlayedCluster& cluster, Claimants& group, double resources) {
  double taken = 0;
  for (auto i = group.first; i < group.holdings.size() && resources - taken > grid::kDust; ++i) {
    auto& one = group.holdings[i];
    if (is_over(one)) continue;
    auto& bag = bags_[one.sharer];
    double jobs = std::min({(resources - taken) / one.width, bag, one.most - one.slots});
    if (one.limit) jobs = std::min(jobs, limits_[*one.limit] / one.part);
    if (jobs <= 0.0) continue;
    if (one.limit) limits_[*one.limit] -= jobs * one.part;
    if (one.slots <= 0.0) cluster.active.push_back(&one);
    one.slots += jobs;
    slots_[one.sharer] += jobs;
    bag -= jobs;
    taken += jobs * one.width;
  }
  return taken;
}

void Play::give(PlayedCluster& cluster) {
  for (auto first = cluster.groups.begin(); first != cluster.groups.end() && cluster.free > grid::kDust;) {
    const auto last = std::find_if(first, cluster.groups.end(), [&](const Claimants& one) { return one.rank != first->rank; });
    std::vector<Claimants*> level;
    for (auto group = first; group != last; ++group) {
      if (may_take(*group)) level.push_back(&*group);
    }
    std::ranges::stable_sort(level, {}, [&](const Claimants* one) { return held_[one->user]; });
    // Those who hold least are raised together, as far as the free resources go.
    double raised_to = 0.0, held_below = 0.0;
    std::size_t raised = 0;
    while (raised < level.size() && (raised == 0 || held_[level[raised]->user] < raised_to)) {
      held_below += held_[level[raised++]->user];
      raised_to = (cluster.free + held_below) / static_cast<double>(raised);
    }
    for (std::size_t k = 0; k < raised; ++k) {
      auto& held = held_[level[k]->user];
      const double taken = give(cluster, *level[k], std::min(cluster.free, raised_to - held));
      held += taken;
      cluster.free -= taken;
    }
    for (auto* group : level) {  // what some leave
      if (cluster.free <= grid::kDust) break;
      const double taken = give(cluster, *group, cluster.free);
      held_[group->user] += taken;
      cluster.free -= taken;
    }
    first = last;
  }
}

void Play::note_users() {
  std::ranges::fill(held_, 0.0);
  for (const auto& cluster : clusters_) {
    for (const auto* one : cluster.active) held_[one->user] += one->slots * one->width;
  }
}

void Play::step(double seconds) {
  const auto before = bags_;
  for (auto& cluster : clusters_) release(cluster, seconds);
  note_users();
  for (auto& cluster : clusters_) give(cluster);
  for (std::size_t i = 0; i < bags_.size(); ++i) {
    if (before[i] <= 0.0 || bags_[i] > 0.0) continue;
    const double part = before[i] / (before[i] - bags_[i]);
    emptied_[i] = Emptying{.seconds = now_ + part * seconds, .earlier = 0, .later = 0, .slots = std::max(1.0, slots_[i])};
    --left_;
  }
  now_ += seconds;
}

void Play::run(double cycle) {
  const double first = std::max(1.0, cycle);
  note_users();
  for (auto& cluster : clusters_) give(cluster);
  for (std::size_t i = 0; i < bags_.size(); ++i) {
    if (emptied_[i] || bags_[i] > 0.0) continue;
    emptied_[i] = Emptying{.seconds = 0, .earlier = 0, .later = 0, .slots = std::max(1.0, slots_[i])};
    --left_;
  }
  const auto is_active = [&] { return std::ranges::any_of(clusters_, [](const PlayedCluster& one) { return !one.active.empty(); }); };
  while (left_ > 0 && now_ < kLongestPlay && is_active()) step(std::max(first, kGrowth * now_));
}

}  // namespace

namespace {

/// The part of the time that the play leaves out: the gaps beside wide jobs, and between the end of a job and the next one; what others do
/// that nobody knows of; campaigns that come later, which take a part where users share. The more campaigns there are, the more of it.
/// Source: `tests/bench/gridsim_coverage_bench.cpp`, which counts how often the intervals hold.
struct Unknown {
  double likely = 1;
  double earlier = 0, later = 0;  ///< one standard deviation
};
Unknown unknown_of(Sharing sharing, std::size_t others) {
  constexpr double kMany = 4;  // campaigns
  const double part = std::min(1.0, static_cast<double>(others) / kMany);
  if (sharing == Sharing::in_order) return {.likely = 1.0 + 0.1 * part, .earlier = 0.25 * part, .later = part};
  return {.likely = 1.0 + 0.25 * part, .earlier = 0.3 * part, .later = 1.5 * part};
}

/// How many others than one have tasks or jobs.
std::size_t others_of(const std::vector<Sharer>& sharers) {
  const auto active = std::ranges::count_if(sharers, [](const Sharer& one) {
    return one.waiting > 0.0 || std::ranges::any_of(one.claims, [](const Claim& claim) { return claim.running > 0.0; });
  });
  return static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, active - 1));
}

}  // namespace

std::vector<std::optional<Emptying>> empty_bags(const std::vector<Sharer>& sharers, const std::vector<SharedCluster>& clusters,
                                                Sharing sharing, double cycle, const std::vector<double>& limits) {
  Play expected{sharers, clusters, sharing, limits, nullptr};
  expected.run(cycle);
  auto emptied = expected.emptied();
  std::vector<double> sums(sharers.size()), squares(sharers.size());
  std::mt19937_64 draws{2009};
  for (int i = 0; i < kPlays; ++i) {
    Play play{sharers, clusters, sharing, limits, &draws};
    play.run(cycle);
    for (std::size_t j = 0; j < sharers.size(); ++j) {
      const double seconds = play.emptied()[j] ? play.emptied()[j]->seconds : kLongestPlay;
      sums[j] += seconds;
      squares[j] += seconds * seconds;
    }
  }
  const auto unknown = unknown_of(sharing, others_of(sharers));
  for (std::size_t j = 0; j < sharers.size(); ++j) {
    if (!emptied[j]) continue;
    auto& one = *emptied[j];
    const double of_plays = std::sqrt(std::max(0.0, squares[j] - sums[j] * sums[j] / kPlays) / (kPlays - 1));
    one.seconds *= unknown.likely;
    one.earlier = std::hypot(of_plays, unknown.earlier * one.seconds);
    one.later = std::hypot(of_plays, unknown.later * one.seconds);
  }
  return emptied;
}

}  // namespace gleaner::prediction
