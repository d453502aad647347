#include "metascheduler/planner/orders/tickets.hpp"

#include <algorithm>
#include <map>

#include "lib/grid/share_tree.hpp"
#include "metascheduler/planner/orders/fairtree.hpp"
#include "metascheduler/planner/orders/share_draw.hpp"
#include "metascheduler/planner/orders/slices.hpp"
#include "metascheduler/planner/orders/user_queues.hpp"
#include "metascheduler/planner/room.hpp"

namespace gleaner::planner {
namespace {

/// The weight that a campaign brings to its ranking, in its own units.
struct Holding {
  double user_priority = kNormalPriority;
  double age = 0.0;
  double cpu_time = 0.0;
  double resources = 0.0;  ///< of live jobs
  double place = 0.0;
  double power = 0.0;
};

/// The nodes of the members' users, in the order of the members.
std::vector<int> nodes_of_members(const Class& among) {
  const auto nodes = nodes_of(among);
  std::vector<int> of_members;
  for (const auto member : among.members) of_members.push_back(nodes[member]);
  return of_members;
}

double part(double value, double most) { return most > 0.0 ? std::clamp(value / most, 0.0, 1.0) : 0.0; }

class TicketTurns final : public Turns {
 public:
  explicit TicketTurns(const Class& among)
      : among_{among},
        queues_{among_},
        slice_{slice_of(among_)},
        random_{among_.seed},
        nodes_{nodes_of_members(among_)},
        box_{among_.snapshot.shares, nodes_},
        index_(among_.contenders.size()),
        debts_(among_.members.size(), 0.0) {
    for (std::size_t i = 0; i < among_.members.size(); ++i) index_[among_.members[i]] = i;
    std::map<std::string_view, double> priorities;
    for (const auto member : among_.members) priorities.emplace(among_.campaign(member).user, kNormalPriority);
    for (const auto& user : among_.snapshot.users) {
      if (const auto found = priorities.find(user.name); found != priorities.end()) found->second = user.priority;
    }
    for (const auto member : among_.members) holdings_.push_back(holding_of(member, priorities.at(among_.campaign(member).user)));
    number_by_creation();
    count_shares();
    for (const auto& holding : holdings_) {
      most_.age = std::max(most_.age, holding.age);
      most_.cpu_time = std::max(most_.cpu_time, holding.cpu_time);
      most_.resources = std::max(most_.resources, holding.resources);
      most_.power = std::max(most_.power, holding.power);
    }
    for (const auto member : among_.members) {
      const auto& campaign = among_.campaign(member);
      by_project_ = by_project_ || campaign.project_priority.priority != kNormalPriority;
      by_group_ = by_group_ || campaign.group_priority.priority != kNormalPriority;
    }
    for (const auto member : among_.members) all_rankings_ += ranking_of(member).sum();
    for (const auto member : queues_.taking_part()) deal(member);
  }

  [[nodiscard]] std::optional<Turn> next() override {
    while (const auto drawn = box_.draw(random_)) {
      if (queues_.taking_part().size() == 1) return Turn{.contender = among_.members[*drawn], .most_resources = kWholeTurn};
      auto& debt = debts_[*drawn];
      if (debt < slice_) return Turn{.contender = among_.members[*drawn], .most_resources = slice_};
      debt -= slice_;
    }
    return std::nullopt;
  }

  void served(const Turn& turn, const Served& served) override {
    const auto index = index_[turn.contender];
    holdings_[index].resources += std::max(served.resources, static_cast<double>(served.jobs));
    if (turn.most_resources != kWholeTurn) debts_[index] += std::max(0.0, served.resources - slice_);
    if (!served.exhausted) return deal(turn.contender);
    box_.set(index, 0.0);
    if (const auto next = queues_.exhausted(turn.contender)) deal(*next);
  }

  /// Whoever takes part draws with the tickets that are left; the others get theirs when they begin to.
  void head_start(std::size_t contender, const Served& served) override {
    const auto index = index_[contender];
    holdings_[index].resources += std::max(served.resources, static_cast<double>(served.jobs));
    if (std::ranges::binary_search(queues_.taking_part(), contender)) deal(contender);
  }

  [[nodiscard]] std::optional<decisions::Place> place(std::size_t contender) const override {
    using decisions::rounded;
    const auto ranking = ranking_of(contender);
    decisions::place::Tickets place{.tickets = rounded(all_rankings_ / ranking.sum(), 1),
                                    .rankings = std::ssize(among_.members),
                                    .ranking = rounded(ranking.sum(), 2),
                                    .user_priority = rounded(ranking.user_priority, 2),
                                    .campaign_priority = rounded(ranking.priority, 2),
                                    .wall_clock = rounded(ranking.wall_clock, 2),
                                    .cpu_time = rounded(ranking.cpu_time, 2),
                                    .resources = rounded(ranking.resources, 2),
                                    .creation = rounded(ranking.creation, 2),
                                    .power = rounded(ranking.power, 2),
                                    .project_priority = rounded(ranking.project_priority, 2),
                                    .group_priority = rounded(ranking.group_priority, 2)};
    describe_draw(index_[contender], place);
    return place;
  }

