#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/grid/id.hpp"
#include "lib/grid/time.hpp"
#include "lib/store/database.hpp"

/// Shares, usage, limits and couples: what the policies of the planner need, and what gridctl edits.
namespace gleaner::store {

struct UsageOfDay {
  std::string user;
  std::string project;
  int days_ago = 0;               ///< 0: today, UTC
  double resource_seconds = 0.0;
};

struct UserPriority {
  std::string user;
  int priority = 4;
};

struct Share {
  std::int64_t id = 0;
  std::string name;
  bool is_user = false;
  std::optional<std::int64_t> parent;  ///< nothing: below the root
  double shares = 0.0;
};

struct Couple {
  std::string user;
  grid::ClusterId cluster{0};
  std::string cluster_name;
};

struct LimitTarget {
  std::optional<std::string> user = {};
  std::optional<std::string> project = {};
  std::optional<grid::CampaignId> campaign = {};
  std::optional<grid::ClusterId> cluster = {};
};

struct StoredLimit {
  std::int64_t id = 0;
  std::string kind;               ///< running_jobs, waiting_jobs, resources, resource_seconds
  double most = 0.0;
  LimitTarget target;
  std::string cluster_name;
  int days = 1;                   ///< window of resource_seconds
  double used = 0.0;
};

/// Resources of our running jobs that come back after so many seconds.
struct PairEnding {
  grid::ClusterId cluster{0};
  double after = 0.0;
  double resources = 0.0;
};

struct DyingJobs {
  grid::CampaignId campaign{0};
  grid::ClusterId cluster{0};
  int jobs = 0;
};

struct PolicyFacts {
  std::vector<UsageOfDay> usage;
  std::vector<UserPriority> priorities;
  std::vector<Share> shares;       ///< parents before their children
  std::vector<Couple> couples;
  std::vector<StoredLimit> limits;
  std::vector<PairEnding> endings;
  std::vector<DyingJobs> dying;
  std::vector<grid::CampaignId> profiled;
};

/// What of the facts above the policies in force look at.
struct PolicyNeeds {
  bool limits = true, shares = true, priorities = true;  ///< false: there are none
  int usage_days = 0;  ///< of usage, today included, with the shares and the users' priorities; 0: none of these
  bool couples = false;
  bool endings = false;
  bool dying = false;
  bool profiled = false;
};
[[nodiscard]] PolicyFacts policy_facts(Transaction& transaction, const PolicyNeeds& needs, grid::Instant now);

[[nodiscard]] std::vector<Share> shares(Transaction& transaction);
[[nodiscard]] std::vector<StoredLimit> limits(Transaction& transaction, grid::Instant now);
[[nodiscard]] std::vector<Couple> couples(Transaction& transaction);
[[nodiscard]] std::vector<UsageOfDay> usage(Transaction& transaction, int days, grid::Instant now);
[[nodiscard]] std::vector<UserPriority> user_priorities(Transaction& transaction);

/// A limit of this kind on this target is replaced. @return its id
std::int64_t set_limit(Transaction& transaction, const std::string& kind, double most, const LimitTarget& target, int days);
bool remove_limit(Transaction& transaction, std::int64_t id);

[[nodiscard]] std::vector<std::int64_t> projects_named(Transaction& transaction, const std::string& name);
[[nodiscard]] std::optional<std::int64_t> share_of(Transaction& transaction, const std::string& kind, const std::string& name,
                                                   std::optional<std::int64_t> parent);
void set_share(Transaction& transaction, const std::string& kind, const std::string& name, std::optional<std::int64_t> parent, double shares);
bool remove_share(Transaction& transaction, std::int64_t id);

void couple(Transaction& transaction, const std::string& user, grid::ClusterId cluster);
bool uncouple(Transaction& transaction, const std::string& user, grid::ClusterId cluster);
void set_user_priority(Transaction& transaction, const std::string& user, int priority);

/// Kill requests for the youngest running jobs of a campaign on a cluster, and for all that wait there.
void preempt_jobs(Transaction& transaction, grid::CampaignId campaign, grid::ClusterId cluster, int jobs, grid::Instant now);

}  // namespace gleaner::store
