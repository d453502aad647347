#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/administration/refusal.hpp"
#include "lib/grid/share_tree.hpp"
#include "lib/grid/time.hpp"
#include "lib/process/config.hpp"
#include "lib/store/database.hpp"
#include "lib/store/policies.hpp"

/// The shares of the grid and what administrators declare, as gridctl and gridapi show and change them.
namespace gleaner::administration {

/// A node of the tree of shares, with its use. Users without shares in the tree are not in it.
struct ShareInUse {
  grid::ShareNode node;
  std::optional<std::int64_t> id{};  ///< empty: a member of a unix group, whom nobody declared
  std::string path{};                ///< `/physics/ada`
  double of_level = 0.0;             ///< its shares among its siblings, in [0, 1]
  double part = 0.0;                 ///< of the whole grid, in [0, 1]: what it should have
  double used_part = 0.0;            ///< of all usage of the grid: what it had
  double priority = 0.0;             ///< by the order fairshare: the highest goes first among siblings
};

struct SharesInUse {
  std::vector<ShareInUse> nodes;  ///< each before what is below it
  double usage = 0.0;             ///< of everybody, in the tree or not, decayed, in days of the whole grid
  double outside = 0.0;           ///< of it, by those who are not in the tree
  double resources = 0.0;         ///< of the whole grid
};

/// The tree by which the next plan compares users: the same facts, and the same figures. Cost: O(usage in the window + campaigns in work).
[[nodiscard]] SharesInUse shares_in_use(store::Transaction& transaction, const process::Config& config, grid::Instant now);

/// The names of a node's kind: `user`, `group` or `project`.
[[nodiscard]] std::string_view kind_of(const grid::ShareNode& node);

/// For each node, whether it is this user's own, or above one that is.
[[nodiscard]] std::vector<bool> nodes_of_user(const SharesInUse& shares, std::string_view user);

/// A node of the tree, as somebody wrote it.
struct WrittenShare {
  std::string kind;  ///< project, group or user
  std::string name;
  std::optional<std::string> project{};  ///< its parent: `physics`, or `science/physics` if a name occurs several times; empty: the root
};
/// @param shares  a number, 0 or more
[[nodiscard]] Declared<double> set_share(store::Transaction& transaction, const WrittenShare& written, const std::string& shares);
/// Removes it with all below it.
[[nodiscard]] Declared<void> remove_share(store::Transaction& transaction, const WrittenShare& written);

}  // namespace gleaner::administration