  [[nodiscard]] std::optional<double> chance(std::size_t contender) const override { return box_.chance(index_[contender]); }

 private:
  [[nodiscard]] Holding holding_of(std::size_t member, double user_priority) const {
    const auto& campaign = among_.campaign(member);
    Holding holding{.user_priority = user_priority};
    holding.age = std::max(0.0, std::chrono::duration<double>{among_.snapshot.now - campaign.submitted}.count());
    holding.cpu_time = campaign.used_resource_seconds;
    for (const auto& candidate : among_.contenders[member].candidates) {
      const double each = candidate.width.known ? candidate.width.resources : job_resources(*candidate.pair, *candidate.cluster);
      const double resources = (candidate.pair->live_jobs + candidate.jobs) * each;
      holding.resources += resources;
      holding.power += resources * candidate.cluster->power;
    }
    return holding;
  }

  void number_by_creation() {
    std::vector<std::size_t> by_creation(holdings_.size());
    for (std::size_t i = 0; i < by_creation.size(); ++i) by_creation[i] = i;
    std::ranges::sort(by_creation, {}, [&](std::size_t i) {
      const auto& campaign = among_.campaign(among_.members[i]);
      return std::pair{campaign.submitted, campaign.id};
    });
    for (std::size_t place = 0; place < by_creation.size(); ++place) holdings_[by_creation[place]].place = static_cast<double>(place + 1);
  }

  [[nodiscard]] Ranking ranking_of(std::size_t member) const {
    const auto& holding = holdings_[index_[member]];
    return {.user_priority = part(holding.user_priority, kLowestPriority),
            .priority = part(among_.campaign(member).priority, kLowestPriority),
            .wall_clock = 1.0 - part(holding.age, most_.age),
            .cpu_time = part(holding.cpu_time, most_.cpu_time),
            .resources = part(holding.resources, most_.resources),
            .creation = part(holding.place, static_cast<double>(holdings_.size())),
            .power = part(holding.power, most_.power),
            .project_priority = by_project_ ? part(among_.campaign(member).project_priority.priority, kLowestPriority) : 0.0,
            .group_priority = by_group_ ? part(among_.campaign(member).group_priority.priority, kLowestPriority) : 0.0};
  }

  /// The way of the draw down the tree of shares, where it goes that way.
  void describe_draw(std::size_t index, decisions::place::Tickets& place) const {
    const auto& tree = among_.snapshot.shares;
    if (shares_below_.empty()) return;
    if (!has_share_[index]) {
      place.comes_last = true;
      return;
    }
    for (int at = nodes_[index]; at >= 0; at = tree[static_cast<std::size_t>(at)].parent) {
      const auto& node = tree[static_cast<std::size_t>(at)];
      place.path.push_back({.name = node.name,
                            .shares = node.shares,
                            .of_shares = shares_below_[static_cast<std::size_t>(std::ptrdiff_t{node.parent} + 1)]});
    }
    std::ranges::reverse(place.path);
  }

  /// Only the proportions count, so the sum of all rankings, common to all, is left out.
  void deal(std::size_t member) { box_.set(index_[member], 1.0 / ranking_of(member).sum()); }

  /// Where projects or groups have shares: who has a share, and what those that take part have of each level.
  void count_shares() {
    const auto& tree = among_.snapshot.shares;
    if (!grid::ShareTree{tree}.has_branches()) return;
    const auto parts = grid::share_parts(tree);
    shares_below_.assign(tree.size() + 1, 0.0);
    std::vector<bool> counted(tree.size(), false);
    for (const int node : nodes_) {
      has_share_.push_back(node >= 0 && parts[static_cast<std::size_t>(node)] > 0.0);
      for (int at = has_share_.back() ? node : -1; at >= 0 && !counted[static_cast<std::size_t>(at)];
           at = tree[static_cast<std::size_t>(at)].parent) {
        counted[static_cast<std::size_t>(at)] = true;
        const auto& one = tree[static_cast<std::size_t>(at)];
        shares_below_[static_cast<std::size_t>(std::ptrdiff_t{one.parent} + 1)] += one.shares;
      }
    }
  }

  Class among_;
  UserQueues queues_;
  double slice_;
  Draw random_;
  std::vector<int> nodes_;  ///< of each member's user in the tree of shares
  ShareDraw box_;
  std::vector<bool> has_share_;       ///< of each member, where projects or groups have shares
  std::vector<double> shares_below_;  ///< the root's first, then each node's: the shares of its children that take part
  std::vector<std::size_t> index_;    ///< of each contender among the members
  std::vector<Holding> holdings_;
  std::vector<double> debts_;  ///< resources that each got beyond its slices, and did not sit out yet
  Holding most_{.user_priority = 0.0};
  double all_rankings_ = 0.0;                   ///< their sum, before anything was given
  bool by_project_ = false, by_group_ = false;  ///< a member has a priority by its project, or by its group
};

}  // namespace

std::unique_ptr<Turns> Tickets::turns(const Class& among) const { return std::make_unique<TicketTurns>(among); }

}  // namespace gleaner::planner
