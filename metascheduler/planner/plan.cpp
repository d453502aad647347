#include "metascheduler/planner/plan.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include "lib/grid/campaign_priority.hpp"
#include "lib/grid/usage.hpp"
#include "metascheduler/planner/cores.hpp"
#include "metascheduler/planner/first_turns.hpp"
#include "metascheduler/planner/memory.hpp"
#include "metascheduler/planner/orders/multifactor.hpp"
#include "metascheduler/planner/prioritize.hpp"
#include "metascheduler/planner/room.hpp"
#include "metascheduler/planner/stages.hpp"

namespace gleaner::planner {
namespace {

struct Policies {
  OrderChoice order;
  const Placement* placement;
};

tl::expected<Policies, std::string> policies_of(const PlannerConfig& config) {
  const auto order = parse_order(config.campaign_order);
  if (!order) return tl::unexpected{order.error()};
  const auto placement = find_placement(config.placement);
  if (!placement) return tl::unexpected{placement.error()};
  if (const auto rule = grid::usage_rule(config.fairshare_usage); !rule) return tl::unexpected{rule.error()};
  if (const auto weights = parse_weights(config.multifactor_weights); !weights) return tl::unexpected{weights.error()};
  if (config.head_start_preempts && !config.head_start)
    return tl::unexpected{std::string{"head_start_preempts = yes has no effect with head_start = no: set head_start = yes as well"}};
  return Policies{*order, *placement};
}

double free_resources(const Draft& draft) {
  double free = 0.0;
  for (std::size_t i = 0; i < draft.snapshot.clusters.size(); ++i) free += draft.ledger.at_first(i).free;
  return free;
}

/// Whether a candidate would have got jobs if tasks were left: it has no decision, or only its slice was used up.
bool is_pending(const Candidate& candidate, const Plan& plan) {
  if (candidate.decision < 0) return true;
  const auto& decision = plan.decisions[static_cast<std::size_t>(candidate.decision)];
  return decision.stage == Stage::size && is_one_of<reason::EarlierCampaigns>(decision.reason);
}

/// Writes the decisions on the pairs of a class whose campaign has no task left.
void note_tasks_gone(AffinityClass affinity, Contender& contender, Draft& draft) {
  for (auto& candidate : contender.candidates) {
    if (!is_pending(candidate, draft.plan) || !belongs(*candidate.pair, affinity)) continue;
    note_stop(draft.plan, candidate, Stage::size, reason::TasksElsewhere{});
  }
}

/// Whether a candidate takes part in a turn. The one job that a turn gives in any case must not take more than a head start has.
bool takes_part(const Candidate& candidate, const Turn& turn) {
  return turn.kind == TurnKind::any_task || job_resources(*candidate.pair, *candidate.cluster) <= turn.most_resources;
}

/// The candidates of a turn for free cores, and those of other speeds, which share the bag of a campaign in pools.
std::vector<Candidate*> sharers_of(const CampaignScheduler& scheduler, const std::vector<Candidate*>& candidates, Contender& contender,
                                   const Draft& draft) {
  if (!grid::is_grouped(contender.campaign->grouping)) return candidates;
  std::vector<Candidate*> others;
  for (auto& candidate : contender.candidates) {
    if (!candidate.closed && std::ranges::find(candidates, &candidate) == candidates.end()) others.push_back(&candidate);
  }
  allow(Tasks::waiting, scheduler, contender, others, draft);
  for (auto* candidate : others) candidate->offer = draft.ledger.left(candidate->cluster_index, *candidate->pair);
  others.insert(others.end(), candidates.begin(), candidates.end());
  return others;
}

/// One turn of a campaign through the stages, on the clusters of its scope.
Served serve(const Policies& policies, const Scope& scope, const Turn& turn, Contender& contender, Draft& draft) {
  if (contender.tasks() <= 0) {
    note_tasks_gone(scope.affinity, contender, draft);
    return {.exhausted = true};
  }
  std::vector<Candidate*> candidates;
  candidates.reserve(contender.candidates.size());
  for (auto& candidate : contender.candidates) {
    if (!candidate.closed && scope.covers(candidate, *policies.placement) && takes_part(candidate, turn)) candidates.push_back(&candidate);
  }
  const auto& scheduler = scheduler_of(*contender.campaign);
  throttle(scheduler, contender, candidates, draft);
  match(scheduler, candidates, draft);
  if (scope.speed) keep_free_cores(candidates);
  allocate(*policies.placement, contender, candidates);
  const auto sharers = scope.speed ? sharers_of(scheduler, candidates, contender, draft) : candidates;
  auto served = size(scheduler, policies.placement->distribution(), turn, contender, candidates, sharers, draft);
  if (contender.tasks() <= 0) note_tasks_gone(scope.affinity, contender, draft);
  served.exhausted = turn.most_resources == kWholeTurn || served.jobs == 0 || contender.tasks() <= 0;
  if (served.exhausted && turn.kind == TurnKind::any_task && !scope.speed && draft.config.reservations) reserve(contender, draft);
  return served;
}

/// The turn of a campaign's first tasks, as far as its user's bound allows.
Served serve_early(const Policies& policies, const Scope& scope, std::size_t contender, HeadStarts& head_starts,
                   std::vector<Contender>& contenders, Draft& draft) {
  const Turn turn{.contender = contender, .kind = TurnKind::head_start, .most_resources = head_starts.resources(contender)};
  if (turn.most_resources <= 0.0) return {};
  const auto served = serve(policies, scope, turn, contenders[contender], draft);
  head_starts.served(contender, served);
  return served;
}

/// Draws for the free cores of one speed after the other, the fastest first, among the members that are compatible with them.
/// @return the seed of the next draw
std::uint64_t draw_for_cores(const Policies& policies, AffinityClass affinity, Class among, std::vector<Contender>& contenders,
                             Draft& draft) {
  const auto members = std::move(among.members);
  for (const double speed : faster_speeds(*policies.placement, draft)) {
    const Scope scope{.affinity = affinity, .speed = speed};
    among.members = compatible(members, scope, *policies.placement, contenders, draft);
    if (among.members.empty()) continue;
    const auto turns = policies.order.within->turns(among);
    while (const auto turn = turns->next()) turns->served(*turn, serve(policies, scope, *turn, contenders[turn->contender], draft));
    ++among.seed;
  }
  return among.seed;
}

/// Serves the campaigns of one class: first tasks before all, if the configuration says so, then by the order.
/// @param turns  of the class, before anything was given
/// @return the seed of the next class
std::uint64_t serve(const Policies& policies, AffinityClass affinity, Class among, std::unique_ptr<Turns> turns, HeadStarts* head_starts,
                    std::vector<Contender>& contenders, Draft& draft) {
  const Scope scope{.affinity = affinity};
  if (draft.config.head_start) {
    for (const auto contender : head_starts->in_order(among.members))
      turns->head_start(contender, serve_early(policies, scope, contender, *head_starts, contenders, draft));
  }
  if (policies.order.within->draws_for_cores()) {
    const auto seed = draw_for_cores(policies, affinity, among, contenders, draft);
    if (seed != std::exchange(among.seed, seed)) turns = policies.order.within->turns(among);
  }
  while (const auto turn = turns->next()) {
    const bool early = turn->kind == TurnKind::head_start;
    turns->served(*turn, early ? serve_early(policies, scope, turn->contender, *head_starts, contenders, draft)
                               : serve(policies, scope, *turn, contenders[turn->contender], draft));
  }
  return among.seed + 1;
}

/// The standings: one for each campaign, also for one that takes part in two classes: first where its user has affinity, then elsewhere.
class Standings {
 public:
  explicit Standings(const std::vector<Contender>& contenders) : contenders_{contenders}, places_(contenders.size(), kNone) {}

