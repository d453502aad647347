#pragma once
#include <optional>
#include <string>
#include <vector>

#include "metascheduler/planner/candidate.hpp"

namespace gleaner::planner {

/// The limits of `gridctl limit`, with what this plan adds to what they count.
class Limits {
 public:
  explicit Limits(const std::vector<grid::Limit>& limits);

  /// Those that may hold a campaign, on some cluster or on all.
  [[nodiscard]] std::vector<std::size_t> holding(const CampaignView& campaign) const;

  struct Allowance {
    int jobs = kNoLimit;          ///< live ones more
    int anywhere = kNoLimit;      ///< the same by the limits that hold all clusters together
    int waiting = kNoLimit;       ///< of them, in a queue
    std::size_t tightest = 0;         ///< the limit that decides `jobs`
    std::size_t tightest_anywhere = 0;
    std::size_t tightest_waiting = 0;
    bool count_resources = false;     ///< some of them do
  };
  /// What the limits leave a candidate. A job whose width is a guess may be more than what is left: it still is that job's, as it
  /// is measured then.
  [[nodiscard]] Allowance left(const Contender& contender, const Candidate& candidate) const;

  void take(const Contender& contender, const Candidate& candidate, int jobs, int waiting);

  /// "user ada: at most 10 running jobs, 10 now".
  [[nodiscard]] std::string text(std::size_t limit) const;

 private:
  struct Account {
    const grid::Limit* limit;
    double used;
  };
  std::vector<Account> accounts_;
};

}  // namespace gleaner::planner
