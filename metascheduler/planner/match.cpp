#include "metascheduler/planner/match.hpp"

#include "metascheduler/planner/room.hpp"

namespace gleaner::planner {
namespace {

Reason why_no_room(const Candidate& candidate, const Offer& at_first) {
  if (room_for(*candidate.pair, *candidate.cluster, at_first) > 0) return Reason::earlier_campaigns;
  return at_first.resources < 1.0 ? Reason::no_free_resources : Reason::not_enough_resources;
}

}  // namespace

Figures figures_of(const Candidate& candidate, const Ledger& ledger) {
  const auto& cluster = *candidate.cluster;
  Figures figures;
  figures.max_resources = cluster.max_resources;
  figures.free_resources = cluster.free_resources;
  figures.waiting_resources = cluster.waiting_resources;
  figures.unaccounted_resources = cluster.unaccounted_resources;
  figures.flood_resources = flood_resources(cluster);
  figures.offered_resources = candidate.offer.resources;
  figures.offered_free = candidate.offer.free;
  figures.taken_resources = ledger.taken(cluster.id);
  figures.job_resources = 1.0 / usable_ratio(*candidate.pair, cluster);
  figures.live_jobs = candidate.pair->live_jobs;
  figures.frozen_jobs = candidate.pair->frozen_jobs;
  figures.concluded_jobs = candidate.pair->concluded_jobs;
  figures.max_jobs = candidate.pair->max_jobs.value_or(0);
  figures.earlier = ledger.takers(cluster.id);
  return figures;
}

void match(const CampaignScheduler& scheduler, const Ledger& ledger, Contender& contender, std::vector<Decision>& decisions) {
  filter(Stage::match, contender, decisions, [&](Candidate& candidate) -> std::optional<Stop> {
    const auto id = candidate.cluster->id;
    candidate.offer = ledger.left(id);
    candidate.room = room_for(*candidate.pair, *candidate.cluster, candidate.offer);
    if (candidate.room > 0 || scheduler.room() == Room::not_needed) return std::nullopt;
    return Stop{why_no_room(candidate, ledger.at_first(id)), figures_of(candidate, ledger)};
  });
}

}  // namespace gleaner::planner
