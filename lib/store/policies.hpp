#pragma once
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/grid/id.hpp"
#include "lib/grid/policy_facts.hpp"
#include "lib/grid/time.hpp"
#include "lib/store/database.hpp"

/// Shares, usage, limits, keeps and affinities: the facts for the planner's policies, and the edits of gridctl.
namespace gleaner::store {

/// The facts that the policies in force need.
struct PolicyNeeds {
  bool limits = true, keeps = true, shares = true, priorities = true, held = true;  ///< false: the grid has none
  bool declared_priorities = true;  ///< of projects and groups, with the shares, which say who is in a project; false: the grid has none
  int usage_days = 0;               ///< days of usage, today included, with the shares and the users' priorities; 0: none of these
  bool affinities = false;
  bool endings = false;
  std::chrono::milliseconds soon{};  ///< of the endings: within which a job may wait in a queue
  bool dying = false;
  bool profiled = false;
};
[[nodiscard]] grid::PolicyFacts policy_facts(Transaction& transaction, const PolicyNeeds& needs, grid::Instant now);

[[nodiscard]] std::vector<grid::Share> shares(Transaction& transaction);
/// A user with campaigns in work in a project.
struct WorkingUser {
  std::string user;
  std::string project;
  std::vector<std::string> groups;  ///< unix groups that have shares
};
[[nodiscard]] std::vector<WorkingUser> working_users(Transaction& transaction);
[[nodiscard]] std::vector<grid::CampaignId> working_campaigns(Transaction& transaction, const std::string& user);
/// The resources of all clusters together, as each last answered. Usage counts against them.
[[nodiscard]] double resources_of_grid(Transaction& transaction);
[[nodiscard]] std::vector<grid::Limit> limits(Transaction& transaction, grid::Instant now);
/// The number of campaigns that each limit stopped somewhere, by the latest plan; by the limit's id.
/// @param reason  the word of that decision
/// @param user    only this user's campaigns; empty: anybody's
[[nodiscard]] std::map<std::int64_t, std::int64_t> stopped_by_limits(Transaction& transaction, std::string_view reason,
                                                                     const std::optional<std::string>& user);
[[nodiscard]] std::vector<grid::Affinity> affinities(Transaction& transaction);
[[nodiscard]] std::vector<grid::UsageOfDay> usage(Transaction& transaction, int days, grid::Instant now);
[[nodiscard]] std::vector<grid::UserPriority> user_priorities(Transaction& transaction);
/// Adds the priorities of projects and groups to the facts.
void read_declared_priorities(Transaction& transaction, grid::PolicyFacts& facts);

/// A consumable that a limit names.
struct DeclaredConsumable {
  std::string name;
  std::optional<double> most;  ///< the lowest limit that binds every campaign of a user; empty: there is none
  std::int64_t limit = 0;      ///< its id
};
/// By name. @param user  empty: of nobody in particular
[[nodiscard]] std::vector<DeclaredConsumable> consumables(Transaction& transaction, const std::optional<std::string>& user);
/// Replaces the limit of the same kind on the same target. @return its id
std::int64_t set_limit(Transaction& transaction, const grid::Limit& limit);
bool remove_limit(Transaction& transaction, std::int64_t id);

/// By their names.
[[nodiscard]] std::vector<grid::Keep> keeps(Transaction& transaction);
/// The same, each with its present use.
[[nodiscard]] std::vector<grid::Keep> used_keeps(Transaction& transaction, grid::Instant now);
/// When a keep begins or ends next, after now: the conductor plans then. Empty: none does.
[[nodiscard]] std::optional<grid::Instant> next_change_of_keeps(Transaction& transaction, grid::Instant now);
/// Replaces the keep of the same name.
void set_keep(Transaction& transaction, const grid::Keep& keep);
bool remove_keep(Transaction& transaction, const std::string& name);

/// The projects that a user is below in the tree of shares.
[[nodiscard]] std::vector<std::string> projects_of(Transaction& transaction, const std::string& user);
[[nodiscard]] std::vector<std::int64_t> projects_named(Transaction& transaction, const std::string& name);
[[nodiscard]] std::optional<std::int64_t> share_of(Transaction& transaction, const std::string& kind, const std::string& name,
                                                   std::optional<std::int64_t> parent);
void set_share(Transaction& transaction, const std::string& kind, const std::string& name, std::optional<std::int64_t> parent,
               double shares);
bool remove_share(Transaction& transaction, std::int64_t id);

void set_affinity(Transaction& transaction, const std::string& user, grid::ClusterId cluster);
bool remove_affinity(Transaction& transaction, const std::string& user, grid::ClusterId cluster);
void set_user_priority(Transaction& transaction, const std::string& user, int priority);
void set_project_priority(Transaction& transaction, const std::string& project, int priority);
void set_group_priority(Transaction& transaction, const std::string& group, int priority);

/// Requests kills of the youngest running jobs of a campaign on a cluster, and of all that wait there.
void preempt_jobs(Transaction& transaction, grid::CampaignId campaign, grid::ClusterId cluster, int jobs, grid::Instant now);

/// Writes the reservations that last, in place of those of the plan before.
void hold_resources(Transaction& transaction, std::span<const grid::HeldForJob> held, grid::Instant now);

}  // namespace gleaner::store
