#pragma once
#include <chrono>
#include <string>
#include <string_view>
#include <tuple>

namespace gleaner::grid {

/// The policies, by name (docs/policies.md), and their figures. To add one, add its member here, its line in kPlannerOptions, and its text
/// in packaging/gleaner.conf.
struct PlannerConfig {
  std::string campaign_order = "fifo";       ///< classes, then an order within them, such as "priority,fairshare"
  std::string placement = "power";           ///< which clusters a campaign gets first
  bool simultaneous = false;                 ///< several campaigns of one user take part at once
  std::string fairshare_usage = "absolute";  ///< how usage counts against a share: absolute or by_share
  std::string multifactor_weights = "age:1000,fairshare:1000,size:0,priority:1000,affinity:500";  ///< factors that are not named count 0
  bool head_start = false;                                            ///< first tasks go before others' later ones, in any order
  bool head_start_preempts = false;                                   ///< jobs of users who hold more than their part give way to them
  int early_tasks = 20;                                               ///< first tasks of a campaign, and a user's jobs for such tasks
  int early_percent = 10;                                             ///< most of a campaign's tasks that are first ones
  int early_grid_percent = 10;                                        ///< most of the grid that a user's jobs for first tasks hold
  std::chrono::milliseconds age_max = std::chrono::days{7};           ///< age from which a campaign's age counts in full
  int probe_jobs = 3;                                                 ///< jobs that go first to a cluster of which nothing is known
  std::chrono::milliseconds pool_duration = std::chrono::minutes{2};  ///< for which a job takes tasks, where a campaign groups them
  std::chrono::milliseconds wake_after = std::chrono::minutes{30};    ///< age from which a campaign without a job wakes nodes for little
  bool reservations = true;                                           ///< freed resources are held back for wide jobs
  /// Between the end of a job's walltime and an advance reservation of OAR: its SCHEDULER_JOB_SECURITY_TIME, and the job's way there
  std::chrono::milliseconds reservation_margin = std::chrono::seconds{70};
};

/// Whether the placement chooses among the nodes of a cluster, too.
[[nodiscard]] inline bool packs_nodes(const PlannerConfig& config) { return config.placement == "packed"; }

/// A key of the configuration for a member of PlannerConfig.
template <class Value>
struct PlannerOption {
  std::string_view key;
  Value PlannerConfig::*member;
  std::string_view type;      ///< as --help shows it
  std::string_view fallback;  ///< the default, as a user would write it
  std::string_view help;      ///< one line
  int least = 0;              ///< bounds of a whole number
  int most = 0;
};

inline constexpr std::tuple kPlannerOptions{
    PlannerOption{"campaign_order", &PlannerConfig::campaign_order, "NAME", "fifo", "which campaign goes first"},
    PlannerOption{"simultaneous", &PlannerConfig::simultaneous, "YES|NO", "no",
                  "several campaigns of one user share what the user gets, instead of one after the other"},
    PlannerOption{"placement", &PlannerConfig::placement, "NAME", "power", "which cluster a campaign gets first"},
    PlannerOption{"probe_jobs", &PlannerConfig::probe_jobs, "NUMBER", "3", "jobs that go first to a cluster of which nothing is known", 1,
                  100'000},
    PlannerOption{"pool_duration", &PlannerConfig::pool_duration, "DURATION", "120s",
                  "how long one job takes tasks, where a campaign groups short ones (temporal_grouping)"},
    PlannerOption{"reservations", &PlannerConfig::reservations, "YES|NO", "yes",
                  "what is freed is held back for a wide job that could not start"},
    PlannerOption{"reservation_margin", &PlannerConfig::reservation_margin, "DURATION", "70s",
                  "time before an advance reservation of OAR by which the walltime of a job on its resources has ended"},
    PlannerOption{"wake_after", &PlannerConfig::wake_after, "DURATION", "30m",
                  "age from which a campaign that has no job wakes a sleeping node, however little work there is"},
    PlannerOption{"head_start", &PlannerConfig::head_start, "YES|NO", "no",
                  "the first tasks of a campaign go before others' later ones, in any order"},
    PlannerOption{"head_start_preempts", &PlannerConfig::head_start_preempts, "YES|NO", "no",
                  "first tasks that find no resources get those of users who hold more than their part; needs head_start"},
    PlannerOption{"early_tasks", &PlannerConfig::early_tasks, "NUMBER", "20",
                  "first tasks of a campaign, and most jobs that a user has for such tasks at a time", 1, 100'000},
    PlannerOption{"early_percent", &PlannerConfig::early_percent, "NUMBER", "10", "most of a campaign's tasks that are first ones", 1, 100},
    PlannerOption{"early_grid_percent", &PlannerConfig::early_grid_percent, "NUMBER", "10",
                  "most of the grid's resources that a user's jobs for first tasks hold", 1, 100},
    PlannerOption{"multifactor_weights", &PlannerConfig::multifactor_weights, "WEIGHTS",
                  "age:1000,fairshare:1000,size:0,priority:1000,affinity:500", "what each factor counts in the order multifactor"},
    PlannerOption{"age_max", &PlannerConfig::age_max, "DURATION", "7d", "age at which a campaign's age counts in full"},
    PlannerOption{"fairshare_usage", &PlannerConfig::fairshare_usage, "RULE", "absolute",
                  "how usage counts against a share: absolute (P = S - U) or by_share (P = S - S U)"},
};

}  // namespace gleaner::grid
