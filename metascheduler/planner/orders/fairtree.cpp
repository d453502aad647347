#include "metascheduler/planner/orders/fairtree.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

#include "lib/grid/share_tree.hpp"
#include "metascheduler/planner/orders/slices.hpp"
#include "metascheduler/planner/orders/user_queues.hpp"

namespace gleaner::planner {
namespace {

using NodeIndices = std::vector<std::size_t>;

class Tree {
 public:
  Tree(const std::vector<ShareNode>& tree, const std::vector<double>& given) : tree_{tree}, given_{given}, children_(tree.size() + 1) {
    for (std::size_t i = 0; i < tree.size(); ++i) children_[static_cast<std::size_t>(tree[i].parent + 1)].push_back(i);
  }

  NodeIndices users() {
    visit({0});
    return std::move(users_);
  }

 private:
  [[nodiscard]] double usage(std::size_t node) const { return tree_[node].usage + given_[node]; }

  /// share / usage among its siblings; without usage the best there is, without a share the worst.
  [[nodiscard]] double level(std::size_t node, double all_shares, double all_usage) const {
    const double share = all_shares > 0.0 ? tree_[node].shares / all_shares : 0.0;
    if (share <= 0.0) return 0.0;
    if (all_usage <= 0.0 || usage(node) <= 0.0) return std::numeric_limits<double>::infinity();
    return share / (usage(node) / all_usage);
  }

  /// Ranks what is below some nodes that are level (0: the root, i + 1: node i) as one set.
  void visit(const NodeIndices& parents) {
    struct Ranked {
      std::size_t node;
      double level;
    };
    std::vector<Ranked> ranked;
    for (const auto parent : parents) {
      double all_shares = 0.0, all_usage = 0.0;
      for (const auto child : children_[parent]) {
        all_shares += tree_[child].shares;
        all_usage += usage(child);
      }
      for (const auto child : children_[parent]) ranked.push_back({child, level(child, all_shares, all_usage)});
    }
    std::ranges::sort(ranked, [](const Ranked& a, const Ranked& b) { return std::tuple{-a.level, a.node} < std::tuple{-b.level, b.node}; });
    for (std::size_t begin = 0; begin < ranked.size();) {
      auto end = begin;
      NodeIndices branches;
      for (; end < ranked.size() && ranked[end].level == ranked[begin].level; ++end) {
        if (tree_[ranked[end].node].is_user) users_.push_back(ranked[end].node);
        else branches.push_back(ranked[end].node + 1);
      }
      if (!branches.empty()) visit(branches);
      begin = end;
    }
  }

  const std::vector<ShareNode>& tree_;
  const std::vector<double>& given_;
  std::vector<NodeIndices> children_;
  NodeIndices users_;
};

class FairTreeTurns final : public Turns {
 public:
  explicit FairTreeTurns(const Class& among)
      : among_{among},
        queues_{among_},
        slice_{slice_of(among_)},
        day_{resource_day(among_.snapshot)},
        nodes_(nodes_of(among_)),
        given_(among_.snapshot.shares.size(), 0.0) {
    rank();
    at_first_ = rank_of_;
  }

  [[nodiscard]] std::optional<Turn> next() override {
    const auto& taking_part = queues_.taking_part();
    if (taking_part.empty()) return std::nullopt;
    const auto first = *std::ranges::min_element(taking_part, {}, [&](std::size_t member) {
      const auto& campaign = among_.campaign(member);
      return std::tuple{rank_of(member, rank_of_), campaign.submitted, campaign.id};
    });
    return Turn{.contender = first, .most_resources = taking_part.size() == 1 ? kWholeTurn : slice_};
  }

  void served(const Turn& turn, const Served& served) override {
    if (served.exhausted) queues_.exhausted(turn.contender);
    head_start(turn.contender, served);
  }

  void head_start(std::size_t contender, const Served& served) override {
    if (served.resource_seconds <= 0.0) return;
    for (auto node = nodes_[contender]; node >= 0; node = tree()[static_cast<std::size_t>(node)].parent)
      given_[static_cast<std::size_t>(node)] += served.resource_seconds / day_;
    rank();
  }

  [[nodiscard]] std::optional<decisions::Place> place(std::size_t contender) const override {
    decisions::place::FairTree place{.user = among_.campaign(contender).user,
                                     .rank = static_cast<std::int64_t>(rank_of(contender, at_first_)) + 1,
                                     .users = static_cast<std::int64_t>(users_),
                                     .path = {}};
    for (auto at = nodes_[contender]; at >= 0; at = tree()[static_cast<std::size_t>(at)].parent) {
      const auto& one = tree()[static_cast<std::size_t>(at)];
      place.path.push_back({.name = one.name, .shares = one.shares, .usage = decisions::rounded(one.usage, 3)});
    }
    std::ranges::reverse(place.path);
    return place;
  }

 private:
  [[nodiscard]] const std::vector<ShareNode>& tree() const { return among_.snapshot.shares; }

  void rank() {
    const auto users = ranked_users(tree(), given_);
    users_ = users.size();
    rank_of_.assign(tree().size(), users.size());
    for (std::size_t i = 0; i < users.size(); ++i) rank_of_[users[i]] = i;
  }

  [[nodiscard]] std::size_t rank_of(std::size_t contender, const std::vector<std::size_t>& ranks) const {
    const auto node = nodes_[contender];
    return node < 0 ? users_ : ranks[static_cast<std::size_t>(node)];
  }

  Class among_;
  UserQueues queues_;
  double slice_;
  double day_;
  std::vector<int> nodes_;  ///< of each contender's user; -1: not in the tree
  std::vector<double> given_;
  std::size_t users_ = 0;
  std::vector<std::size_t> rank_of_;
  std::vector<std::size_t> at_first_;
};

}  // namespace

std::vector<int> nodes_of(const Class& among) {
  const grid::ShareTree tree{among.snapshot.shares};
  std::vector<int> nodes(among.contenders.size(), -1);
  for (const auto member : among.members) {
    const auto& campaign = among.campaign(member);
    nodes[member] = tree.node_of(campaign.user, campaign.groups, campaign.project);
  }
  return nodes;
}

std::vector<std::size_t> ranked_users(const std::vector<ShareNode>& tree, const std::vector<double>& given) {
  return Tree{tree, given}.users();
}

std::unique_ptr<Turns> FairTree::turns(const Class& among) const { return std::make_unique<FairTreeTurns>(among); }

}  // namespace gleaner::planner