  void add(std::size_t contender, std::optional<decisions::Place> place) {
    if (!place) return;
    if (places_[contender] == kNone) {
      places_[contender] = all_.size();
      all_.push_back({.campaign = contenders_[contender].campaign->id, .figures = {.place = std::move(place)}});
      return;
    }
    all_[places_[contender]].figures.elsewhere = std::move(place);
  }

  void add(std::size_t contender, const std::optional<decisions::HeadStart>& head_start) {
    if (!head_start) return;
    if (places_[contender] == kNone) {
      places_[contender] = all_.size();
      all_.push_back({.campaign = contenders_[contender].campaign->id, .figures = {}});
    }
    all_[places_[contender]].figures.head_start = head_start;
  }

  [[nodiscard]] std::vector<Standing> all() && { return std::move(all_); }

 private:
  static constexpr auto kNone = static_cast<std::size_t>(-1);

  const std::vector<Contender>& contenders_;
  std::vector<std::size_t> places_;  ///< of each contender in the list
  std::vector<Standing> all_;
};

/// Whether the order weighs first tasks.
bool weighs_early(const OrderChoice& order, const PlannerConfig& config) {
  return order.within->name() == "multifactor" && parse_weights(config.multifactor_weights).value().early > 0.0;
}

/// The standings of a plan, by campaign.
class StandingsByCampaign {
 public:
  explicit StandingsByCampaign(std::vector<Standing>& standings) : standings_{standings} {
    for (std::size_t i = 0; i < standings.size(); ++i) places_.emplace(standings[i].campaign, i);
  }
  /// A new one, if the campaign has none.
  decisions::Standing& of(grid::CampaignId campaign) {
    const auto [place, is_new] = places_.emplace(campaign, standings_.size());
    if (is_new) standings_.push_back({.campaign = campaign, .figures = {}});
    return standings_[place->second].figures;
  }

