#include <algorithm>

#include "lib/grid/dust.hpp"
#include "metascheduler/planner/preemption.hpp"
#include "metascheduler/planner/room.hpp"
#include "metascheduler/planner/stages.hpp"

namespace gleaner::planner {
namespace {

using grid::kDust;

/// The offer, were so many resources not withheld. The resources that our jobs will take of it are left out: the reason does not change
/// with each job.
Offer with_withheld(int resources, const Offer& offer) {
  const double free = offer.free + resources;
  return {.resources = free, .free = free};
}

reason::KeptForOthers kept_by(const std::vector<const KeepView*>& keeps, const Candidate& candidate) {
  reason::KeptForOthers why{.job_resources = job_resources(*candidate.pair, *candidate.cluster), .keeps = {}, .parts = parts_of(candidate)};
  for (const auto* keep : keeps)
    why.keeps.push_back({.name = keep->name, .resources = keep->resources, .whom = keep->whom, .until = keep->until});
  return why;
}

/// Whether one job needs more than what is kept for others leaves, however many jobs end, those that use it included.
std::optional<Reason> keeps_leave_too_few(const Candidate& candidate, const Ledger& ledger) {
  const auto keeps = ledger.kept_for_others(candidate.cluster_index, *candidate.pair);
  if (keeps.empty()) return std::nullopt;
  const auto& cluster = *candidate.cluster;
  double most = cluster.max_resources - cluster.kept_resources();
  if (!candidate.pair->best_effort) most += cluster.reserved_resources;
  for (const auto* keep : keeps) most -= keep->resources;
  if (least_of_job(*candidate.pair, cluster) <= most + kDust) return std::nullopt;
  auto why = kept_by(keeps, candidate);
  why.leaves_too_few = true;
  return why;
}

/// Whether there would be room on what is kept for others.
std::optional<Reason> kept_for_others(const Candidate& candidate, const Ledger& ledger, const Offer& at_first) {
  const auto keeps = ledger.barring(candidate.cluster_index, *candidate.pair);
  if (keeps.empty()) return std::nullopt;
  const double free = ledger.at_first(candidate.cluster_index).free;
  if (free <= at_first.free || room_for(candidate, {.resources = free, .free = free}) == 0) return std::nullopt;
  return kept_by(keeps, candidate);
}

/// Whether there would be room on what advance reservations of OAR hold back.
std::optional<Reason> reserved_in_oar(const Candidate& candidate, const Ledger& ledger) {
  const auto& pair = *candidate.pair;
  const auto* booking = booking_of(pair, *candidate.cluster);
  if (booking == nullptr || room_for(candidate, ledger.unbooked_at_first(candidate.cluster_index, pair)) == 0) return std::nullopt;
  return reason::ReservedInOar{.job_resources = job_resources(pair, *candidate.cluster),
                               .reserved_resources = booking->resources,
                               .needed_before = pair.before_reservation,
                               .from = booking->from,
                               .until = booking->until,
                               .parts = parts_of(candidate)};
}

/// Whether there would be room on the nodes that are left asleep.
std::optional<Reason> left_asleep(const Candidate& candidate, const Draft& draft, const Offer& at_first) {
  const auto& pair = *candidate.pair;
  const auto& cluster = *candidate.cluster;
  if (cluster.asleep_resources == 0 || !pair.best_effort || room_for(candidate, with_withheld(cluster.asleep_resources, at_first)) == 0)
    return std::nullopt;
  const auto& campaign = *draft.campaigns.at(pair.campaign);
  return reason::NodesAsleep{.job_resources = job_resources(pair, cluster),
                             .wake_minutes = cluster.wake_minutes,
                             .at = std::chrono::floor<grid::Seconds>(campaign.submitted + draft.config.wake_after),
                             .parts = parts_of(candidate)};
}

Reason why_no_room(const Candidate& candidate, const Draft& draft) {
  const auto& ledger = draft.ledger;
  const auto& cluster = *candidate.cluster;
  const auto index = candidate.cluster_index;
  if (auto kept = keeps_leave_too_few(candidate, ledger)) return std::move(*kept);
  const auto& held = ledger.reservation(index);
  if (held && held->campaign != candidate.pair->campaign && room_for(candidate, ledger.unheld(index, *candidate.pair)) > 0)
    return reason::HeldForReservation{.free_resources = cluster.free_resources,
                                      .max_resources = cluster.max_resources,
                                      .holder = held->campaign,
                                      .held_resources = held->resources};
  const auto at_first = ledger.at_first(index, *candidate.pair);
  if (room_for(candidate, at_first) > 0) return earlier_campaigns(candidate, ledger);
  if (auto reserved = reserved_in_oar(candidate, ledger)) return std::move(*reserved);
  if (auto kept = kept_for_others(candidate, ledger, at_first)) return std::move(*kept);
  if (auto asleep = left_asleep(candidate, draft, at_first)) return std::move(*asleep);
  const double one_job = job_resources(*candidate.pair, cluster);
  const auto is_kept_by = [&](int resources) { return resources > 0 && room_for(candidate, with_withheld(resources, at_first)) > 0; };
  const int without_load = std::max(0, cluster.free_resources + cluster.withheld_resources - cluster.kept_resources());
  if (is_kept_by(without_load - cluster.free_resources)) return reason::BusyWithoutJob{one_job, parts_of(candidate)};
  if (is_kept_by(cluster.withheld_resources)) return reason::KeptForLocal{one_job, parts_of(candidate)};
  if (const auto& all = ledger.at_first(index);
      candidate.pair->nodes_per_job && at_first.free + kDust < all.free && room_for(candidate, all) > 0)
    return reason::NoNodeFree{.job_resources = one_job, .nodes = *candidate.pair->nodes_per_job, .parts = parts_of(candidate)};
  if (at_first.resources < 1.0) return reason::NoFreeResources{one_job, parts_of(candidate)};
  return reason::NotEnoughResources{.job_resources = one_job, .offered_resources = candidate.offer.resources, .parts = parts_of(candidate)};
}

grid::Instant at(grid::Instant now, double after) {
  return now + std::chrono::duration_cast<grid::Instant::duration>(std::chrono::duration<double>{after});
}

/// Whether a candidate lacks only resources, for another job if it was given some. One that a limit on waiting jobs stops lacks free ones.
bool lacks_room(const Candidate& candidate, const Draft& draft) {
  if (candidate.decision < 0) return false;  // it is served in another class
  if (candidate.jobs > 0) return room_for(candidate, draft.ledger.left(candidate.cluster_index, *candidate.pair)) <= 0;
  const auto& why = draft.plan.decisions[static_cast<std::size_t>(candidate.decision)].reason;
  if (keeps_too_much(why)) return false;
  return is_one_of<reason::NoFreeResources, reason::KeptForLocal, reason::KeptForOthers, reason::NodesAsleep, reason::BusyWithoutJob,
                   reason::NotEnoughResources, reason::NoNodeFree, reason::EarlierCampaigns, reason::HeldForReservation,
                   reason::LimitReached>(why);
}

bool may_have_a_task(const Contender& contender, const Candidate& candidate) {
  return contender.tasks_for_anyone > 0 || contender.bound_tasks(candidate) > 0;
}

/// Resources of one more job; nothing if it is not wide, or if it needs no reservation because jobs of the pair wait in the cluster's own
/// queue, which keeps their place.
std::optional<double> wide_job(const Candidate& candidate) {
  const auto& pair = *candidate.pair;
  const double resources = 1.0 / candidate.ratio;
  if (resources < 1.5 || candidate.allowed.jobs <= 0 || pair.waiting_jobs > 0 || pair.frozen_jobs > 0) return std::nullopt;
  return resources;
}

/// Notes the jobs of a campaign that has more tasks. On clusters of another class, it may go after others. Where it may have no further job
/// beside its own, narrow jobs of others would keep what a wide one waits for.
void note_jobs_of_turns(const Contender& contender, Draft& draft) {
  if (contender.tasks() <= 0) return;
  for (const auto& candidate : contender.candidates) {
    const bool was_served = candidate.decision >= 0;
    if (!was_served || live_jobs(candidate) == 0 || !may_have_a_task(contender, candidate)) continue;
    const double all = candidate.cluster->max_resources;
    const bool one_at_a_time = 2 * candidate.width.resources > all;
    if (!one_at_a_time && candidate.allowed.jobs <= 0) continue;
    auto& room = draft.room_at_an_end[candidate.cluster_index];
    room = std::max(room, one_at_a_time ? all : candidate.width.resources);
  }
}

/// Whether the job would go after jobs of another campaign that has more, and finds room where one of them ends: they are as wide, or no
/// two of them run at a time. If its reservation lasted, the campaigns would take turns, whatever the order says. A job of a small part of
/// the cluster may overtake them: its campaign has no other one there.
bool comes_after_as_wide(const Candidate& candidate, const Draft& draft) {
  constexpr double kSmallPart = 0.1;
  const double width = candidate.width.resources;
  return width > kSmallPart * candidate.cluster->max_resources && width <= draft.room_at_an_end[candidate.cluster_index];
}

void note_last_tasks(const Contender& contender, Draft& draft) {
  for (const auto& candidate : contender.candidates) {
    const double wanted = static_cast<double>(contender.tasks() + candidate.jobs) * job_resources(*candidate.pair, *candidate.cluster);
    const bool may_wait = candidate.jobs > 0 || lacks_room(candidate, draft);
    if (may_wait && wanted <= candidate.cluster->max_resources) draft.last_tasks.push_back({contender.campaign, candidate.cluster_index});
  }
}

bool was_submitted_before(const CampaignView& one, const CampaignView& other) {
  return std::pair{one.submitted, one.id} < std::pair{other.submitted, other.id};
}

/// Whether the last tasks of a campaign that was submitted before lack room on the cluster: it went before in this plan, or they wait in
/// the cluster's queue, from where they may be taken back. A reservation that lasted would overtake them. They are few, and no campaign
/// comes to those that were submitted before.
bool comes_after_last_tasks(const Contender& contender, const Candidate& candidate, const Draft& draft) {
  const auto& own = *contender.campaign;
  const auto& cluster = *candidate.cluster;
  const bool behind = std::ranges::any_of(draft.last_tasks, [&](const LastTasks& one) {
    return one.cluster_index == candidate.cluster_index && was_submitted_before(*one.campaign, own);
  });
  return behind || std::ranges::any_of(draft.snapshot.pairs, [&](const PairView& pair) {
           if (pair.cluster != cluster.id || pair.waiting_jobs == 0) return false;
           const auto& campaign = *draft.campaigns.at(pair.campaign);
           return was_submitted_before(campaign, own) &&
                  static_cast<double>(campaign.waiting_tasks + pair.waiting_jobs) * job_resources(pair, cluster) <= cluster.max_resources;
         });
}

/// Whether the reservation of a candidate, if it is given one, is that of the next plan too: a campaign that has jobs there goes on by its
/// turns.
bool would_last(const Contender& contender, const Candidate& candidate, const Draft& draft) {
  return candidate.pair->live_jobs == 0 && candidate.jobs == 0 && !comes_after_as_wide(candidate, draft) &&
         !comes_after_last_tasks(contender, candidate, draft);
}

auto reservation_on(const Candidate& candidate, Draft& draft) {
  return std::ranges::find(draft.plan.reservations, candidate.cluster->id, &HeldBack::cluster);
}

/// Whether a job may have the reservation of the cluster: there is none, or it is one for this plan alone, and narrower. A bag whose jobs
/// follow each other would take one in each plan, and a wide job behind it would starve.
bool may_reserve(const Contender& contender, const Candidate& candidate, double resources, Draft& draft) {
  const auto& held = draft.ledger.reservation(candidate.cluster_index);
  if (!held) return true;
  const auto kept = reservation_on(candidate, draft);
  return kept != draft.plan.reservations.end() && !kept->lasts && resources > held->resources + kDust &&
         would_last(contender, candidate, draft);
}

/// The one that had the reservation of the cluster waits for the job that has it now.
void take_over(const Candidate& candidate, const Reservation& reservation, Draft& draft) {
  const auto kept = reservation_on(candidate, draft);
  if (kept == draft.plan.reservations.end()) return;
  const auto& cluster = *candidate.cluster;
  for (auto& decision : draft.plan.decisions) {
    if (decision.campaign != kept->campaign || decision.cluster != cluster.id || !is_one_of<reason::Reserved>(decision.reason)) continue;
    decision.reason = reason::HeldForReservation{.free_resources = cluster.free_resources,
                                                 .max_resources = cluster.max_resources,
                                                 .holder = reservation.campaign,
                                                 .held_resources = reservation.resources};
  }
  draft.plan.reservations.erase(kept);
}

/// The reason of a campaign whose reservation was renewed, and that still has no room.
void note_renewed(Contender& contender, Draft& draft) {
  const auto& plan = draft.plan;
  const auto held = std::ranges::find(plan.reservations, contender.campaign->id, &HeldBack::campaign);
  if (held == plan.reservations.end()) return;
  const auto candidate = std::ranges::find(contender.candidates, held->cluster, [](const Candidate& one) { return one.cluster->id; });
  if (candidate == contender.candidates.end() || !lacks_room(*candidate, draft)) return;
  note_stop(draft.plan, *candidate, Stage::match,
            reason::Reserved{.job_resources = job_resources(*candidate->pair, *candidate->cluster),
                             .at = std::max(held->at, draft.snapshot.now),
                             .parts = parts_of(*candidate)});
}

}  // namespace

void match(const CampaignScheduler& scheduler, std::vector<Candidate*>& candidates, Draft& draft) {
  const auto& ledger = draft.ledger;
  filter(Stage::match, draft.plan, candidates, [&](Candidate& candidate) -> std::optional<Reason> {
    candidate.offer = ledger.left(candidate.cluster_index, *candidate.pair);
    candidate.kept = ledger.kept_from(candidate.cluster_index, *candidate.pair);
    candidate.room = room_for(candidate, candidate.offer);
    if (candidate.room > 0 || scheduler.room() == Room::not_needed) return std::nullopt;
    if (candidate.jobs > 0) return reason::NoFreeResources{};  // it is not noted: jobs were given
    return why_no_room(candidate, draft);
  });
}

void renew(std::vector<Contender>& contenders, Draft& draft) {
  const auto now = draft.snapshot.now;
  for (const auto& held : draft.snapshot.held) {
    const auto contender = std::ranges::find(contenders, held.campaign, [](const Contender& one) { return one.campaign->id; });
    if (contender == contenders.end() || contender->has_reservation || contender->tasks() <= 0) continue;
    const auto candidate = std::ranges::find(contender->candidates, held.cluster, [](const Candidate& one) { return one.cluster->id; });
    if (candidate == contender->candidates.end() || candidate->pair->live_jobs > 0 || !may_have_a_task(*contender, *candidate)) continue;
    if (draft.ledger.reservation(candidate->cluster_index) || keeps_leave_too_few(*candidate, draft.ledger)) continue;
    allow(Tasks::waiting, scheduler_of(*contender->campaign), *contender, {&*candidate}, draft);
    const auto resources = wide_job(*candidate);
    if (!resources) continue;
    auto found = draft.ledger.earliest(*candidate->cluster, candidate->cluster_index, *candidate->pair, *resources);
    if (!found) continue;
    found->after = std::clamp(std::chrono::duration<double>{held.begins - now}.count(), 0.0, found->after);
    draft.ledger.reserve(candidate->cluster_index, *found);
    contender->has_reservation = true;
    draft.plan.reservations.push_back({.campaign = held.campaign,
                                       .cluster = held.cluster,
                                       .resources = *resources,
                                       .at = std::min(held.begins, at(now, found->after)),
                                       .lasts = true});
  }
}

void reserve(Contender& contender, Draft& draft) {
  note_jobs_of_turns(contender, draft);
  if (contender.has_reservation) return note_renewed(contender, draft);
  note_last_tasks(contender, draft);
  if (contender.tasks() <= 0) return;
  Candidate* best = nullptr;
  std::optional<Reservation> soonest;
  for (auto& candidate : contender.candidates) {
    const auto resources = wide_job(candidate);
    if (!resources || !lacks_room(candidate, draft) || !may_have_a_task(contender, candidate)) continue;
    if (!may_reserve(contender, candidate, *resources, draft)) continue;
    auto found = draft.ledger.earliest(*candidate.cluster, candidate.cluster_index, *candidate.pair, *resources);
    if (!found || (soonest && soonest->after <= found->after)) continue;
    soonest = found;
    best = &candidate;
  }
  if (!best) return;
  const bool lasts = would_last(contender, *best, draft);
  take_over(*best, *soonest, draft);
  draft.ledger.reserve(best->cluster_index, *soonest);
  contender.has_reservation = true;
  if (best->pair->missing_inputs) want_inputs(draft.plan, *best, 1);
  const auto begin = at(draft.snapshot.now, soonest->after);
  draft.plan.reservations.push_back(
      {.campaign = contender.campaign->id, .cluster = best->cluster->id, .resources = soonest->resources, .at = begin, .lasts = lasts});
  if (best->jobs > 0) return;
  note_stop(draft.plan, *best, Stage::match,
            reason::Reserved{.job_resources = job_resources(*best->pair, *best->cluster), .at = begin, .parts = parts_of(*best)});
}

}  // namespace gleaner::planner
