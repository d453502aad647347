#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "metascheduler/planner/candidate.hpp"

namespace gleaner::planner {

/// The limits of `gridctl limit`, with what they count, this plan included. One for each user, project or campaign is an account for each
/// of them that has a campaign in the snapshot, but for those that another limit of its kind and target names.
class Limits {
 public:
  /// @param pool  seconds for which a job takes tasks, where a campaign groups them
  Limits(const Snapshot& snapshot, double pool);

  /// Indices of the limits that may bind a campaign, on some cluster or on all.
  [[nodiscard]] std::vector<std::size_t> holding(const CampaignView& campaign) const;

  struct Allowance {
    int jobs = kNoLimit;       ///< more than those that live
    int anywhere = kNoLimit;   ///< the same, by limits on all clusters together
    int waiting = kNoLimit;    ///< jobs more in a queue
    std::size_t tightest = 0;  ///< the limit that set `jobs`
    std::size_t tightest_anywhere = 0;
    std::size_t tightest_waiting = 0;
    bool count_resources = false;  ///< one of the limits does
  };
  /// The allowance that the limits leave to a candidate. One job whose width is a guess is allowed even if it may exceed what is left,
  /// because it is measured then.
  [[nodiscard]] Allowance left(const Contender& contender, const Candidate& candidate) const;

  void take(const Contender& contender, const Candidate& candidate, int jobs, int waiting);

  /// The figures of a limit that binds a candidate.
  [[nodiscard]] decisions::LimitInForce in_force(std::size_t limit, const Candidate& candidate) const;
  /// Whether a job of the candidate may start under the limit if nothing else counts against it.
  [[nodiscard]] bool fits_one_job(std::size_t limit, const Candidate& candidate) const;

 private:
  /// The holdings of the snapshot's campaigns, with those that this plan assigns.
  using Holders = std::map<grid::CampaignId, double>;
  struct Account {
    grid::Limit limit;  ///< one for each: with the name of the one that it holds
    double used;
    Holders holders;  ///< of a consumable
  };
  void open(const grid::Limit& limit, const Snapshot& snapshot);
  void open_for_each(const grid::Limit& limit, const Snapshot& snapshot);
  [[nodiscard]] static Holders holders_of(const grid::Limit& limit, const Snapshot& snapshot);
  /// Adds the campaigns other than `own` that hold most of a consumable.
  static void add_holders(const Account& account, grid::CampaignId own, decisions::LimitInForce& found);
  /// One job of the candidate, in the unit of the limit.
  [[nodiscard]] double need_of(std::size_t limit, const Candidate& candidate) const;
  double pool_;
  std::vector<Account> accounts_;
  std::vector<std::size_t> of_all_;                                                      ///< the accounts that are not one of each
  std::map<std::pair<grid::LimitEach, std::string>, std::vector<std::size_t>> of_each_;  ///< the others, by whom they hold
  std::map<grid::CampaignId, const CampaignView*> campaigns_;                            ///< empty without limits
};

}  // namespace gleaner::planner
