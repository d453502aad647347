#pragma once
#include <map>
#include <string>
#include <vector>

#include "metascheduler/planner/candidate.hpp"

namespace gleaner::planner {

/// The limits of `gridctl limit`, with what they count, this plan included.
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

  /// "limit 7 (user ada): at most 10 jobs at once, 10 now"; of a consumable also which other campaigns than the candidate's hold it, and
  /// what a job needs if it is more than one, or more than what is left of an unused one.
  [[nodiscard]] std::string text(std::size_t limit, const Candidate& candidate) const;
  /// When more jobs of the candidate start: `when jobs end, or with a larger limit …`.
  [[nodiscard]] std::string remedy(std::size_t limit, const Candidate& candidate) const;
  /// Whether a job of the candidate may start under the limit if nothing else counts against it.
  [[nodiscard]] bool fits_one_job(std::size_t limit, const Candidate& candidate) const;

 private:
  /// The holdings of the snapshot's campaigns, with those that this plan assigns.
  using Holders = std::map<grid::CampaignId, double>;
  struct Account {
    const grid::Limit* limit;
    double used;
    Holders holders;  ///< of a consumable
  };
  [[nodiscard]] static Holders holders_of(const grid::Limit& limit, const Snapshot& snapshot);
  /// ", 40 by campaign 12, 8 by campaign 15": the campaigns other than `own` that hold most.
  [[nodiscard]] static std::string text_of_holders(const Account& account, grid::CampaignId own);
  /// One job of the candidate, in the unit of the limit.
  [[nodiscard]] double need_of(std::size_t limit, const Candidate& candidate) const;
  double pool_;
  std::vector<Account> accounts_;
  std::map<grid::CampaignId, const CampaignView*> campaigns_;  ///< empty without limits
};

}  // namespace gleaner::planner
