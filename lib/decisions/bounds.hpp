#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lib/grid/id.hpp"
#include "lib/grid/planning_facts.hpp"

/// The bounds of a launch, and the parts that several reasons have.
namespace gleaner::decisions {

/// Up to three campaigns: the first that took resources of a cluster.
struct Takers {
  std::array<std::int64_t, 3> ids = {};
  int count = 0;
};

/// The parts of a cluster's offer, in resources, before the plan assigns any.
struct OfferParts {
  int max_resources = 0;
  int free_resources = 0;    ///< those that stay free included
  int kept_resources = 0;    ///< that stay free for local jobs, as far as they are free
  int busy_resources = 0;    ///< of the free ones, those that load makes unavailable (the option `availability`)
  int asleep_resources = 0;  ///< of the free ones, those of nodes that are left asleep
  int asleep_nodes = 0;
  bool unnamed_nodes = false;          ///< they are too many to be named: OAR may wake them nevertheless
  double kept_for_others = 0.0;        ///< that are kept for other campaigns (`gridctl keep`), and not in use by them
  double flood_resources = 0.0;        ///< that may wait
  double waiting_resources = 0.0;      ///< that wait already
  double unaccounted_resources = 0.0;  ///< of launches that the cluster's status cannot show yet
  double unknown_resources = 0.0;      ///< of these, those of unknown launches
  int unknown_jobs = 0;                ///< of unknown launches, of all campaigns
  int unknown_launches = 0;
};

/// A keep of a cluster, which is active.
struct KeptFor {
  std::string name;
  int resources = 0;
  std::string whom;                    ///< in words
  std::optional<grid::Instant> until;  ///< empty: until somebody removes it
};

/// A campaign that holds some of a consumable.
struct Holder {
  grid::CampaignId campaign{0};
  double used = 0.0;
};

/// The jobs to which a limit of `gridctl limit` applies: those that match all members that are set; without any, all jobs of the grid.
struct LimitTarget {
  std::optional<std::string> consumable = {};
  std::optional<std::string> user = {};
  std::optional<std::string> group = {};
  std::optional<std::string> project = {};
  std::optional<grid::CampaignId> campaign = {};
  std::optional<grid::LimitEach> each = {};  ///< it is this one's part of a limit for each of them
  bool this_cluster = false;                 ///< only jobs on the cluster of the decision
};

/// A limit that binds, and its use.
struct LimitInForce {
  std::int64_t id = 0;
  grid::LimitKind kind = grid::LimitKind::running_jobs;
  LimitTarget target = {};
  double most = 0.0;
  double used = 0.0;
  std::optional<double> job_needs = {};  ///< of one job, in the unit of the limit; empty: one, or nothing is left of the limit
  bool fits_one_job = true;              ///< false: one job needs more than the limit, however many end
  int window_days = 1;                   ///< of resource_seconds
  std::vector<Holder> holders = {};      ///< of a consumable: other campaigns, those that hold most; not all
  double used_by_others = 0.0;           ///< of a consumable: by campaigns that are not among the holders, nor the decision's own
};

/// The file server of a cluster, in MB/s.
struct FileServerLoad {
  double bears = 0.0;                 ///< as an administrator declared
  std::string home;                   ///< of all clusters with this shared_home; empty: of this one alone
  double load = 0.0;                  ///< of the live jobs of all campaigns, by their profiles
  std::optional<double> of_job = {};  ///< of the campaign; empty: not measured yet
};

/// The bound that kept a launch from being bigger, with its figures.
namespace bound {
struct Offer {
  static constexpr std::string_view kName = "offer";
  double offered_resources = 0.0;  ///< the flood included
  OfferParts parts = {};
};
/// All tasks that wait.
struct Bag {
  static constexpr std::string_view kName = "bag";
};
/// All tasks that wait and fit.
struct Fitting {
  static constexpr std::string_view kName = "fitting";
};
struct MaxJobs {
  static constexpr std::string_view kName = "max_jobs";
  int max_jobs = 0;
};
/// A test campaign.
struct OnePerCluster {
  static constexpr std::string_view kName = "one_per_cluster";
};
struct Limit {
  static constexpr std::string_view kName = "limit";
  LimitInForce limit = {};
};
struct Stress {
  static constexpr std::string_view kName = "stress";
  int job_limit = 0;
  std::string signals;
};
struct FileServer {
  static constexpr std::string_view kName = "file_server";
  FileServerLoad server = {};
};
struct Probe {
  static constexpr std::string_view kName = "probe";
};
/// After a brake one job at a time is tried, until one succeeds.
struct Trial {
  static constexpr std::string_view kName = "trial";
  int failures = 0;   ///< in a row, before this job
  std::string brake;  ///< why the campaign was braked there; empty: the brake was lifted, or was set by hand since
};
struct Width {
  static constexpr std::string_view kName = "width";
};
struct Matching {
  static constexpr std::string_view kName = "matching";
  int matching_resources = 0;
  int max_resources = 0;
};
struct Turn {
  static constexpr std::string_view kName = "turn";
};
/// Jobs that start at once; others would find no task in the pools.
struct Pools {
  static constexpr std::string_view kName = "pools";
};
/// Tasks whose input files are there.
struct Inputs {
  static constexpr std::string_view kName = "inputs";
};
}  // namespace bound

using Bound =
    std::variant<bound::Offer, bound::Bag, bound::Fitting, bound::MaxJobs, bound::OnePerCluster, bound::Limit, bound::Stress,
                 bound::FileServer, bound::Probe, bound::Trial, bound::Width, bound::Matching, bound::Turn, bound::Pools, bound::Inputs>;

}  // namespace gleaner::decisions
