#include "metascheduler/planner/orders/share_draw.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include "lib/grid/share_tree.hpp"

namespace gleaner::planner {
namespace {

constexpr std::size_t kNobody = std::numeric_limits<std::size_t>::max();

}  // namespace

ShareDraw::ShareDraw(const std::vector<ShareNode>& tree, const std::vector<int>& nodes)
    : branches_(tree.size() + 1), user_of_(nodes.size(), kNobody), place_of_(nodes.size(), 0), others_{nodes.size()} {
  if (!grid::ShareTree{tree}.has_branches()) return;
  for (std::size_t i = 0; i < tree.size(); ++i) {
    if (tree[i].is_user) continue;
    auto& branch = branches_[i + 1];
    branch.share = tree[i].shares;
    branch.above = static_cast<std::size_t>(std::ptrdiff_t{tree[i].parent} + 1);
    branch.place = branches_[branch.above].branches.size();
    branches_[branch.above].branches.push_back(i + 1);
  }
  add_users(tree, nodes);
  size_boxes();
}

void ShareDraw::add_users(const std::vector<ShareNode>& tree, const std::vector<int>& nodes) {
  const auto parts = grid::share_parts(tree);
  std::map<int, std::size_t> known;
  for (std::size_t holder = 0; holder < nodes.size(); ++holder) {
    const int node = nodes[holder];
    if (node < 0 || parts[static_cast<std::size_t>(node)] <= 0.0) continue;
    const auto& one = tree[static_cast<std::size_t>(node)];
    const auto [found, is_new] = known.emplace(node, users_.size());
    if (is_new) {
      const auto branch = static_cast<std::size_t>(std::ptrdiff_t{one.parent} + 1);
      users_.push_back({.share = one.shares, .branch = branch, .place = branches_[branch].users.size()});
      branches_[branch].users.push_back(found->second);
    }
    user_of_[holder] = found->second;
    place_of_[holder] = users_[found->second].holders.size();
    users_[found->second].holders.push_back(holder);
  }
}

void ShareDraw::size_boxes() {
  for (auto& user : users_) user.tickets = TicketBox{user.holders.size()};
  for (auto& branch : branches_) {
    branch.user_tickets = TicketBox{branch.users.size()};
    branch.shares = TicketBox{branch.branches.size()};
  }
}

void ShareDraw::set(std::size_t holder, double tickets) {
  if (user_of_[holder] == kNobody) return others_.set(holder, tickets);
  auto& user = users_[user_of_[holder]];
  const bool held = user.holding > 0;
  if (tickets > 0.0 && user.tickets.tickets(place_of_[holder]) <= 0.0) ++user.holding;
  if (tickets <= 0.0 && user.tickets.tickets(place_of_[holder]) > 0.0) --user.holding;
  user.tickets.set(place_of_[holder], tickets);
  auto& branch = branches_[user.branch];
  const bool holds = user.holding > 0;
  branch.user_tickets.set(user.place, holds ? user.share * user.tickets.all() / static_cast<double>(user.holding) : 0.0);
  if (held == holds) return;
  branch.user_shares += holds ? user.share : -user.share;
  count(user.branch, holds ? Change::begins : Change::ends);
}

/// One more below a branch, or one less, holds tickets.
void ShareDraw::count(std::size_t at, Change change) {
  while (true) {
    auto& branch = branches_[at];
    const bool held = branch.holding > 0;
    if (change == Change::begins) ++branch.holding;
    else --branch.holding;
    const bool holds = branch.holding > 0;
    if (!holds) branch.user_shares = 0.0;  // without what rounding left
    if (at == 0 || held == holds) return;
    branches_[branch.above].shares.set(branch.place, holds ? branch.share : 0.0);
    at = branch.above;
  }
}

double ShareDraw::chance(std::size_t holder) const {
  const auto part_in = [](const TicketBox& box, std::size_t one) {
    const double all = box.all();
    return all > 0.0 ? box.tickets(one) / all : 0.0;
  };
  if (branches_.front().holding == 0) return part_in(others_, holder);
  if (user_of_[holder] == kNobody) return 0.0;
  const auto& user = users_[user_of_[holder]];
  if (user.holding == 0) return 0.0;
  const auto* branch = &branches_[user.branch];
  double chance = part_in(user.tickets, place_of_[holder]) * part_in(branch->user_tickets, user.place) * branch->user_shares /
                  (branch->user_shares + branch->shares.all());
  while (branch != &branches_.front()) {
    const auto& above = branches_[branch->above];
    chance *= branch->share / (above.user_shares + above.shares.all());
    branch = &above;
  }
  return chance;
}

std::optional<std::size_t> ShareDraw::draw(Draw& random) const {
  if (branches_.front().holding == 0) return others_.draw(random);
  for (std::size_t at = 0;;) {
    const auto& branch = branches_[at];
    const double shares = branch.shares.all();
    const bool among_branches = branch.user_shares <= 0.0 || (shares > 0.0 && fraction(random) * (shares + branch.user_shares) < shares);
    // Rounding may leave a little where nobody holds tickets any more.
    const auto below = among_branches ? branch.shares.draw(random) : std::nullopt;
    if (below) {
      at = branch.branches[*below];
      continue;
    }
    const auto user = branch.user_tickets.draw(random);
    if (!user) return std::nullopt;
    const auto& holding = users_[branch.users[*user]];
    return holding.holders[holding.tickets.draw(random).value()];
  }
}

}  // namespace gleaner::planner
