#include "metascheduler/decided.hpp"

#include "lib/decisions/figures.hpp"
#include "lib/decisions/history.hpp"
#include "lib/text/digest.hpp"

namespace gleaner::metascheduler {

Decided::Decided(const planner::Plan& plan) {
  // Another version may have other figures.
  const auto version = text::Digest{}.add(GLEANER_VERSION).value();
  const auto on = [&](grid::CampaignId campaign) -> OnCampaign& {
    return campaigns_.emplace(campaign, OnCampaign{.digest = version, .decisions = {}, .standings = {}}).first->second;
  };
  // Digests are added up, because the order of decisions has no meaning.
  for (const auto& decision : plan.decisions) {
    auto& campaign = on(decision.campaign);
    campaign.digest += planner::digest_of(decision);
    campaign.decisions.push_back(&decision);
  }
  for (const auto& standing : plan.standings) {
    auto& campaign = on(standing.campaign);
    campaign.digest += planner::digest_of(standing.figures);
    campaign.standings.push_back(&standing);
  }
}

std::vector<store::CampaignDigest> Decided::digests() const {
  std::vector<store::CampaignDigest> digests;
  digests.reserve(campaigns_.size());
  for (const auto& [campaign, decided] : campaigns_) digests.push_back({campaign, static_cast<std::int64_t>(decided.digest)});
  return digests;
}

std::vector<store::StoredDecision> Decided::rows(grid::CampaignId campaign) const {
  std::vector<store::StoredDecision> rows;
  const auto& decided = campaigns_.at(campaign);
  for (const auto* decision : decided.decisions) {
    rows.push_back({.campaign = campaign,
                    .cluster = decision->cluster,
                    .stage = std::string{planner::name_of(decision->stage)},
                    .reason = std::string{planner::name_of(decision->reason)},
                    .subject = decisions::subject_of(decision->reason),
                    .figures = decisions::stored_figures(decision->reason),
                    .jobs = decision->jobs});
  }
  for (const auto* standing : decided.standings) {
    rows.push_back({.campaign = campaign,
                    .cluster = {},
                    .stage = std::string{planner::name_of(planner::Stage::prioritize)},
                    .reason = std::string{decisions::Standing::kName},
                    .subject = {},
                    .figures = decisions::figures_of(standing->figures)});
  }
  return rows;
}

}  // namespace gleaner::metascheduler
