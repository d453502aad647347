#pragma once
#include <optional>
#include <vector>

#include "metascheduler/planner/orders/ticket_box.hpp"
#include "metascheduler/planner/snapshot.hpp"

namespace gleaner::planner {

/// A draw of tickets that goes down the tree of shares. At each node, projects and groups of which somebody holds tickets are drawn by
/// their shares, beside all users of the node together, by the sum of theirs. Among these, a user is drawn by the share times the mean
/// tickets of the user's campaigns, and one of these by its tickets. A user without a share is drawn when nobody else holds tickets. Where
/// no project or group has shares, it is one draw among all. Cost of a draw: O(depth of the tree * log n).
class ShareDraw {
 public:
  /// @param nodes  the node of each holder's user; -1: the user is not in the tree
  ShareDraw(const std::vector<ShareNode>& tree, const std::vector<int>& nodes);

  void set(std::size_t holder, double tickets);
  /// Nothing if nobody holds a ticket.
  [[nodiscard]] std::optional<std::size_t> draw(Draw& random) const;
  /// That the next draw is the holder's. Cost: O(depth of the tree * log n).
  [[nodiscard]] double chance(std::size_t holder) const;

 private:
  /// The campaigns of one user.
  struct User {
    std::vector<std::size_t> holders = {};
    TicketBox tickets{0};
    std::size_t holding = 0;
    double share = 1.0;
    std::size_t branch = 0;
    std::size_t place = 0;  ///< among the users of the branch
  };
  /// A node with others below it; the first is the root.
  struct Branch {
    std::vector<std::size_t> users = {};
    TicketBox user_tickets{0};
    double user_shares = 0.0;  ///< of those who hold tickets
    std::vector<std::size_t> branches = {};
    TicketBox shares{0};      ///< of the branches of which somebody holds tickets
    std::size_t holding = 0;  ///< users and branches
    double share = 1.0;
    std::size_t above = 0;
    std::size_t place = 0;  ///< among the branches of the one above
  };
  enum class Change { none, begins, ends };

  void add_users(const std::vector<ShareNode>& tree, const std::vector<int>& nodes);
  void size_boxes();
  void count(std::size_t branch, Change change);

  std::vector<Branch> branches_;
  std::vector<User> users_;
  std::vector<std::size_t> user_of_;   ///< of each holder; kNobody: it has no share
  std::vector<std::size_t> place_of_;  ///< of each holder, among the user's
  TicketBox others_;                   ///< of those without a share, by holder
};

}  // namespace gleaner::planner
