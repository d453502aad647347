#pragma once
#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/grid/campaign_priority.hpp"
#include "lib/grid/id.hpp"
#include "lib/grid/keep.hpp"
#include "lib/grid/time.hpp"

/// Facts about users, projects and limits: what administrators declare, and what was used.
namespace gleaner::grid {

/// Usage of one user in one project on one day.
struct UsageOfDay {
  std::string user;
  std::string project;
  int days_ago = 0;  ///< 0: today, UTC
  double resource_seconds = 0.0;
  std::vector<std::string> groups = {};  ///< the user's unix groups then, of those that have shares
};

struct UserPriority {
  std::string user;
  int priority = kNormalPriority;
};

/// A priority that administrators gave to a project, or to a unix group of users.
struct DeclaredPriority {
  std::string name;
  int priority = kNormalPriority;
};

/// A node of the tree of projects, unix groups and users.
struct Share {
  std::int64_t id = 0;
  std::string name;
  bool is_user = false;
  std::optional<std::int64_t> parent;  ///< its id; empty: it is a child of the root
  double shares = 0.0;                 ///< relative to its siblings
  bool is_group = false;               ///< its members are those of the unix group, and have equal shares in it
};

/// A user and the cluster that the user prefers (`gridctl affinity`).
struct Affinity {
  std::string user;
  ClusterId cluster{0};
  std::string cluster_name;
};

/// The quantity that a limit counts. Live jobs are those that wait or run: all of them may run at once.
enum class LimitKind { running_jobs, waiting_jobs, nodes, resources, resource_seconds, consumable };
[[nodiscard]] std::string_view name_of(LimitKind kind);
[[nodiscard]] std::optional<LimitKind> limit_kind(std::string_view name);
[[nodiscard]] std::span<const std::string_view> limit_kind_names();

/// Users, projects or campaigns have a limit of their own each.
enum class LimitEach { user, project, campaign };
inline constexpr std::array kLimitEach{LimitEach::user, LimitEach::project, LimitEach::campaign};
[[nodiscard]] std::string_view name_of(LimitEach each);
[[nodiscard]] std::optional<LimitEach> limit_each(std::string_view name);

/// A limit of `gridctl limit`, and its use. It applies to the jobs that match all members that are set; a limit without any is the grid's
/// cap.
struct Limit {
  std::int64_t id = 0;
  LimitKind kind = LimitKind::running_jobs;
  double most = 0.0;
  double used = 0.0;  ///< present use by the jobs that it applies to; of resource_seconds: within its window; of one for each: the most
  std::optional<std::string> user = {};
  std::optional<std::string> group = {};  ///< a unix group of users
  std::optional<std::string> project = {};
  std::optional<CampaignId> campaign = {};
  std::optional<ClusterId> cluster = {};
  std::string cluster_name = {};  ///< empty: all clusters
  int days = 1;                   ///< the window of resource_seconds
  std::string consumable = {};    ///< the one that is counted, of the kind `consumable`: it applies to the campaigns that need it
  /// It holds each user, project or campaign by itself, but for those that another limit of its kind and target names.
  std::optional<LimitEach> each = {};
  std::map<std::string, double> used_by = {};       ///< of one for each: by name (a campaign's id); who is missing uses nothing
  std::optional<std::chrono::seconds> silent = {};  ///< jobs of a cluster that has not answered for so long do not count
};

/// Resources that will be free when some of our running jobs end, by their forecast.
struct Ending {
  double after = 0.0;  ///< seconds from now
  double resources = 0.0;
  ClusterId cluster{0};
  double soon = 0.0;  ///< of them, those that may be free before a job that waits from now on has waited too long
};

/// Resources of a cluster that earlier plans hold back for a wide job of a campaign.
struct HeldForJob {
  CampaignId campaign{0};
  ClusterId cluster{0};
  Instant begins{};  ///< when it starts at the latest, by the forecasts of then
  bool operator==(const HeldForJob&) const = default;
};

/// Live jobs of a pair with an open kill request.
struct DyingJobs {
  CampaignId campaign{0};
  ClusterId cluster{0};
  int jobs = 0;
};

/// Tasks of a campaign that run on a cluster and may get a replica on another.
struct Replicable {
  CampaignId campaign{0};
  ClusterId cluster{0};
  std::int64_t tasks = 0;
  std::int64_t expired = 0;        ///< those that have run longer than `expected`
  std::optional<double> expected;  ///< seconds: the campaign's quantile; empty while too few jobs are done
};

/// Facts that only some policies use. A list that no policy in force uses may be empty.
struct PolicyFacts {
  std::vector<UsageOfDay> usage;
  std::vector<UserPriority> priorities;
  std::vector<DeclaredPriority> project_priorities;
  std::vector<DeclaredPriority> group_priorities;
  std::vector<Share> shares;  ///< parents before their children
  std::vector<Affinity> affinities;
  std::vector<Limit> limits;
  std::vector<Keep> keeps;                     ///< active or not
  std::vector<FirstCampaign> first_campaigns;  ///< of all users who ever had one, where a keep is for new users
  std::vector<Ending> endings;
  std::vector<HeldForJob> held;  ///< the oldest first, one a cluster at most
  std::vector<DyingJobs> dying;
  std::vector<CampaignId> profiled;  ///< an earlier campaign of the same user and command is known
  std::vector<Replicable> replicable;
};

}  // namespace gleaner::grid
