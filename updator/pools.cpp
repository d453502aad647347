#include "updator/pools.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "lib/grid/launch_fate.hpp"

namespace gleaner::updator {
namespace {

/// Carriers count their time by their own clocks, from a moment that OAR does not note.
constexpr grid::Seconds kLateClaim{30};

bool is_settled(grid::LaunchState state) {
  return state != grid::LaunchState::planned && state != grid::LaunchState::launching && state != grid::LaunchState::unknown;
}

/// Whether the carrier was said to be over although nobody knew whether it would begin.
bool may_run_all_the_same(grid::JobEnd end) {
  return end == grid::JobEnd::never_began || end == grid::JobEnd::never_submitted || end == grid::JobEnd::lost;
}

/// Whether the carrier was not interrupted.
bool ended_by_itself(grid::JobEnd end) {
  return end == grid::JobEnd::done || end == grid::JobEnd::task_error || end == grid::JobEnd::rerun_first ||
         end == grid::JobEnd::rerun_last;
}

/// How a carrier's end is the end of what it was carrying out.
struct Interruption {
  grid::RemoteEnd record = {};
  grid::Deletion deletion = grid::Deletion::none;
};
Interruption interruption_by(grid::JobEnd end) {
  grid::RemoteEnd record{.record = grid::Record::failed, .started = true};
  switch (end) {
    case grid::JobEnd::preempted: record.record = grid::Record::preempted; break;
    case grid::JobEnd::walltime: record.record = grid::Record::walltime; break;
    case grid::JobEnd::killed_by_us: return {{.record = grid::Record::deleted, .started = true}, grid::Deletion::ours};
    case grid::JobEnd::killed_elsewhere: record.record = grid::Record::deleted; break;
    default: break;
  }
  return {record};
}

/// OAR's word of a pooled job, of which it does not know.
constexpr grid::RemoteEnd kUnknown{.record = grid::Record::forgotten, .started = true};

class PoolJudge {
 public:
  PoolJudge(const store::Pool& pool, const Poll& poll, const Patience& patience, JudgedPools& judged)
      : pool_{pool}, poll_{poll}, patience_{patience}, judged_{judged} {}

  void judge() {
    // Until it is known what became of the launch, its tasks are frozen.
    if (!is_settled(pool_.state)) return;
    for (const auto& job : pool_.jobs) judge_job(job);
    note_read();
  }

 private:
  void note_read();
  void judge_job(const store::LiveJob& job);
  void judge_claimed(const store::LiveJob& job, grid::Evidence evidence, grid::RemoteJobId carrier, const grid::EvidenceIndex& index);
  void judge_unreadable(const store::LiveJob& job);
  void judge_unclaimed(const store::LiveJob& job, const grid::Evidence& evidence, const grid::EvidenceIndex& index);
  /// The end of the carrier, if it is known and its files had the time to appear. Empty: the carrier may still note an end.
  [[nodiscard]] std::optional<grid::JobEnd> end_of_carrier(grid::RemoteJobId carrier) const;
  /// The state of the pool by the launch's own folder; empty: it was not read.
  enum class Sight { seen, unreadable };
  [[nodiscard]] std::optional<Sight> sight_of_pool() const;
  [[nodiscard]] bool is_past(std::optional<grid::Instant> moment, grid::Seconds wait) const {
    return moment && poll_.began - *moment >= wait;
  }
  void add(const store::LiveJob& job, const Interruption& cause, const grid::Evidence& evidence, grid::JobEnd end,
           const grid::EvidenceIndex* index);

