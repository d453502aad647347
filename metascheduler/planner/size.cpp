#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>

#include "metascheduler/planner/room.hpp"
#include "metascheduler/planner/stages.hpp"

namespace gleaner::planner {
namespace {

/// Jobs that start at once: those that the free resources hold.
int free_room(const Candidate& candidate) {
  return std::min(room_for(candidate, {.resources = candidate.offer.free, .free = candidate.offer.free}), candidate.allowed.jobs);
}

/// The number of tasks, of so many, that each cluster's free resources take, in the order of the candidates. Only tasks that are left after
/// that may wait in a queue.
std::vector<std::int64_t> free_claims(const CampaignScheduler& scheduler, Distribution distribution,
                                      const std::vector<Candidate*>& candidates, std::int64_t tasks) {
  std::vector<std::int64_t> claims(candidates.size(), 0);
  if (scheduler.room() == Room::not_needed) return claims;
  std::vector<std::int64_t> rooms;
  for (const auto* candidate : candidates) rooms.push_back(free_room(*candidate));
  auto left = tasks;
  for (std::size_t i = 0; i < claims.size() && left > 0;) {
    // Those whose nodes hold the tasks' memory as well, one after the other, share what is left.
    auto end = i + 1;
    while (end < claims.size() && candidates[end]->pair->memory_fit == candidates[i]->pair->memory_fit) ++end;
    const auto place = [&](std::size_t at) { return rooms.begin() + static_cast<std::ptrdiff_t>(at); };
    const auto all = std::accumulate(place(i), place(end), std::int64_t{0});
    const auto of_these = left;
    const bool dealt = distribution == Distribution::round_robin && all > of_these;
    for (; i < end; ++i) {
      const auto part = dealt ? (of_these * rooms[i] + all - 1) / all : rooms[i];
      claims[i] = std::min({part, rooms[i], left});
      left -= claims[i];
    }
  }
  return claims;
}

/// Jobs that the turn may still give.
int most_of_turn(const Candidate& candidate, double resources_left, bool first) {
  const double jobs = resources_left * candidate.ratio + 1e-9;
  return jobs >= kNoLimit ? kNoLimit : std::max(first ? 1 : 0, static_cast<int>(jobs));
}

Limits::Allowance left_by_limits(const Contender& contender, const Candidate& candidate, const Draft& draft) {
  if (contender.limits.empty()) return {};
  return draft.limits.left(contender, candidate);
}

/// Clusters before this one may have used up limits that bind them all, and the file server that they share.
void recheck(const Limits::Allowance& left, const Contender& contender, Candidate& candidate, const FileServers& servers) {
  if (left.jobs < candidate.allowed.jobs) candidate.allowed = {.kind = Cap::Kind::limit, .jobs = left.jobs, .limit = left.tightest};
  candidate.allowed_waiting = std::min(candidate.allowed_waiting, left.waiting);
  if (const auto server = servers.left(*contender.campaign, candidate); server && server->jobs < candidate.allowed.jobs)
    candidate.allowed = *server;
}

/// Tasks of one launch: its list is one file that each carrier reads, and its folder is listed in each turn.
constexpr int kMostTasks = 4000;
/// Seconds for which a job holds its resources besides its tasks, on a cluster that has not shown it: OAR 2.5.9 (docs/measured.md).
constexpr double kUnknownStart = 2;
/// Seconds for which a core is idle between two rounds: it waits for a cycle of the grid, and for OAR.
constexpr double kRoundWait = 5;
/// A second round of pools is worth its start if the first leaves work for so many times what a start costs.
constexpr double kRoundWorth = 4;
/// The part of its share that a worker takes while another round is worth its start: where several clusters share the bag, or no duration
/// is known.
constexpr double kPartOfRound = 0.75;
/// Tasks of unknown duration that are too few to divide.
constexpr double kFewTasks = 16;

/// The tasks of each job of a launch.
struct Pooling {
  int tasks_each = 1;    ///< that a job takes, the first included
  bool shares = false;   ///< they are over before the duration of a pool: jobs that wait for these to end would find no task
  bool is_last = false;  ///< what they leave is not worth another round
};

/// The rest of a campaign's bag, before this turn takes from it. Workers: of a job, as many as it has tasks at a time.
struct Bag {
  std::int64_t tasks = 0;
  std::int64_t free_workers = 0;  ///< of jobs that start at once, on all clusters
  std::int64_t live_workers = 0;
  std::size_t clusters = 0;   ///< that may get tasks
  double tasks_a_second = 0;  ///< of a worker, on average over those whose clusters have shown durations; 0: none has
};

Bag bag_of(const Contender& contender, const std::vector<Candidate*>& sharers) {
  Bag bag{.tasks = contender.tasks_for_anyone + contender.tasks_reserved, .clusters = sharers.size()};
  double measured_workers = 0;
  for (const auto* one : sharers) {
    const std::int64_t workers = at_a_time(*contender.campaign, one->width);
    const auto free = workers * free_room(*one);
    const auto live = workers * (std::int64_t{one->pair->live_jobs} + one->jobs);
    bag.free_workers += free;
    bag.live_workers += live;
    if (!one->pair->mean_duration) continue;
    measured_workers += static_cast<double>(free + live);
    bag.tasks_a_second += static_cast<double>(free + live) / std::max(*one->pair->mean_duration, 0.001);
  }
  bag.tasks_a_second /= std::max(measured_workers, 1.0);
  return bag;
}

/// Workers among which the bag is divided: of jobs that start at once, and of live ones, as their resources will be free for more; but no
/// more than have work for longer than their start takes.
double parts_of(const Bag& bag, std::optional<double> duration, double start) {
  const auto free = static_cast<double>(bag.free_workers);
  const double all = std::max(1.0, free + static_cast<double>(bag.live_workers));
  if (!duration || bag.free_workers == 0) return all;
  const double worth = static_cast<double>(bag.tasks) * *duration / std::max(start, 0.001);
  return std::clamp(worth, std::max(1.0, free), all);
}

/// The part of the bag for one worker of a candidate: on a faster cluster more.
double part_of(const Bag& bag, std::optional<double> duration, double start) {
  const double equal = static_cast<double>(bag.tasks) / parts_of(bag, duration, start);
  if (!duration || bag.tasks_a_second <= 0) return equal;
  return equal / std::max(*duration, 0.001) / bag.tasks_a_second;
}

/// Whether a job of several tasks would run into an advance reservation of OAR before which a job of one task ends.
bool pool_ends_too_late(const Candidate& candidate, const PlannerConfig& config) {
  const auto& pair = *candidate.pair;
  const double needs = pair.walltime + std::chrono::duration<double>{config.pool_duration + config.reservation_margin}.count();
  return std::ranges::any_of(candidate.cluster->bookings, [&](const grid::Booking& booking) {
    return booking.after >= pair.before_reservation && booking.after < needs;
  });
}

/// A worker takes as many tasks as fill the duration of a pool, and no more than its part of what is left. With several clusters, it leaves
/// some of its part if the rest is worth another start: the cluster that is faster than it was takes more of it. While no duration is
/// known, it leaves some, too: a pool of tasks that turn out long keeps what it does not carry out until all its carriers are over, and
/// meanwhile the rest is for other jobs. A job takes one task where it would run into a reservation of OAR otherwise. A job that tries a
/// cluster takes one task, as does each job of a cluster with max_jobs 0: it gets the tasks that are bound to it, and a pool would take
/// others, too.
Pooling pooling_of(const Contender& contender, const Candidate& candidate, int jobs, const Bag& bag, const PlannerConfig& config) {
  const auto& campaign = *contender.campaign;
  const auto known = candidate.pair->mean_duration;
  if (!grid::is_grouped(campaign.grouping) || candidate.pair->pools_refused || candidate.pair->max_jobs == 0 || candidate.probes ||
      campaign.differing || campaign.type == grid::CampaignType::test)
    return {};
  if (campaign.grouping == grid::Grouping::auto_ && !known) return {};
  if (pool_ends_too_late(candidate, config)) return {};
  const double start = candidate.cluster->start_cost.value_or(kUnknownStart) + kRoundWait;
  const double whole = part_of(bag, known, start);
  const bool is_last = known ? whole * *known <= kRoundWorth * start : whole <= kFewTasks;
  const bool leaves_some = !is_last && (bag.clusters > 1 || !known);
  const double part = std::ceil(leaves_some ? whole * kPartOfRound : whole);
  const int workers = at_a_time(*contender.campaign, candidate.width);
  const double most_of_job =
      std::max(1.0, static_cast<double>(kMostTasks) / std::clamp(jobs, 1, std::max(1, candidate.cluster->array_size)));
  const double most = most_of_job / workers;
  const double duration = std::chrono::duration<double>{config.pool_duration}.count();
  const double fill = known ? duration / std::max(*known, 0.001) : most;
  const double of_worker = std::max(1.0, std::min({fill, part, most}));
  const double of_job = std::min(of_worker * workers, most_of_job);
  return {.tasks_each = static_cast<int>(of_job), .shares = of_job > 1 && (!known || of_worker < fill), .is_last = is_last};
}

/// Whether most of the jobs that the cluster can have are the campaign's own.
bool has_most_of(const Candidate& candidate) {
  return 2.0 * candidate.pair->live_jobs >= candidate.ratio * candidate.cluster->max_resources;
}

/// Keeps the tasks of so many jobs for a candidate that has its input files brought, so that the files go to no more clusters than tasks.
Reason keep_tasks(Candidate& candidate, int jobs, std::int64_t own, Contender& contender) {
  const auto returned = std::min<std::int64_t>(jobs, own);
  contender.tasks_for_anyone -= std::min<std::int64_t>(jobs - returned, contender.tasks_for_anyone);
  contender.take_bound(candidate, returned);
  candidate.closed = true;
  return reason::InputsFirst{candidate.pair->missing_inputs->bytes, candidate.pair->missing_inputs->mb_s};
}

/// Tasks for which a candidate that could take `tasks` now wants input files: for those of its next round, too; and for as many as others
/// take first, as the bag has one order for all.
std::int64_t tasks_ahead(const Contender& contender, const Candidate& candidate, std::int64_t tasks) {
  auto ahead = 2 * tasks + contender.tasks_given;
  for (const auto& other : contender.candidates) {
    if (&other != &candidate) ahead += std::int64_t{other.pair->live_jobs} * at_a_time(*contender.campaign, other.width);
  }
  return ahead;
}

int at_most(std::int64_t jobs) { return static_cast<int>(std::min<std::int64_t>(jobs, kNoLimit)); }

}  // namespace

Served size(const CampaignScheduler& scheduler, Distribution distribution, const Turn& turn, Contender& contender,
            std::vector<Candidate*>& candidates, const std::vector<Candidate*>& sharers, Draft& draft) {
  Served given;
  const bool any_for_anyone = contender.tasks_for_anyone > 0;
  const auto within_limits = candidates.empty() ? kNoLimit : left_by_limits(contender, *candidates.front(), draft).anywhere;
  const auto budget = std::min<std::int64_t>(contender.tasks_for_anyone, within_limits);
  const auto claims = free_claims(scheduler, distribution, candidates, budget);
  auto claimed = std::accumulate(claims.begin(), claims.end(), std::int64_t{0});
  const bool dealt = distribution == Distribution::round_robin && claimed == budget;
  auto claim = claims.begin();
  const auto bag = bag_of(contender, sharers);
  filter(Stage::size, draft.plan, candidates, [&](Candidate& candidate) -> std::optional<Reason> {
    const auto& pair = *candidate.pair;
    const auto left = left_by_limits(contender, candidate, draft);
    recheck(left, contender, candidate, draft.file_servers);
    const auto own_claim = *claim;
    claimed -= *claim++;  // what is left are claims of later clusters
    const auto own = contender.bound_tasks(candidate);
    const auto tasks = own + (dealt ? own_claim : std::max<std::int64_t>(0, contender.tasks_for_anyone - claimed));
    if (tasks <= 0) {
      if (any_for_anyone || contender.tasks_reserved == 0) return reason::TasksElsewhere{};
      return why_bound(contender);
    }
    const auto sizing = scheduler.size(candidate, tasks);
    if (!sizing) return sizing.error();
    const int at_once = free_room(candidate);
    const std::array caps{
        *sizing,
        Cap{.kind = Cap::Kind::limit, .jobs = at_most(std::int64_t{at_once} + candidate.allowed_waiting), .limit = left.tightest_waiting},
        // A limit on all clusters together is used for free resources of any before it is used for a queue.
        Cap{.kind = Cap::Kind::limit,
            .jobs = at_most(std::max<std::int64_t>(at_once, left.anywhere - claimed)),
            .limit = left.tightest_anywhere},
        Cap{.kind = Cap::Kind::turn, .jobs = most_of_turn(candidate, turn.most_resources - given.resources, given.jobs == 0)},
    };
    auto cap = *std::ranges::min_element(caps, {}, &Cap::jobs);
    if (cap.jobs <= 0) return reason_of(cap, candidate, draft);
    const auto pooling = [&] { return pooling_of(contender, candidate, cap.jobs, bag, draft.config); };
    auto ready = std::numeric_limits<std::int64_t>::max();  // tasks that have their input files there
    if (pair.missing_inputs) {
      const auto most = std::ranges::min_element(caps.begin(), caps.end() - 1, {}, &Cap::jobs)->jobs;  // the turn's cap is the last one
      ready = std::max<std::int64_t>(0, pair.missing_inputs->ready - contender.tasks_given);
      const auto could_take = std::min(tasks, std::int64_t{most} * pooling().tasks_each);
      if (ready < std::min(2 * could_take, own + contender.tasks_for_anyone))
        want_inputs(draft.plan, candidate, tasks_ahead(contender, candidate, could_take));
      if (ready == 0) return keep_tasks(candidate, most, own, contender);
      if (ready < cap.jobs) cap = {.kind = Cap::Kind::inputs, .jobs = at_most(ready)};
    }
    if (const auto first = pooling(); first.shares && at_once < cap.jobs) {
      const bool waits = at_once == 0 && first.is_last && has_most_of(candidate);
      if (at_once > 0 || waits) cap = {.kind = Cap::Kind::pools, .jobs = at_once};
      if (cap.jobs == 0) return reason_of(cap, candidate, draft);
    }
    ready -= cap.jobs;
    const auto returned = static_cast<int>(std::min<std::int64_t>(cap.jobs, own));
    const auto resources = resources_of(cap.jobs, pair, *candidate.cluster, candidate.offer.resources);
    contender.tasks_for_anyone -= cap.jobs - returned;
    contender.take_bound(candidate, returned);
    const auto more = std::min(std::int64_t{cap.jobs} * (pooling().tasks_each - 1), ready);
    const auto more_returned = std::min(more, own - returned);
    const auto pooled = more_returned + std::min(more - more_returned, contender.tasks_for_anyone);
    contender.tasks_for_anyone -= pooled - more_returned;
    contender.take_bound(candidate, more_returned);
    contender.tasks_given += cap.jobs + pooled;
    if (cap.kind == Cap::Kind::pools && contender.tasks_for_anyone == 0) cap.kind = Cap::Kind::bag;
    auto bound = bound_of(cap, candidate, draft);
    const double tasks_each = 1.0 + static_cast<double>(pooled) / cap.jobs;
    const double lasts = pair.walltime + (pooled > 0 ? std::chrono::duration<double>{draft.config.pool_duration}.count() : 0.0);
    if (candidate.jobs == 0) draft.served.push_back(&candidate);
    candidate.jobs += cap.jobs;
    candidate.returned += returned + static_cast<int>(more_returned);
    candidate.pooled += static_cast<int>(pooled);
    candidate.resources += resources;
    given.jobs += cap.jobs;
    given.resources += resources;
    // If the ratio is above 1, jobs run one after the other on the resources that are counted for them.
    given.resource_seconds += std::max(resources, static_cast<double>(cap.jobs)) * pair.mean_duration.value_or(pair.walltime) * tasks_each /
                              at_a_time(*contender.campaign, candidate.width);
    draft.ledger.take(candidate.cluster_index, pair, lasts, cap.jobs, resources);
    draft.limits.take(contender, candidate, cap.jobs, std::max(0, cap.jobs - at_once));
    draft.file_servers.take(*contender.campaign, candidate, cap.jobs);
    note_given(draft.plan, candidate, std::move(bound));
    return std::nullopt;
  });
  return given;
}

}  // namespace gleaner::planner
