#include "lib/grid/launch_fate.hpp"

#include <algorithm>
#include <map>

namespace gleaner::grid {
namespace {

bool is_settled(TaskState state) { return state == TaskState::done || state == TaskState::failed || state == TaskState::cancelled; }

}  // namespace

LaunchStep to_begin(const PlannedLaunch& launch) {
  const bool is_wanted = launch.campaign == CampaignState::in_treatment && !launch.has_cancelled_task;
  return launch.cluster_usable && is_wanted ? LaunchStep::go_on : LaunchStep::give_back;
}

LaunchStep to_send(const Intent& intent) {
  // A runner that found the launch in this state searches for its jobs by now, or has declared it void: jobs sent now would be orphans.
  if (!intent.own_term || intent.state != LaunchState::launching) return LaunchStep::leave;
  if (intent.campaign != CampaignState::in_treatment || intent.age > kSendPatience) return LaunchStep::give_back;
  return LaunchStep::go_on;
}

AfterPost after_post(PostAnswer answer) {
  switch (answer) {
    case PostAnswer::accepted: return {.state = LaunchState::accepted};
    case PostAnswer::refused: return {.state = LaunchState::refused, .gives_back = true, .brakes = true};
    case PostAnswer::not_sent: return {.state = LaunchState::void_, .gives_back = true, .cluster_usable = false};
    case PostAnswer::lost: break;
  }
  return {.state = LaunchState::unknown, .cluster_usable = false};
}

int attempt_after_release(const TaskFacts& task) { return std::max(task.attempt, task.replica.value_or(0)) + 1; }

Settlement settle_unsubmitted(const TaskFacts& task, const JobFacts& job, const Unsubmitted& launch, const Limits& limits) {
  auto next = settle(task, job, JobEnd::never_submitted, Deletion::none, limits);
  if (!next.moves || !next.bound) return next;
  if (launch.sent == Sent::never && !launch.fenced && !job.orphan_may_come) {
    next.bound = false;
    next.kept = job.checkpoints && job.has_checkpoint;
    if (next.kept) next.place = BagPlace::first;
  } else if (launch.replicas_allowed) {
    next.bound = false;
    next.attempt = attempt_after_release(task);
    next.counted = false;
  }
  return next;
}

bool to_look(const Search& search) {
  if (!search.sent) return false;
  if (search.state == LaunchState::unknown) return true;
  if (search.state != LaunchState::void_ || !search.since_settled || *search.since_settled >= kOrphanWatch) return false;
  return !search.since_look || *search.since_look >= kOrphanPeriod;
}

std::vector<FoundJob> found_of(std::span<const ListedJob> listed, const SubmittedAs& launch, CampaignId campaign) {
  struct Best {
    const ListedJob* job;
    JobIdentity identity;
    bool again = false;
  };
  std::map<JobId, Best> best;
  for (const auto& job : listed) {
    const auto identity = identity_in(job.as, launch);
    if (!identity || identity->campaign != campaign) continue;
    const auto [known, is_new] = best.try_emplace(identity->job, Best{&job, *identity});
    if (is_new) continue;
    auto& one = known->second;
    one.again = true;
    const bool counts = job.over == one.job->over ? job.id > one.job->id : !job.over;
    if (counts) one = {&job, *identity, true};
  }
  std::vector<FoundJob> found;
  for (const auto& [id, one] : best) found.push_back({id, one.job->id, one.identity, one.again});
  return found;
}

LaunchState fate_of(const Looked& looked, const LookPatience& patience) {
  if (looked.missing <= 0) return LaunchState::accepted;
  if (looked.state != LaunchState::unknown) return looked.state;
  const bool in_vain = looked.looks >= patience.looks && looked.healthy && *looked.healthy >= patience.delay;
  return in_vain ? LaunchState::void_ : LaunchState::unknown;
}

bool void_brakes(int voids) { return voids >= 2; }

Adoption adoption_of(const TaskFacts& task, int attempt) {
  if (is_settled(task.state) || !is_copy(task, attempt)) return {.moves = false, .late = true};
  return {.moves = task.state == TaskState::waiting || task.state == TaskState::launching, .late = false};
}

bool is_reopened(LaunchState state, Sent sent) {
  return sent == Sent::maybe && (state == LaunchState::void_ || state == LaunchState::unknown);
}

std::optional<Release> release_of(const BoundTasks& tasks, std::chrono::microseconds release_after) {
  if (tasks.replicas_allowed) return Release::replicas;
  if (tasks.retired) return Release::retired;
  if (release_after.count() > 0 && tasks.waited >= release_after) return Release::waited;
  return std::nullopt;
}

bool may_be_removed(const FolderFacts& folder) {
  if (folder.in_use) return false;
  if (folder.state != LaunchState::accepted && folder.state != LaunchState::refused && folder.state != LaunchState::void_) return false;
  if (folder.state == LaunchState::void_ && (!folder.since_settled || *folder.since_settled < kOrphanWatch)) return false;
  return !folder.since_never_began || *folder.since_never_began >= kOrphanWatch;
}

}  // namespace gleaner::grid
