#include "metascheduler/plan_of.hpp"

#include <algorithm>
#include <new>
#include <set>
#include <span>

#include "metascheduler/snapshot_of.hpp"

namespace gleaner::metascheduler {
namespace {

using Campaigns = std::set<grid::CampaignId>;

/// The same facts without the other campaigns.
grid::PlanningFacts only(const Campaigns& campaigns, const grid::PlanningFacts& facts) {
  auto some = facts;
  const auto is_other = [&](grid::CampaignId id) { return !campaigns.contains(id); };
  std::erase_if(some.campaigns, [&](const auto& campaign) { return is_other(campaign.id); });
  std::erase_if(some.pairs, [&](const auto& pair) { return is_other(pair.campaign); });
  std::erase_if(some.policies.held, [&](const auto& held) { return is_other(held.campaign); });
  std::erase_if(some.policies.dying, [&](const auto& dying) { return is_other(dying.campaign); });
  std::erase_if(some.policies.profiled, is_other);
  std::erase_if(some.policies.replicable, [&](const auto& tasks) { return is_other(tasks.campaign); });
  return some;
}

/// Finds the campaigns that can be planned together.
class Sieve {
 public:
  Sieve(const grid::PlanningFacts& facts, const process::Config& config, grid::Instant now) : facts_{facts}, config_{config}, now_{now} {}

  /// Throws what planning throws.
  [[nodiscard]] planner::Plan plan(const grid::PlanningFacts& facts) const {
    return planner::plan(snapshot_of(facts, config_, now_), config_);
  }

  [[nodiscard]] bool holds(const Campaigns& campaigns) {
    try {
      static_cast<void>(plan(only(campaigns, facts_)));
      return true;
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& error) {
      why_ = error.what();
      return false;
    }
  }

  void sift(std::span<const grid::CampaignId> some) {
    auto together = kept_;
    together.insert(some.begin(), some.end());
    if (holds(together)) {
      kept_ = std::move(together);
    } else if (some.size() == 1) {
      aside_.push_back({.campaign = some.front(), .why = why_});
    } else {
      sift(some.first(some.size() / 2));
      sift(some.subspan(some.size() / 2));
    }
  }

  [[nodiscard]] const Campaigns& kept() const { return kept_; }
  [[nodiscard]] const std::vector<SetAside>& aside() const { return aside_; }

 private:
  const grid::PlanningFacts& facts_;
  const process::Config& config_;
  grid::Instant now_;
  Campaigns kept_;
  std::vector<SetAside> aside_;
  std::string why_;  ///< what failed last
};

}  // namespace

Planned plan_of(const grid::PlanningFacts& facts, const process::Config& config, grid::Instant now) {
  Sieve sieve{facts, config, now};
  std::vector<SetAside> unreadable;
  for (const auto& [id, why, brake] : facts.unreadable) unreadable.push_back({id, why, brake ? brake->until : std::nullopt});
  try {
    return {sieve.plan(facts), std::move(unreadable)};
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception&) {
    std::vector<grid::CampaignId> all;
    for (const auto& campaign : facts.campaigns) all.push_back(campaign.id);
    if (all.empty() || !sieve.holds({})) throw;
    sieve.sift(all);
  }
  Planned planned{sieve.plan(only(sieve.kept(), facts)), std::move(unreadable)};
  planned.aside.insert(planned.aside.end(), sieve.aside().begin(), sieve.aside().end());
  return planned;
}

void take_out(planner::Plan& plan, const SetAside& campaign) {
  const auto is_its = [&](const auto& one) { return one.campaign == campaign.campaign; };
  std::erase_if(plan.launches, is_its);
  std::erase_if(plan.preemptions, is_its);
  std::erase_if(plan.replicas, is_its);
  std::erase_if(plan.inputs, is_its);
  std::erase_if(plan.reservations, is_its);
  std::erase_if(plan.standings, is_its);
  for (auto& ranked : plan.ranking) std::erase(ranked.campaigns, campaign.campaign);
  std::erase_if(plan.ranking, [](const planner::RankedClass& ranked) { return ranked.campaigns.empty(); });
  std::erase_if(plan.decisions, is_its);
  plan.decisions.push_back({.campaign = campaign.campaign, .reason = planner::reason::CampaignBraked{{campaign.why, campaign.until}}});
}

}  // namespace gleaner::metascheduler