  const store::Pool& pool_;
  const Poll& poll_;
  const Patience& patience_;
  JudgedPools& judged_;
};

void PoolJudge::add(const store::LiveJob& job, const Interruption& cause, const grid::Evidence& evidence, grid::JobEnd end,
                    const grid::EvidenceIndex* index) {
  judged_.over.push_back({.job = job.id,
                          .campaign = job.campaign,
                          .record = cause.record,
                          .evidence = evidence,
                          .deletion = cause.deletion,
                          .end = end,
                          .live = &job,
                          .beside = index});
}

std::optional<grid::JobEnd> PoolJudge::end_of_carrier(grid::RemoteJobId carrier) const {
  // A run takes tasks for so long, and then carries out the last one.
  const auto one_run = pool_.duration + pool_.walltime + kLateClaim;
  const auto longest = std::chrono::ceil<grid::Seconds>(one_run + grid::kOrphanWatch);
  const auto found = pool_.carriers.find(carrier);
  // OAR ran it again under another id: the run that began has the time that it may take, and it began before the other's end. Or its id
  // was never reported: then it may have begun late.
  if (found == pool_.carriers.end())
    return pool_.live_carriers == 0 && is_past(pool_.last_end, pool_.may_be_unseen ? longest : one_run)
               ? std::optional{grid::JobEnd::node_failure}
               : std::nullopt;
  const auto& known = found->second;
  if (!known.end || !is_past(known.ended_at, patience_.delay)) return std::nullopt;
  if (may_run_all_the_same(*known.end)) return is_past(known.ended_at, longest) ? std::optional{grid::JobEnd::node_failure} : std::nullopt;
  return known.end;
}

void PoolJudge::judge_claimed(const store::LiveJob& job, grid::Evidence evidence, grid::RemoteJobId carrier,
                              const grid::EvidenceIndex& index) {
  evidence.earlier = false;
  if (job.remote != carrier) judged_.claimed.push_back({job.id, carrier});
  if (evidence.witness == grid::Witness::unclaimed) return add(job, {}, evidence, grid::JobEnd::cannot_start, &index);
  const Interruption unknown{kUnknown};
  if (evidence.witness == grid::Witness::ended) {
    // By what it noted alone. A signal may have been meant for the carrier.
    const auto end = grid::end_of(unknown.record, evidence, grid::Deletion::none);
    if (end != grid::JobEnd::node_failure) return add(job, unknown, evidence, end, &index);
  }
  const auto carrier_end = end_of_carrier(carrier);
  if (!carrier_end) return;
  const auto cause = interruption_by(*carrier_end);
  // Nobody interrupted the carrier: the signal was the task's own fault.
  if (evidence.witness == grid::Witness::ended && ended_by_itself(*carrier_end))
    return add(job, {{.record = grid::Record::exited, .status = evidence.status, .started = true}}, evidence, grid::JobEnd::task_error,
               &index);
  add(job, cause, evidence, grid::end_of(cause.record, evidence, cause.deletion), &index);
}

/// The list of the pool was written there before the submission. OAR answers "not found" for a folder whatever keeps it from looking
/// there (a home that cannot be entered, another one mounted over it), so that the absence of files alone proves nothing.
std::optional<PoolJudge::Sight> PoolJudge::sight_of_pool() const {
  const auto found = poll_.evidence.find(pool_.launch);
  if (found == poll_.evidence.end()) return std::nullopt;
  return found->second && found->second->has_pool() ? Sight::seen : Sight::unreadable;
}

void PoolJudge::judge_unclaimed(const store::LiveJob& job, const grid::Evidence& evidence, const grid::EvidenceIndex& index) {
  const bool over = pool_.live_carriers == 0 && is_past(pool_.last_end, patience_.delay);
  const bool closed = pool_.live_carriers > 0 && is_past(pool_.closed_at, kLateClaim);
  if (!over && !closed) return;
  if (evidence.witness == grid::Witness::duplicate) return add(job, {}, evidence, grid::JobEnd::duplicate, &index);
  const auto sight = sight_of_pool();
  if (!sight) return;
  if (*sight == Sight::unreadable) return judge_unreadable(job);
  // "again": a carrier may still take it.
  const bool may_come = closed || pool_.may_come;
  add(job, {{.record = grid::Record::failed, .started = false, .again = may_come}}, evidence, grid::JobEnd::not_reached, &index);
}

/// Nobody knows what became of it. It keeps its attempt, and the claim decides when its cluster runs it again.
void PoolJudge::judge_unreadable(const store::LiveJob& job) {
  if (pool_.live_carriers > 0 || !is_past(pool_.last_end, patience_.evidence)) return;
  add(job, {{.record = grid::Record::failed, .started = job.remote.value() != 0}}, {.witness = grid::Witness::unreadable},
      grid::JobEnd::never_began, nullptr);
}

void PoolJudge::judge_job(const store::LiveJob& job) {
  const auto found = poll_.evidence.find(job.fence);
  if (found == poll_.evidence.end()) return;
  if (!found->second) return judge_unreadable(job);
  const auto& index = *found->second;
  const auto carrier = index.run_of(job.id);
  const auto evidence =
      index.of({.task = job.task, .attempt = job.attempt, .job = job.id, .remote = carrier.value_or(grid::RemoteJobId{0})});
  const bool own = evidence.witness == grid::Witness::started || evidence.witness == grid::Witness::ended ||
                   evidence.witness == grid::Witness::unclaimed;
  if (own && carrier) judge_claimed(job, evidence, *carrier, index);
  else judge_unclaimed(job, evidence, index);
}

void PoolJudge::note_read() {
  const auto folder = [&](grid::LaunchId fence) -> const grid::EvidenceIndex* {
    const auto found = poll_.evidence.find(fence);
    return found == poll_.evidence.end() || !found->second ? nullptr : &*found->second;
  };
  if (folder(pool_.launch) != nullptr && std::ranges::all_of(pool_.jobs, [&](const auto& job) { return folder(job.fence) != nullptr; }))
    judged_.read.launches.push_back(pool_.launch);
  for (const auto& [remote, carrier] : pool_.carriers) {
    const auto* const index = carrier.end || carrier.command_over ? nullptr : folder(carrier.fence);
    if (index == nullptr) continue;
    const auto own = index->of({.task = carrier.task, .attempt = carrier.attempt, .job = carrier.job, .remote = remote});
    if (own.witness != grid::Witness::started && own.witness != grid::Witness::nothing) judged_.read.carriers.push_back(carrier.job);
  }
}

}  // namespace

std::vector<FenceToRead> fences_of(std::span<const store::Pool> pools) {
  std::vector<FenceToRead> fences;
  for (const auto& pool : pools) {
    std::set<grid::LaunchId> seen;
    const auto add = [&](const store::LiveJob& job, grid::LaunchId fence) {
      if (seen.insert(fence).second) fences.push_back({job.login, job.campaign, fence, fence == pool.launch ? pool.files : 0});
    };
    for (const auto& job : pool.jobs) add(job, job.fence);
    // Wherever a task is claimed: the list of the pool shows that the home can be seen.
    if (!pool.jobs.empty()) add(pool.jobs.front(), pool.launch);
  }
  return fences;
}

std::vector<TailToRead> pooled_tails_to_read(std::span<const store::Pool> pools, const Poll& poll) {
  std::vector<TailToRead> tails;
  std::map<grid::CampaignId, int> failed;
  for (const auto& pool : pools) {
    if (!is_settled(pool.state)) continue;
    for (const auto& job : pool.jobs) {
      const auto found = poll.evidence.find(job.fence);
      if (found == poll.evidence.end() || !found->second) continue;
      const auto carrier = found->second->run_of(job.id);
      const auto evidence =
          found->second->of({.task = job.task, .attempt = job.attempt, .job = job.id, .remote = carrier.value_or(grid::RemoteJobId{0})});
      if (evidence.witness != grid::Witness::ended || grid::end_of(kUnknown, evidence, grid::Deletion::none) != grid::JobEnd::task_error)
        continue;
      if (carrier && ++failed[job.campaign] <= kTailsPerCampaign) tails.push_back({job.id, job.login, stderr_path_of(job, *carrier)});
    }
  }
  return tails;
}

JudgedPools judge_pools(std::span<const store::Pool> pools, const Poll& poll, const Patience& patience) {
  JudgedPools judged;
  for (const auto& pool : pools) PoolJudge{pool, poll, patience, judged}.judge();
  return judged;
}

}  // namespace gleaner::updator
