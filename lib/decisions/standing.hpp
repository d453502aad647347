#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lib/grid/campaign_priority.hpp"

/// The place of a campaign in the order.
namespace gleaner::decisions {

/// The figures by which an order places a campaign, before the plan assigns anything.
namespace place {
/// A project or group on the way from the root of the tree of shares to a user.
struct FairBranch {
  std::string name;
  double priority = 0.0;
  double share = 0.0;  ///< of the grid
  double usage = 0.0;
};
struct FairShare {
  static constexpr std::string_view kName = "fairshare";
  std::string user;
  double priority = 0.0;  ///< share - usage, or by the rule `by_share` share - usage x share
  double share = 0.0;
  double usage = 0.0;
  bool by_share = false;
  std::vector<FairBranch> branches = {};  ///< those that are compared first; empty: users alone have shares
};
/// A node on the way from the root of the tree of shares to a user.
struct TreeNode {
  std::string name;
  double shares = 0.0;
  double usage = 0.0;
};
struct FairTree {
  static constexpr std::string_view kName = "fairtree";
  std::string user;
  std::int64_t rank = 0;  ///< of its user, 1 the first
  std::int64_t users = 0;
  std::vector<TreeNode> path;  ///< empty: the user has no shares, and comes last
};
struct Factor {
  double value = 0.0;
  double weight = 0.0;
};
struct Multifactor {
  static constexpr std::string_view kName = "multifactor";
  double priority = 0.0;  ///< the sum of the weighted factors
  Factor age = {}, fairshare = {}, size = {}, campaign_priority = {}, affinity = {}, project = {}, early = {};
  Factor project_priority = {}, group_priority = {};
};
/// A node on the way of a draw down the tree of shares.
struct DrawnNode {
  std::string name;
  double shares = 0.0;
  double of_shares = 0.0;  ///< of it and its siblings that take part
};
struct Tickets {
  static constexpr std::string_view kName = "tickets";
  double tickets = 0.0;
  std::int64_t rankings = 0;  ///< of all campaigns that take part
  double ranking = 0.0;       ///< the sum of the parts that follow
  double user_priority = 0.0, campaign_priority = 0.0, wall_clock = 0.0, cpu_time = 0.0, resources = 0.0, creation = 0.0, power = 0.0;
  double project_priority = 0.0, group_priority = 0.0;  ///< 0: no project, or group, that takes part has one
  std::vector<DrawnNode> path = {};                     ///< empty: the draw is among all
  bool comes_last = false;                              ///< its user has no shares, and others have
};
}  // namespace place

using Place = std::variant<place::FairShare, place::FairTree, place::Multifactor, place::Tickets>;

/// A campaign priority, and the configuration's keys that decide its effect (grid::OrderOfCampaigns).
struct PriorityEffect {
  int campaign_priority = grid::kNormalPriority;
  std::string campaign_order;
  std::string multifactor_weights;
  bool simultaneous = false;
};

/// A priority that administrators gave to a campaign's project, or to a group of its user, and the configuration's keys that decide its
/// effect.
struct GivenPriority {
  std::string holder;  ///< project or group
  std::string name;
  int priority = grid::kNormalPriority;
  std::string campaign_order;
  std::string multifactor_weights;
};

/// The head start of a campaign (planner/head_start.hpp), before the plan assigns anything.
struct HeadStart {
  std::int64_t begun_tasks = 0;
  std::int64_t first_tasks = 0;
  std::int64_t granted_tasks = 0;  ///< first tasks that may go before others' later ones in this plan
  std::int64_t user_jobs = 0;      ///< jobs for first tasks of its user that live, or may begin for the user's campaigns before it
  std::int64_t most_jobs = 0;      ///< the bound of them
  double user_resources = 0.0;     ///< that the live ones hold; 0 if nothing is granted
  double most_resources = 0.0;     ///< the bound of them
};

/// A cluster whose nodes may not hold as many tasks of the campaign as they have cores for them, by what these took so far. It comes after
/// others. All memory is in MB.
struct ScarceMemory {
  std::string cluster;
  std::int64_t taken_mb = 0;  ///< by the greatest task
  std::int64_t share_mb = 0;  ///< of a node, with the cores of a job
  std::int64_t node_mb = 0;   ///< of the node that has most
};

/// The place of a campaign in the order, with the figures behind it; also notes that its priority has no effect, and that memory may be
/// scarce on some of its clusters. It is stored as a
/// decision on the whole campaign, beside those on its clusters.
struct Standing {
  static constexpr std::string_view kName = "standing";
  std::optional<Place> place = {};      ///< empty: the order has no figures
  std::optional<Place> elsewhere = {};  ///< where its user has no affinity, if the first place is where there is one
  std::optional<PriorityEffect> priority = {};
  std::optional<HeadStart> head_start = {};  ///< empty: its first tasks have begun, or no order reads them
  std::vector<GivenPriority> given_priorities = {};
  std::vector<ScarceMemory> scarce_memory = {};  ///< three at most
};

}  // namespace gleaner::decisions
