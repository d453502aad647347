#include "updator/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <map>
#include <utility>

#include "lib/grid/exit_status.hpp"
#include "lib/grid/task_outputs.hpp"
#include "updator/classify.hpp"
#include "updator/earlier_run.hpp"

namespace gleaner::updator {
namespace {

using grid::Witness;

const oar::RemoteJob* remote_of(const store::LiveJob& job, const Poll& poll) {
  const auto found = poll.ours.find(job.remote);
  return found == poll.ours.end() ? nullptr : &found->second;
}

const oar::JobDetails* details_of(const store::LiveJob& job, const Poll& poll) {
  const auto found = poll.details.find(job.remote);
  return found == poll.details.end() ? nullptr : &found->second;
}

const Reading* reading_of(const store::LiveJob& job, const Poll& poll) {
  const auto found = poll.evidence.find(job.fence);
  return found == poll.evidence.end() ? nullptr : &found->second;
}

/// Unread: not requested in this turn. Unreadable: the request failed.
grid::Evidence evidence_of(const store::LiveJob& job, const Poll& poll) {
  const auto* const reading = reading_of(job, poll);
  if (reading == nullptr || poll.unread.contains(job.id)) return {};
  return *reading && !poll.unreadable.contains(job.id)
             ? (*reading)->of({.task = job.task, .attempt = job.attempt, .job = job.id, .remote = job.remote})
             : grid::Evidence{.witness = Witness::unreadable};
}

bool is_read(const grid::Evidence& evidence) { return evidence.witness != Witness::unread && evidence.witness != Witness::unreadable; }

bool is_of_earlier_run(const grid::Evidence& evidence) { return evidence.witness == Witness::started && evidence.earlier; }

/// Whether OAR gave up a launch that began all the same. The first run may continue, and OAR reports nothing more about it; a second run of
/// the job may have found the claim of the first. A carrier may continue after the end of its own task, too. Files that cannot be read may
/// show such a claim: the status of a run that executed nothing says that there may be another one.
bool may_run_on(const store::LiveJob& job, const grid::RemoteEnd& known, const grid::Evidence& evidence, const oar::JobDetails* details) {
  const bool unreadable = evidence.witness == Witness::unreadable;
  if (unreadable && known.record == grid::Record::exited && known.status == grid::kRanNothing) return true;
  const bool goes_on = job.carries && evidence.witness == Witness::ended;
  const bool began = goes_on || unreadable || evidence.witness == Witness::started;
  return is_of_earlier_run(evidence) || (goes_on && evidence.earlier) || (began && details != nullptr && gave_up_launch(details->events));
}

bool is_starting(const oar::RemoteJob& remote) {
  return remote.state == oar::RemoteState::to_launch || remote.state == oar::RemoteState::launching;
}

bool is_due(std::optional<grid::Instant> since, grid::Instant now, grid::Seconds wait) { return now - since.value_or(now) >= wait; }

/// Whether OAR noted that the job stopped, and not how. If OAR's server dies at that moment, the job stays Finishing for ever.
bool has_only_stopped(const oar::RemoteJob& remote) {
  return remote.state == oar::RemoteState::finishing && remote.stopped && !remote.exit_status;
}

/// OAR says Finishing, too, when it gives up a node that does not answer, and the job's processes may run on there. So it has its walltime.
bool is_over(const store::LiveJob& job, const oar::RemoteJob& remote, grid::Instant now, const Patience& patience) {
  return oar::is_over(remote) || (has_only_stopped(remote) && is_due(job.over_since, now, std::max(job.walltime, patience.launch)));
}

grid::Deletion deletion_of(const store::LiveJob& job) {
  if (!job.kill_sent) return grid::Deletion::none;
  if (job.kill_reason == "impatient") return grid::Deletion::impatient;
  return job.kill_reason == "overdue" ? grid::Deletion::overdue : grid::Deletion::ours;
}

/// The end as far as it is known without the details of an error.
grid::RemoteEnd known_end(const store::LiveJob& job, const oar::RemoteJob& remote, const oar::JobDetails* details) {
  auto end = remote_end(remote, details).value_or(grid::RemoteEnd{.record = grid::Record::failed, .started = remote.started.has_value()});
  end.again = job.resubmissions > 0;
  return end;
}

/// Whether the job itself noted how its command ended; then OAR's cause does not matter.
bool noted_its_end(const grid::Evidence& evidence) {
  if (evidence.witness != Witness::ended) return false;
  const auto end = grid::end_of({.record = grid::Record::failed, .started = true}, evidence, grid::Deletion::none);
  return end != grid::JobEnd::node_failure;
}

/// Whether these notes are all that is needed. A carrier may have gone on with other tasks, and OAR alone knows its end.
bool ended_with_its_note(const store::LiveJob& job, const grid::Evidence& evidence) { return !job.carries && noted_its_end(evidence); }

/// Whether OAR may have submitted another in its place: of a type that it submits again, after a failed launch, a preemption, or an exit
/// status of 99.
bool may_be_resent(const oar::RemoteJob& remote) {
  constexpr int kSubmitAgain = 99;
  return remote.state == oar::RemoteState::error || (remote.exit_status && oar::shell_status(*remote.exit_status) == kSubmitAgain);
}

/// The same for a job that OAR does not list. A carrier that noted the end of its own task may have gone on with others, for as long as its
/// walltime lets it.
bool is_over_by_itself(const store::LiveJob& job, const grid::Evidence& evidence, grid::Instant now) {
  return noted_its_end(evidence) && (!job.carries || is_due(job.absent_since, now, job.walltime));
}

/// How long OAR has been about to start the job. Empty: it is not in launch, or its deletion is requested.
std::optional<grid::Instant::duration> in_launch(const store::LiveJob& job, const oar::RemoteJob& remote, grid::Instant now) {
  if (!is_starting(remote) || !job.kill_reason.empty() || !job.launching_since) return std::nullopt;
  return now - *job.launching_since;
}

bool may_be_impatient(const store::LiveJob& job, const oar::RemoteJob& remote, grid::Instant now, const Patience& patience) {
  return in_launch(job, remote, now) >= patience.launch;
}

/// OAR enforces no walltime before the state Running, although the command may already run.
bool is_overdue(const store::LiveJob& job, const oar::RemoteJob& remote, grid::Instant now, const Patience& patience) {
  return in_launch(job, remote, now) >= patience.launch + job.walltime;
}

/// Why evidence is read. Ends of jobs are read before beginnings.
enum class Need { end, beginning };

/// Why a job's evidence is read, and since when it has been needed; the lesser one is more urgent.
struct Want {
  Need need = Need::end;
  grid::Instant since = {};
  auto operator<=>(const Want&) const = default;  // NOLINT(modernize-use-nullptr): clang-tidy 14 finds its own 0 there
};

/// Empty: the job's evidence is not to be read in this turn.
std::optional<Want> need_of_evidence(const store::LiveJob& job, const Poll& poll, const Patience& patience) {
  const auto now = poll.began;
  if (poll.reused.contains(job.remote)) return Want{.since = job.absent_since.value_or(now)};
  const auto* const remote = remote_of(job, poll);
  if (remote == nullptr) return poll.usable_resources && job.absent_since ? std::optional{Want{.since = now}} : std::nullopt;
  if (may_be_impatient(job, *remote, now, patience)) return Want{Need::beginning, job.launching_since.value_or(now)};
  if (!is_over(job, *remote, now, patience)) return std::nullopt;
  const auto known = known_end(job, *remote, details_of(job, poll));
  if (!grid::needs_evidence(known)) return std::nullopt;
  // An exit status needs the mark alone that the job made when it began. Other ends may be noted late.
  const bool is_early = known.record != grid::Record::exited && !is_due(job.over_since, now, patience.delay);
  // A job without resources was most probably deleted while it waited; its details show this.
  const bool most_probably_waited = remote->state == oar::RemoteState::error && !remote->started && !job.over_since;
  return is_early || most_probably_waited ? std::nullopt : std::optional{Want{.since = job.over_since.value_or(now)}};
}

/// Whether OAR recorded an exit status although the wrapper did not begin the attempt: a shell ended before it, or it could not.
bool ended_before_its_command(const store::LiveJob& job, const oar::RemoteJob& remote, const grid::Evidence& evidence) {
  if (remote.state == oar::RemoteState::error || !remote.exit_status) return false;
  const auto end = grid::end_of(known_end(job, remote, nullptr), evidence, grid::Deletion::none);
  return end == grid::JobEnd::cannot_start || end == grid::JobEnd::never_began;
}

/// Whether a job that is over, and whose evidence was read, failed by itself.
bool failed_by_itself(const store::LiveJob& job, const oar::RemoteJob& remote, const grid::Evidence& evidence) {
  if (remote.state == oar::RemoteState::error) return noted_its_end(evidence) && evidence.status != 0;
  const auto end = grid::end_of(known_end(job, remote, nullptr), evidence, grid::Deletion::none);
  return end == grid::JobEnd::task_error || end == grid::JobEnd::bad_request || ended_before_its_command(job, remote, evidence);
}

/// OAR's file has what was reported before the command began; in the home, and without an output directory, it is the task's too.
std::string stderr_of(const store::LiveJob& job, const oar::RemoteJob& remote, const grid::Evidence& evidence) {
  const bool is_oars = job.output_directory.empty() && grid::is_home(job.exec_directory);
  return is_oars || ended_before_its_command(job, remote, evidence) || evidence.no_folder ? remote.stderr_path
                                                                                          : stderr_path_of(job, remote.id);
}

class Judge {
 public:
  Judge(const Poll& poll, const Patience& patience) : poll_{poll}, patience_{patience} {}

