#pragma once
#include <string>

#include <tl/expected.hpp>

namespace gleaner::planner {

/// How much each factor of the order `multifactor` counts.
struct FactorWeights {
  double age = 1000.0;
  double fairshare = 1000.0;
  double size = 0.0;
  double priority = 1000.0;
  double affinity = 500.0;
};

/// How usage counts against a share (spec/001, "fair-share").
enum class UsageRule {
  absolute,  ///< P = S - U: the worked example
  by_share   ///< P = S - S U: the formula
};

/// The policies, by name (docs/policies.md), and their figures.
struct PlannerConfig {
  std::string order = "fifo";       ///< who goes first: classes, then an order within them: "priority,fairshare"
  std::string placement = "power";  ///< which clusters a campaign gets first
  bool simultaneous = false;        ///< several campaigns of one user take part at once
  UsageRule usage_rule = UsageRule::absolute;
  FactorWeights weights = {};
  double age_max = 7.0 * 86400;     ///< seconds after which a campaign's age counts in full
  int probe_jobs = 3;               ///< jobs that go first to a cluster of which nothing is known
  bool reservations = true;         ///< freed resources are held back for wide jobs
};

/// Refuses an unknown policy, with the closest known name.
[[nodiscard]] tl::expected<void, std::string> check(const PlannerConfig& config);

/// What the policies of a configuration read from a snapshot, besides clusters, campaigns, pairs and limits.
struct Needs {
  bool shares = false;   ///< users, with their priorities and usage, and the tree of shares
  bool couples = false;  ///< PairView::affine
};
/// Throws std::invalid_argument when the configuration does not pass check().
[[nodiscard]] Needs needs_of(const PlannerConfig& config);

}  // namespace gleaner::planner
