#include "metascheduler/decided.hpp"

#include "lib/decisions/figures.hpp"
#include "lib/decisions/history.hpp"
#include "lib/text/digest.hpp"
#include "lib/text/json_writer.hpp"

namespace gleaner::metascheduler {
namespace {

/// By planner::class_rank.
constexpr std::array<std::string_view, 3> kClassTypes{"test", "default", "lowest_priority"};

std::string_view clusters_of(planner::AffinityClass affinity) {
  switch (affinity) {
    case planner::AffinityClass::any: return "all";
    case planner::AffinityClass::affinity: return "affinity";
    case planner::AffinityClass::others: return "others";
  }
  return "all";
}

void write_class(text::JsonWriter& json, const planner::RankedClass& ranked) {
  const auto [type, project, group, priority] = ranked.rank;
  const auto given = [](int one) { return one == 0 ? std::nullopt : std::optional{one}; };
  json.field("type", kClassTypes.at(static_cast<std::size_t>(type)));
  json.field("project_priority", given(project));
  json.field("group_priority", given(group));
  json.field("priority", given(priority));
  json.field("clusters", clusters_of(ranked.affinity));
}

}  // namespace

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

store::StoredOrder stored_order(const planner::Plan& plan, const planner::PlannerConfig& config) {
  store::StoredOrder order;
  order.campaign_order = config.campaign_order;
  std::int64_t number = 0;
  for (const auto& ranked : plan.ranking) {
    ++number;
    order.places += std::ssize(ranked.campaigns);
    for (const auto campaign : ranked.campaigns) {
      if (order.campaigns.size() == store::kMostPlaces) break;
      order.campaigns.push_back(campaign.value());
      order.class_numbers.push_back(number);
    }
  }
  text::JsonWriter json;
  json.array(plan.ranking, [&](const planner::RankedClass& ranked) { json.object([&] { write_class(json, ranked); }); });
  order.classes = json.text();
  return order;
}

}  // namespace gleaner::metascheduler