  void judge_job(const store::LiveJob& job);
  Judged take() { return std::move(judged_); }

 private:
  void judge_absent(const store::LiveJob& job);
  void judge_reused(const store::LiveJob& job);
  void judge_end(const store::LiveJob& job, const oar::RemoteJob& remote);
  void judge_state(const store::LiveJob& job, const oar::RemoteJob& remote);
  void judge_launch(const store::LiveJob& job, const oar::RemoteJob& remote);
  void note_waits(const store::LiveJob& job, const store::Waits& waits);
  void add_end(const store::LiveJob& job, const oar::RemoteJob* remote, const grid::RemoteEnd& record, const grid::Evidence& evidence) {
    add_end(job, remote, record, evidence, details_of(job, poll_));
  }
  void add_end(const store::LiveJob& job, const oar::RemoteJob* remote, const grid::RemoteEnd& record, const grid::Evidence& evidence,
               const oar::JobDetails* details);

  /// How long its files may stay unreadable. While the cluster takes no token of its user, nothing else of that user starts there either,
  /// so that nothing is gained by an attempt more; a job that is to be killed anyway is not waited for so long.
  [[nodiscard]] grid::Seconds patience_for_files(const store::LiveJob& job) const {
    const bool waits_for_user = poll_.without_identity.contains(job.login) && job.kill_reason.empty();
    return waits_for_user ? std::max(patience_.identity, patience_.evidence) : patience_.evidence;
  }