 private:
  std::vector<Standing>& standings_;
  std::map<grid::CampaignId, std::size_t> places_;
};

/// Reports the priorities that administrators gave to projects and groups, each with the standing of the campaign.
void note_given_priorities(const std::vector<Contender>& contenders, Draft& draft, StandingsByCampaign& standings) {
  for (const auto& contender : contenders) {
    const auto& campaign = *contender.campaign;
    if (campaign.type != grid::CampaignType::default_) continue;  // it goes first anyway
    for (const auto& [holder, given] : {std::pair{"project", &campaign.project_priority}, std::pair{"group", &campaign.group_priority}}) {
      if (given->name.empty() || given->priority == kNormalPriority) continue;
      standings.of(campaign.id)
          .given_priorities.push_back({.holder = holder,
                                       .name = given->name,
                                       .priority = given->priority,
                                       .campaign_order = draft.config.campaign_order,
                                       .multifactor_weights = draft.config.multifactor_weights});
    }
  }
}

/// Reports campaign priorities that have no effect, each with the standing of its campaign.
void note_priorities(const std::vector<Contender>& contenders, Draft& draft, StandingsByCampaign& standings) {
  const grid::OrderOfCampaigns order{
      .name = draft.config.campaign_order, .weights = draft.config.multifactor_weights, .simultaneous = draft.config.simultaneous};
  for (const auto& contender : contenders) {
    const auto& campaign = *contender.campaign;
    if (campaign.type != grid::CampaignType::default_ || !grid::priority_note(campaign.priority, order)) continue;
    decisions::PriorityEffect effect{.campaign_priority = campaign.priority,
                                     .campaign_order = draft.config.campaign_order,
                                     .multifactor_weights = draft.config.multifactor_weights,
                                     .simultaneous = draft.config.simultaneous};
    standings.of(campaign.id).priority = std::move(effect);
  }
}

/// Reports the clusters that come later because of the memory that tasks took.
void note_memory(const std::vector<Contender>& contenders, StandingsByCampaign& standings) {
  constexpr std::size_t kMost = 3;
  for (const auto& contender : contenders) {
    std::map<grid::ClusterId, decisions::ScarceMemory> scarce;
    for (const auto& candidate : contender.candidates) {
      if (candidate.pair->memory_fit == MemoryFit::fits) continue;
      const auto [fit, taken, share, most] = memory_figures(*candidate.pair, *candidate.cluster);
      scarce[candidate.cluster->id] = {.cluster = candidate.cluster->name, .taken_mb = taken, .share_mb = share, .node_mb = most};
    }
    for (auto& [id, memory] : scarce) {
      auto& noted = standings.of(contender.campaign->id).scarce_memory;
      if (noted.size() < kMost) noted.push_back(std::move(memory));
    }
  }
}

/// The first turns of a class, as far as they are known before the order is asked for one.
FirstTurns known_first_turns(const Class& among, const Turns& turns) {
  FirstTurns first{among.contenders.size()};
  if (among.config.head_start) {
    for (const auto contender : among.head_starts->in_order(among.members)) {
      if (among.head_starts->resources(contender) > 0.0) first.add(contender);
    }
  }
  add_by_chance(among, turns, first);
  return first;
}

RankedClass ranked(const OrderChoice& order, AffinityClass affinity, const FirstTurns& first, const std::vector<Contender>& contenders) {
  RankedClass ranked{.affinity = affinity, .rank = class_rank(order, *contenders[first.order().front()].campaign)};
  for (const auto contender : first.order()) ranked.campaigns.push_back(contenders[contender].campaign->id);
  return ranked;
}

}  // namespace

tl::expected<void, std::string> check(const PlannerConfig& config) {
  return policies_of(config).map([](const Policies&) {});
}

Needs needs_of(const PlannerConfig& config) {
  const auto order = parse_order(config.campaign_order);
  if (!order) throw std::invalid_argument{order.error()};
  auto needs = order->within->needs();
  needs.affinities = needs.affinities || order->by_affinity;
  return needs;
}

std::vector<grid::HeldForJob> held_by(const Plan& plan) {
  std::vector<grid::HeldForJob> held;
  for (const auto& one : plan.reservations) {
    if (one.lasts) held.push_back({.campaign = one.campaign, .cluster = one.cluster, .begins = one.at});
  }
  return held;
}

Plan plan(const Snapshot& snapshot, const PlannerConfig& config) {
  const auto policies = policies_of(config);
  if (!policies) throw std::invalid_argument{policies.error()};

  Draft draft{snapshot, config};
  auto contenders = feasible(draft);
  if (config.reservations) renew(contenders, draft);
  replicate(ReplicaKind::expired, contenders, draft);
  std::uint64_t seed = snapshot.seed;
  Standings standings{contenders};
  std::optional<HeadStarts> head_starts;
  if (config.head_start || weighs_early(policies->order, config)) head_starts.emplace(snapshot, config, contenders);
  for (auto& [affinity, members] : classes_of(policies->order, contenders)) {
    const Class among{snapshot, config, contenders, members, free_resources(draft), seed, head_starts ? &*head_starts : nullptr};
    auto turns = policies->order.within->turns(among);
    for (const auto member : members) {
      standings.add(member, turns->place(member));
      if (head_starts) standings.add(member, head_starts->figures(member));
    }
    auto first = known_first_turns(among, *turns);
    seed = serve(*policies, affinity, among, noted(std::move(turns), first), head_starts ? &*head_starts : nullptr, contenders, draft);
    draft.plan.ranking.push_back(ranked(policies->order, affinity, first, contenders));
  }
  draft.plan.standings = std::move(standings).all();
  StandingsByCampaign by_campaign{draft.plan.standings};
  note_given_priorities(contenders, draft, by_campaign);
  note_priorities(contenders, draft, by_campaign);
  note_memory(contenders, by_campaign);
  preempt(contenders, draft);
  if (config.head_start && config.head_start_preempts) give_way(policies->order, *policies->placement, *head_starts, contenders, draft);
  replicate(ReplicaKind::finalize, contenders, draft);
  emit(draft);
  std::erase_if(draft.plan.reservations, [&](const HeldBack& held) {
    return std::ranges::any_of(draft.plan.launches,
                               [&](const Launch& launch) { return launch.campaign == held.campaign && launch.cluster == held.cluster; });
  });
  return std::move(draft.plan);
}

}  // namespace gleaner::planner
