#include "metascheduler/decided.hpp"

#include "lib/text/digest.hpp"

namespace gleaner::metascheduler {

Decided::Decided(const planner::Plan& plan, const grid::PlanningFacts& facts) {
  // Another version may have other sentences, and a cluster may have got another name.
  text::Digest words;
  words.add(GLEANER_VERSION);
  for (const auto& cluster : facts.clusters) {
    names_.emplace(cluster.id, cluster.name);
    words.add(cluster.name);
  }
  const auto on = [&](grid::CampaignId campaign) -> OnCampaign& {
    return campaigns_.emplace(campaign, OnCampaign{.digest = words.value(), .decisions = {}, .standings = {}}).first->second;
  };
  // Digests are added up, because the order of decisions has no meaning.
  for (const auto& decision : plan.decisions) {
    auto& campaign = on(decision.campaign);
    campaign.digest += planner::digest_of(decision);
    campaign.decisions.push_back(&decision);
  }
  for (const auto& standing : plan.standings) {
    auto& campaign = on(standing.campaign);
    campaign.digest += text::Digest{}.add(standing.text).value();
    campaign.standings.push_back(&standing);
  }
}

std::vector<store::CampaignDigest> Decided::digests() const {
  std::vector<store::CampaignDigest> digests;
  digests.reserve(campaigns_.size());
  for (const auto& [campaign, decided] : campaigns_) digests.push_back({campaign, static_cast<std::int64_t>(decided.digest)});
  return digests;
}

std::vector<store::StoredDecision> Decided::explain(grid::CampaignId campaign) const {
  std::vector<store::StoredDecision> explained;
  const auto& decided = campaigns_.at(campaign);
  for (const auto* decision : decided.decisions) {
    explained.push_back({.campaign = campaign,
                         .cluster = decision->cluster,
                         .stage = std::string{planner::name_of(decision->stage)},
                         .reason = std::string{planner::name_of(decision->reason)},
                         .sentence = planner::explain(*decision, names_),
                         .jobs = decision->jobs});
  }
  for (const auto* standing : decided.standings) {
    explained.push_back({.campaign = campaign,
                         .cluster = {},
                         .stage = std::string{planner::name_of(planner::Stage::prioritize)},
                         .reason = "standing",
                         .sentence = "its place in the order: " + standing->text});
  }
  return explained;
}

}  // namespace gleaner::metascheduler