  const Poll& poll_;
  const Patience& patience_;
  Judged judged_;
};

void Judge::note_waits(const store::LiveJob& job, const store::Waits& waits) {
  if (waits.absent == job.absent_since && waits.over == job.over_since && waits.launching == job.launching_since) return;
  judged_.waits.push_back(waits);
}

void Judge::add_end(const store::LiveJob& job, const oar::RemoteJob* remote, const grid::RemoteEnd& record, const grid::Evidence& evidence,
                    const oar::JobDetails* details) {
  Over over{.job = job.id, .campaign = job.campaign, .record = record, .evidence = evidence, .deletion = deletion_of(job)};
  over.end = grid::end_of(record, evidence, over.deletion);
  if (job.carries && evidence.witness == Witness::ended) over.run_end = grid::end_of(record, {.witness = Witness::started}, over.deletion);
  over.live = &job;
  over.remote = remote;
  over.without_identity = poll_.without_identity.contains(job.login);
  if (details != nullptr) {
    over.checkpoint = checkpoint_of(details->events);
    over.cluster_words = words_of(details->events);
  }
  if (const auto* const reading = reading_of(job, poll_); reading != nullptr && *reading) over.beside = &**reading;
  judged_.over.push_back(over);
  if (remote != nullptr && remote->started && job.state != grid::JobState::running) judged_.starts.push_back(job.id);
}

/// Only its files can show its end. Without an end in them the job keeps its state: absence is never treated as an end.
void Judge::judge_absent(const store::LiveJob& job) {
  if (const auto evidence = evidence_of(job, poll_); is_over_by_itself(job, evidence, poll_.began))
    return add_end(job, nullptr, {.record = grid::Record::forgotten, .started = true}, evidence);
  ++judged_.absent;
  note_waits(job,
             {.job = job.id, .absent = job.absent_since.value_or(poll_.began), .over = job.over_since, .launching = job.launching_since});
}

void Judge::judge_reused(const store::LiveJob& job) {
  const auto evidence = evidence_of(job, poll_);
  if (is_over_by_itself(job, evidence, poll_.began))
    return add_end(job, nullptr, {.record = grid::Record::forgotten, .started = true}, evidence);
  if (is_read(evidence) || (job.absent_since && poll_.began - *job.absent_since >= patience_.evidence)) {
    judged_.reused.push_back({job.id, job.campaign, job.remote});
    return;
  }
  note_waits(job,
             {.job = job.id, .absent = job.absent_since.value_or(poll_.began), .over = job.over_since, .launching = job.launching_since});
}

void Judge::judge_end(const store::LiveJob& job, const oar::RemoteJob& remote) {
  const auto* const details = details_of(job, poll_);
  auto evidence = evidence_of(job, poll_);
  if (details != nullptr && details->resubmitted_as && !ended_with_its_note(job, evidence)) {
    judged_.followed.push_back({job.id, job.remote, *details->resubmitted_as});
    return;
  }
  const auto waits = store::Waits{.job = job.id, .absent = {}, .over = job.over_since.value_or(poll_.began), .launching = {}};
  const auto record = remote_end(remote, details);
  // Where files cannot be read, the details are requested only after a patience of their own (errors_to_explain): one request that fails
  // then is no answer. OAR may have submitted the job again, which they alone show.
  const auto patience = is_read(evidence) ? patience_.evidence : 2 * patience_for_files(job);
  const bool never_explained = poll_.unexplained.contains(job.remote) && is_due(job.over_since, poll_.began, patience);
  if (!record && !ended_with_its_note(job, evidence) && !never_explained)
    return note_waits(job, waits);  // the cause of its error is not known yet
  const auto known = known_end(job, remote, details);
  // Files may appear late on a network file system, so evidence read early may miss some. A mark with OAR's exit status misses nothing.
  const bool may_be_behind =
      evidence.witness == Witness::nothing || (evidence.witness == Witness::started && !grid::status_of(known, evidence));
  const bool too_early = may_be_behind && !is_due(job.over_since, poll_.began, patience_.delay);
  if (grid::needs_evidence(known) && (too_early || !is_read(evidence))) {
    const bool given_up = evidence.witness == Witness::unreadable && is_due(job.over_since, poll_.began, patience_for_files(job));
    if (!given_up) return note_waits(job, waits);
  }
  // This run found the claim of an earlier one, and executed nothing: that one's record decides, at once.
  if (const auto* const earlier = record_of_earlier_run(job, evidence, poll_)) {
    auto end = known_end(job, earlier->job, earlier);
    end.started = true;
    evidence.earlier = false;
    return add_end(job, &remote, end, evidence, earlier);
  }
  // OAR applies no walltime to a run that it gave up, so that the run may take longer, as one that OAR keeps in launch (is_overdue). Where
  // the files cannot be read, its end may be noted there: the patience to read them begins when the end must have come.
  const auto longest = job.walltime + patience_.launch + (is_read(evidence) ? grid::Seconds{0} : patience_for_files(job));
  if (grid::needs_evidence(known) && may_run_on(job, known, evidence, details) && !is_due(job.over_since, poll_.began, longest))
    return note_waits(job, waits);
  if (may_be_resent(remote) && (details == nullptr || details->resubmitted_as)) judged_.perhaps_resent.push_back(job.id);
  add_end(job, &remote, known, evidence);
}

/// The command's state decides how long OAR may keep the job in launch. If the evidence cannot be read, the job gets its walltime and is
/// not charged. If OAR runs a job again after an earlier run claimed the attempt, the new run executes nothing.
void Judge::judge_launch(const store::LiveJob& job, const oar::RemoteJob& remote) {
  const auto evidence = evidence_of(job, poll_);
  const bool overdue = is_overdue(job, remote, poll_.began, patience_);
  const bool runs = evidence.witness == Witness::started && !is_of_earlier_run(evidence);
  const bool runs_or_may = runs || !is_read(evidence);
  if (overdue && runs) judged_.overdue.push_back(job.id);
  else if (overdue || (!runs_or_may && may_be_impatient(job, remote, poll_.began, patience_))) judged_.impatient.push_back(job.id);
}

void Judge::judge_state(const store::LiveJob& job, const oar::RemoteJob& remote) {
  if (remote.state == oar::RemoteState::to_error || remote.state == oar::RemoteState::unknown) return;
  note_waits(job, {.job = job.id,
                   .absent = {},
                   .over = has_only_stopped(remote) ? std::optional{job.over_since.value_or(poll_.began)} : std::nullopt,
                   .launching = is_starting(remote) ? std::optional{job.launching_since.value_or(poll_.began)} : std::nullopt});
  judge_launch(job, remote);
  // From toLaunch on the job holds resources, and the cluster's status counts them as used.
  const auto state = oar::holds_resources(remote.state) ? grid::JobState::running : grid::JobState::remote_waiting;
  const bool news = state != job.state || (state == grid::JobState::running && !job.resources && remote.resources);
  if (!news) return;
  store::Observation observation{.job = job.id, .state = state, .started_at = remote.started, .resources = {}, .seen = poll_.began};
  if (observation.started_at) observation.started_at = std::min(*observation.started_at, poll_.began);  // OAR's clock may be ahead
  if (state == grid::JobState::running) {
    if (job.state != grid::JobState::running) judged_.starts.push_back(job.id);
    observation.resources = remote.resources;
    if (!observation.started_at) observation.started_at = poll_.began;
  }
  judged_.observations.push_back(observation);
}

void Judge::judge_job(const store::LiveJob& job) {
  if (job.state == grid::JobState::running) ++judged_.ran_before;
  if (poll_.reused.contains(job.remote)) return judge_reused(job);
  const auto* const remote = remote_of(job, poll_);
  if (remote == nullptr) return judge_absent(job);
  if (job.state != grid::JobState::running && poll_.renamed.contains(job.remote))
    judged_.renamed.push_back({job.id, job.campaign, job.remote, job.tag, remote->name});
  if (is_over(job, *remote, poll_.began, patience_)) judge_end(job, *remote);
  else judge_state(job, *remote);
}

}  // namespace

Patience Patience::of(const process::Config& config) {
  const auto seconds = [](process::Duration duration) { return std::chrono::duration_cast<grid::Seconds>(duration); };
  return {seconds(config.launch_patience), seconds(config.evidence_patience), seconds(config.evidence_delay)};
}

std::string stderr_path_of(const store::LiveJob& job, grid::RemoteJobId carrier) {
  if (job.output_directory.empty()) {
    const auto pooled = job.state == grid::JobState::pooled ? std::optional{job.task} : std::nullopt;
    return fmt::format("{}/{}", grid::media_folder(job.exec_directory, job.login),
                       grid::stream_name(job.campaign, carrier, pooled, grid::OutputKind::standard_error));
  }
  const grid::TaskOutput output{.task = job.task.value(), .attempt = job.attempt, .kind = grid::OutputKind::standard_error};
  return fmt::format("{}/{}", grid::media_folder(grid::output_folder(job.output_directory, output.task), job.login),
                     grid::output_name(output));
}

std::vector<FenceToRead> fences_to_read(std::span<const store::LiveJob> live, const Poll& poll, const Patience& patience) {
  struct Wanted {
    Want want;
    FenceToRead fence;
    int turn = 0;  ///< position among the fences of its login
  };
  std::map<grid::LaunchId, Wanted> wanted;
  for (const auto& job : live) {
    const auto want = need_of_evidence(job, poll, patience);
    if (!want) continue;
    const auto [known, is_new] =
        wanted.try_emplace(job.fence, Wanted{*want, {job.login, job.campaign, job.fence, job.fence == job.launch ? job.pool_files : 0}});
    if (!is_new) known->second.want = std::min(known->second.want, *want);
  }
  std::vector<Wanted> sorted;
  for (auto& [fence, one] : wanted) sorted.push_back(std::move(one));
  std::ranges::stable_sort(sorted, {}, &Wanted::want);
  std::map<std::pair<Need, std::string>, int> turns;
  for (auto& one : sorted) one.turn = turns[{one.want.need, one.fence.login}]++;
  std::ranges::stable_sort(sorted, {}, [](const Wanted& one) { return std::pair{one.want.need, one.turn}; });
  std::vector<FenceToRead> fences;
  for (auto& one : sorted) fences.push_back(std::move(one.fence));
  return fences;
}

std::map<grid::LaunchId, std::vector<oar::RunOf>> runs_to_read(std::span<const store::LiveJob> live, const Poll& poll,
                                                               const Patience& patience) {
  std::map<grid::LaunchId, std::vector<oar::RunOf>> runs;
  for (const auto& job : live) {
    if (need_of_evidence(job, poll, patience))
      runs[job.fence].push_back({.task = job.task, .attempt = job.attempt, .job = job.id, .remote = job.remote});
  }
  return runs;
}

std::vector<TailToRead> tails_to_read(std::span<const store::LiveJob> live, const Poll& poll) {
  std::vector<TailToRead> tails;
  std::map<grid::CampaignId, int> failed;
  for (const auto& job : live) {
    const auto* const remote = remote_of(job, poll);
    if (remote == nullptr || !oar::is_over(*remote) || remote->stderr_path.empty()) continue;
    const auto evidence = evidence_of(job, poll);
    if (is_read(evidence) && failed_by_itself(job, *remote, evidence) && ++failed[job.campaign] <= kTailsPerCampaign)
      tails.push_back({job.id, job.login, stderr_of(job, *remote, evidence)});
  }
  return tails;
}

std::vector<oar::JobOf> errors_to_explain(std::span<const store::LiveJob> live, const Poll& poll, const Patience& patience) {
  std::vector<oar::JobOf> asked;
  for (const auto& job : live) {
    const auto* const remote = remote_of(job, poll);
    if (remote == nullptr) continue;
    if (is_over(job, *remote, poll.began, patience)) {
      const auto shown = evidence_of(job, poll);
      const auto earlier = ended_with_its_note(job, shown) ? std::nullopt : earlier_run_of(job, shown, poll);
      if (earlier) asked.push_back({job.login, *earlier});
    }
    const bool is_to_explain =
        remote->state == oar::RemoteState::error || (has_only_stopped(*remote) && is_over(job, *remote, poll.began, patience));
    if (!is_to_explain) continue;
    const auto evidence = evidence_of(job, poll);
    // The cause is of no use without the evidence, unless the job was deleted while it waited.
    const bool is_of_use = is_read(evidence) || !remote->started ||
                           (evidence.witness == Witness::unreadable && is_due(job.over_since, poll.began, patience.evidence));
    if (is_of_use && !ended_with_its_note(job, evidence)) asked.push_back({job.login, job.remote});
  }
  return asked;
}

Judged judge(std::span<const store::LiveJob> live, const Poll& poll, const Patience& patience) {
  Judge judge{poll, patience};
  for (const auto& job : live) judge.judge_job(job);
  return judge.take();
}

}  // namespace gleaner::updator
