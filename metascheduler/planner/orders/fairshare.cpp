#include "metascheduler/planner/orders/fairshare.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "lib/grid/share_tree.hpp"
#include "lib/grid/usage.hpp"
#include "metascheduler/planner/orders/fairtree.hpp"
#include "metascheduler/planner/orders/slices.hpp"
#include "metascheduler/planner/orders/user_queues.hpp"

namespace gleaner::planner {
namespace {

class FairShareTurns final : public Turns {
 public:
  explicit FairShareTurns(const Class& among)
      : among_{among}, queues_{among_}, slice_{slice_of(among_)}, day_{resource_day(among_.snapshot)}, ways_(among_.contenders.size()) {
    for (const auto& user : among_.snapshot.users) users_[user.name] = {.name = user.name, .share = user.share, .usage = user.usage};
    if (grid::ShareTree{among_.snapshot.shares}.has_branches()) find_nodes();
    for (const auto member : among_.members) {
      auto& way = ways_[member];
      if (!way.empty()) continue;
      auto& account = users_[among_.campaign(member).user];
      if (!nodes_.empty()) account.share = 0.0;  // its user is not in the tree
      way.push_back(&account);
    }
  }

  [[nodiscard]] std::optional<Turn> next() override {
    const auto& taking_part = queues_.taking_part();
    if (taking_part.empty()) return std::nullopt;
    return Turn{.contender = first_of(taking_part), .most_resources = taking_part.size() == 1 ? kWholeTurn : slice_};
  }

  void served(const Turn& turn, const Served& served) override {
    head_start(turn.contender, served);
    if (served.exhausted) queues_.exhausted(turn.contender);
  }

  void head_start(std::size_t contender, const Served& served) override {
    for (auto* account : ways_[contender]) account->given += served.resource_seconds / day_;
  }

  [[nodiscard]] std::optional<decisions::Place> place(std::size_t contender) const override {
    using decisions::rounded;
    const auto& way = ways_[contender];
    const auto& account = *way.back();
    decisions::place::FairShare place{.user = among_.campaign(contender).user,
                                      .priority = rounded(grid::fair_priority(account.share, account.usage, rule_), 3),
                                      .share = rounded(account.share, 3),
                                      .usage = rounded(account.usage, 3),
                                      .by_share = rule_ == grid::UsageRule::by_share};
    for (const auto* above : std::span{way}.first(way.size() - 1))
      place.branches.push_back({.name = std::string{above->name},
                                .priority = rounded(grid::fair_priority(above->share, above->usage, rule_), 3),
                                .share = rounded(above->share, 3),
                                .usage = rounded(above->usage, 3)});
    return place;
  }

 private:
  struct Account {
    std::string_view name;
    double share = 0.0;
    double usage = 0.0;
    double given = 0.0;  ///< in this plan, in days of the grid
  };
  [[nodiscard]] double priority_of(const Account& account) const {
    return grid::fair_priority(account.share, account.usage + account.given, rule_);
  }

  void find_nodes() {
    const auto& tree = among_.snapshot.shares;
    const auto parts = grid::share_parts(tree);
    for (std::size_t i = 0; i < tree.size(); ++i) nodes_.push_back({.name = tree[i].name, .share = parts[i], .usage = tree[i].usage});
    const auto nodes = nodes_of(among_);
    for (const auto member : among_.members) {
      auto& way = ways_[member];
      for (int at = nodes[member]; at >= 0; at = tree[static_cast<std::size_t>(at)].parent)
        way.push_back(&nodes_[static_cast<std::size_t>(at)]);
      std::ranges::reverse(way);
    }
  }

  /// Down the tree: of the branches of one level the first, with all that is below it; those that are equal are one. Users go before
  /// branches that are equal to them.
  [[nodiscard]] std::size_t first_of(std::vector<std::size_t> left) const {
    for (std::size_t level = 0;; ++level) {
      const auto rank = [&](std::size_t member) {
        const auto& account = *ways_[member][level];
        return std::pair{priority_of(account), account.share};
      };
      const auto best = rank(*std::ranges::max_element(left, {}, rank));
      std::erase_if(left, [&](std::size_t member) { return rank(member) != best; });
      const auto ends = [&](std::size_t member) { return ways_[member].size() == level + 1; };
      if (std::ranges::any_of(left, ends)) {
        std::erase_if(left, [&](std::size_t member) { return !ends(member); });
        return *std::ranges::min_element(left, {}, [&](std::size_t member) {
          return std::pair{among_.campaign(member).submitted, among_.campaign(member).id};
        });
      }
    }
  }

  Class among_;
  UserQueues queues_;
  grid::UsageRule rule_ = grid::usage_rule(among_.config.fairshare_usage).value();
  double slice_;
  double day_;
  std::map<std::string, Account, std::less<>> users_;
  std::vector<Account> nodes_;               ///< those of the tree of shares, where it has branches
  std::vector<std::vector<Account*>> ways_;  ///< of each contender: from a child of the root to its user
};

}  // namespace

std::unique_ptr<Turns> FairShare::turns(const Class& among) const { return std::make_unique<FairShareTurns>(among); }

}  // namespace gleaner::planner
