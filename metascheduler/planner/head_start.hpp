#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "metascheduler/planner/candidate.hpp"
#include "metascheduler/planner/config.hpp"
#include "metascheduler/planner/decision.hpp"

namespace gleaner::planner {

struct Served;

/// A campaign's tasks that count as its first ones: PlannerConfig::early_tasks, at most early_percent of all of them, and at least one.
[[nodiscard]] std::int64_t first_tasks(const CampaignView& campaign, const PlannerConfig& config);

/// Its tasks that are settled or have a job now, or were concluded before: a task that is run again has begun before.
/// @param concluded_jobs  of the campaign, on all clusters
[[nodiscard]] std::int64_t begun_tasks(const CampaignView& campaign, std::int64_t concluded_jobs);

/// The head starts of a plan: first tasks of campaigns that may go before others' later tasks. They are bounded by user, not by campaign:
/// a user's jobs for first tasks number at most early_tasks at any time, and hold at most early_grid_percent of the grid. So a user who
/// submits a thousand small campaigns has as much of a head start as one who submits a few. Within this bound a user's campaigns
/// come by priority, then by age. Test campaigns have none: they go first anyway.
/// Source: document 003, note 4.
class HeadStarts {
 public:
  HeadStarts(const Snapshot& snapshot, const PlannerConfig& config, const std::vector<Contender>& contenders);

  /// The part of its first tasks that may still begin by the head start, before the plan gave anything: in [0, 1].
  [[nodiscard]] double factor(std::size_t contender) const;
  /// Resources that the contender may still get by it, on candidates whose job takes no more; 0: none.
  [[nodiscard]] double resources(std::size_t contender) const;
  void served(std::size_t contender, const Served& served);
  /// The live jobs of a campaign that carry out its first tasks, whether tasks of it are left in the bag or not.
  [[nodiscard]] std::int64_t early_jobs(grid::CampaignId campaign) const;

  /// Those of the members that have a head start: first the users whose jobs for first tasks hold least, each with one campaign after the
  /// other. At most early_tasks campaigns of a user.
  [[nodiscard]] std::vector<std::size_t> in_order(const std::vector<std::size_t>& members) const;

  /// The figures behind it; empty for a campaign whose first tasks have all begun. They stay as they are while its user's bound is reached,
  /// so that a thousand campaigns in waiting do not cost a thousand rows in each cycle.
  [[nodiscard]] std::optional<decisions::HeadStart> figures(std::size_t contender) const;

 private:
  struct User {
    std::int64_t jobs = 0;        ///< live ones for first tasks
    double resources = 0.0;       ///< that they hold
    std::int64_t jobs_left = 0;   ///< that may be given to any of the user's campaigns
    double resources_left = 0.0;  ///< for them
  };
  struct Campaign {
    User* user = nullptr;
    std::int64_t first = 0;    ///< its first tasks
    std::int64_t begun = 0;    ///< of all its tasks
    std::int64_t before = 0;   ///< of its user's most jobs, those that live, or are granted to campaigns before it
    std::int64_t granted = 0;  ///< first tasks that may begin in this plan
    std::int64_t left = 0;     ///< of these, those that the plan has not given yet
    double narrowest = 1.0;    ///< resources of a job on the cluster where it takes least
  };

  const std::vector<Contender>& contenders_;
  std::int64_t most_jobs_;
  double most_resources_;
  std::map<std::string_view, User> users_;
  std::map<grid::CampaignId, std::int64_t> early_jobs_;
  std::vector<Campaign> campaigns_;  ///< of the contenders
};

}  // namespace gleaner::planner
