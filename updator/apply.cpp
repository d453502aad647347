#include "updator/apply.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "lib/grid/exit_status.hpp"
#include "lib/grid/sink.hpp"
#include "lib/grid/spread.hpp"
#include "lib/store/clusters.hpp"
#include "lib/store/events.hpp"
#include "lib/store/policies.hpp"
#include "lib/store/stress.hpp"
#include "updator/classify.hpp"

namespace gleaner::updator {
namespace {

/// What happened to one campaign on this cluster in this poll.
struct Tally {
  int done = 0;
  int failed = 0;  ///< by the tasks' fault, or because the wrapper could not start them: the next ones would fail too
  int raised = 0;  ///< killed by a walltime that grows
  int failures_before = 0;
  grid::JobEnd last = grid::JobEnd::done;
  grid::JobId last_job{0};
  std::string cause;       ///< one sentence
  std::string message;     ///< the cause, with the last lines of stderr
};

std::string sentence_of(grid::JobEnd end, const store::LiveJob& job, const oar::RemoteJob& remote, const Consequence& consequence) {
  return end == grid::JobEnd::walltime ? describe_walltime(job, consequence) : describe_end(end, remote);
}

/// What the wrapper of a job says on stderr begins so.
constexpr std::string_view kWrapperSpeaks{"gleaner: "};

bool ran_nothing(const oar::RemoteJob& remote) { return oar::shell_status(remote.exit_status.value_or(0)) == grid::kRanNothing; }

std::string_view code_of(grid::JobEnd end) {
  if (end == grid::JobEnd::walltime) return "WALLTIME";
  if (end == grid::JobEnd::bad_request) return "BAD_REQUEST";
  return end == grid::JobEnd::node_failure ? "CANNOT_START" : "TASK_ERROR";
}

class Application {
 public:
  Application(store::Transaction& transaction, const fleet::Visit& visit, const Poll& poll)
      : transaction_{transaction}, visit_{visit}, poll_{poll}, now_{fleet::now()} {}

  void hear_wrappers(const std::vector<store::LiveJob>& live);
  void look_at(const store::LiveJob& job);
  Changes write();

 private:
  void look_at_end(const store::LiveJob& job, const oar::RemoteJob& remote);
  void look_at_state(const store::LiveJob& job, const oar::RemoteJob& remote);
  [[nodiscard]] bool follow(const store::LiveJob& job, const oar::JobDetails& details);
  /// Whether a job that ended with kRanNothing ran nothing indeed, and what follows from it.
  [[nodiscard]] bool is_duplicate(const store::LiveJob& job, const oar::RemoteJob& remote);
  /// Whether it was the wrapper that could not start the task (no room for the claim, no process).
  [[nodiscard]] bool wrapper_failed(const store::LiveJob& job, const oar::RemoteJob& remote) const;
  void end_duplicate(const store::LiveJob& job, const oar::RemoteJob& remote);
  void add_end(const store::LiveJob& job, const oar::RemoteJob& remote, grid::JobEnd end, Consequence consequence);
  void tally(const store::LiveJob& job, const oar::RemoteJob& remote, grid::JobEnd end, const Consequence& consequence);
  [[nodiscard]] RetryLimits limits() const { return {visit_.config.max_attempts, visit_.config.max_charged_attempts, visit_.config.walltime_retry_factor}; }
  void write_tallies();
  void brake_sinks();
  void sample_durations();
  void write_status();

  store::Transaction& transaction_;
  const fleet::Visit& visit_;
  const Poll& poll_;
  grid::Instant now_;
  std::vector<store::Observation> observations_;
  std::vector<store::Ending> endings_;
  std::vector<grid::JobId> starts_;  ///< that this poll saw, of jobs that may be over by now
  int ran_before_ = 0;               ///< jobs of ours that ran at the last poll
  std::map<grid::CampaignId, Tally> tallies_;
  std::set<grid::CampaignId> failing_wrappers_;  ///< campaigns whose jobs could not start their tasks
  Changes changes_;
};

void Application::look_at(const store::LiveJob& job) {
  if (job.state == grid::JobState::running) ++ran_before_;
  const auto found = poll_.ours.find(job.remote);
  if (found == poll_.ours.end()) {
    ++changes_.absent;
    return;
  }
  if (oar::is_over(found->second.state)) look_at_end(job, found->second);
  else look_at_state(job, found->second);
}

void Application::look_at_state(const store::LiveJob& job, const oar::RemoteJob& remote) {
  // Resources are given from toLaunch on, and counted as used by the cluster's status.
  const auto state = oar::holds_resources(remote.state) ? grid::JobState::running : grid::JobState::remote_waiting;
  if (remote.state == oar::RemoteState::to_error || remote.state == oar::RemoteState::unknown) return;
  const bool news = state != job.state || (state == grid::JobState::running && !job.resources && remote.resources);
  if (!news) return;
  store::Observation observation;
  observation.job = job.id;
  observation.state = state;
  observation.started_at = remote.started;
  if (state == grid::JobState::running) {
    if (job.state != grid::JobState::running) starts_.push_back(job.id);
    observation.resources = remote.resources;
    if (!observation.started_at) observation.started_at = poll_.began;
  }
  observations_.push_back(observation);
}

bool Application::follow(const store::LiveJob& job, const oar::JobDetails& details) {
  if (!details.resubmitted_as || job.kill_sent) return false;
  store::follow_job(transaction_, job.id, job.remote, *details.resubmitted_as);
  ++changes_.followed;
  return true;
}

bool Application::is_duplicate(const store::LiveJob& job, const oar::RemoteJob& remote) {
  if (remote.state != oar::RemoteState::terminated || !ran_nothing(remote)) return false;
  return job.resubmissions > 0 || !store::twins(transaction_, job).empty();
}

bool Application::wrapper_failed(const store::LiveJob& job, const oar::RemoteJob& remote) const {
  if (!ran_nothing(remote)) return false;
  const auto tail = poll_.stderr_tails.find(remote.id);
  if (tail == poll_.stderr_tails.end()) return failing_wrappers_.contains(job.campaign);
  return tail->second.starts_with(kWrapperSpeaks);
}

/// Only the first few words of a campaign's jobs are read: what they say goes for the others.
void Application::hear_wrappers(const std::vector<store::LiveJob>& live) {
  for (const auto& job : live) {
    const auto tail = poll_.stderr_tails.find(job.remote);
    const auto found = poll_.ours.find(job.remote);
    if (tail == poll_.stderr_tails.end() || found == poll_.ours.end()) continue;
    if (ran_nothing(found->second) && tail->second.starts_with(kWrapperSpeaks)) failing_wrappers_.insert(job.campaign);
  }
}

void Application::end_duplicate(const store::LiveJob& job, const oar::RemoteJob& remote) {
  constexpr auto kPlace = store::BagPlace::before_new;
  const auto others = store::twins(transaction_, job);
  const bool decided_elsewhere = std::ranges::any_of(others, [](const store::Twin& twin) {
    return twin.state != grid::JobState::error || (twin.end && *twin.end != grid::JobEnd::never_submitted);
  });
  if (decided_elsewhere || store::reopen_twin(transaction_, job)) {
    add_end(job, remote, grid::JobEnd::duplicate, {store::Outcome::keep, kPlace});
    return;
  }
  // Its own first run had the claim, and OAR ran it again after that run was cut: the attempt is spent.
  add_end(job, remote, grid::JobEnd::node_failure, consequence_of(grid::JobEnd::node_failure, Began::yes, job, limits()));
}

void Application::look_at_end(const store::LiveJob& job, const oar::RemoteJob& remote) {
  const auto details = poll_.details.find(job.remote);
  if (remote.state == oar::RemoteState::error && details == poll_.details.end()) return;  // its reason is not known yet
  if (details != poll_.details.end() && follow(job, details->second)) return;
  if (is_duplicate(job, remote)) return end_duplicate(job, remote);
  auto end = remote.state == oar::RemoteState::error
                 ? classify_error(details->second.events, job.kill_sent ? Deletion::ours : Deletion::none)
                 : classify_terminated(remote);
  if (end == grid::JobEnd::task_error && wrapper_failed(job, remote)) end = grid::JobEnd::node_failure;
  const auto consequence = consequence_of(end, remote.started ? Began::yes : Began::no, job, limits());
  add_end(job, remote, end, consequence);
  tally(job, remote, end, consequence);
}

void Application::add_end(const store::LiveJob& job, const oar::RemoteJob& remote, grid::JobEnd end, Consequence consequence) {
  store::Ending ending;
  ending.job = job.id;
  ending.end = end;
  ending.state = remote.state == oar::RemoteState::terminated ? grid::JobState::terminated
                 : end == grid::JobEnd::killed_by_us          ? grid::JobState::killed
                                                              : grid::JobState::error;
  ending.exit_status = remote.exit_status;
  ending.started_at = remote.started;
  ending.ended_at = remote.stopped;
  ending.resources = remote.resources;
  ending.outcome = consequence.outcome;
  ending.place = consequence.place;
  ending.walltime = consequence.walltime;
  if (job.state != grid::JobState::running && remote.started) starts_.push_back(job.id);
  if (end != grid::JobEnd::done) ending.message = sentence_of(end, job, remote, consequence);
  endings_.push_back(std::move(ending));
}

void Application::tally(const store::LiveJob& job, const oar::RemoteJob& remote, grid::JobEnd end, const Consequence& consequence) {
  auto& tally = tallies_[job.campaign];
  tally.failures_before = job.failures_in_a_row;
  if (end == grid::JobEnd::done) ++tally.done;
  const bool cannot_start = end == grid::JobEnd::node_failure && wrapper_failed(job, remote);
  if (grid::charge_of(end) != grid::Charge::task && !cannot_start) return;
  // A walltime that grows is told, and brakes nothing.
  if (consequence.walltime) ++tally.raised;
  else ++tally.failed;
  tally.last = end;
  const auto cause = fmt::format("task {}, job {} of OAR: {}", job.task.value(), remote.id.value(), sentence_of(end, job, remote, consequence));
  auto message = cause;
  const auto tail = poll_.stderr_tails.find(remote.id);
  if (tail != poll_.stderr_tails.end() && !tail->second.empty()) message += fmt::format("; its last lines of stderr:\n{}", tail->second);
  // The longest message tells most.
  if (message.size() >= tally.message.size()) {
    tally.last_job = job.id;
    tally.cause = cause;
    tally.message = std::move(message);
  }
}

void Application::write_tallies() {
  const auto& config = visit_.config;
  for (const auto& [campaign, tally] : tallies_) {
    const store::Target pair{.campaign = campaign, .cluster = visit_.cluster.id};
    if (tally.done > 0 && tally.failures_before > 0) store::clear_brake(transaction_, pair);
    if (tally.failed + tally.raised == 0) continue;
    store::open_event(transaction_, {.code = code_of(tally.last), .target = pair, .job = tally.last_job, .message = tally.message, .occurrences = tally.failed + tally.raised}, now_);
    if (tally.failed == 0) continue;
    const int in_a_row = tally.failed + (tally.done > 0 ? 0 : tally.failures_before);
    if (in_a_row < config.failures_before_brake) continue;
    const auto reason = fmt::format("{} jobs in a row failed there ({})", in_a_row, tally.cause);
    store::set_brake(transaction_, pair, reason,
                     {std::chrono::duration_cast<grid::Seconds>(config.brake_time), std::chrono::duration_cast<grid::Seconds>(config.brake_time_max)}, now_);
  }
}

/// Before it swallows more than a few tasks: a cluster of which nothing is known gets only a few.
void Application::brake_sinks() {
  const auto& config = visit_.config;
  for (const auto& suspect : store::suspects(transaction_, visit_.cluster.id, grid::kTellingEnds)) {
    if (!grid::is_sink(suspect.mean, suspect.min_duration, suspect.elsewhere)) continue;
    const store::Target pair{.campaign = suspect.campaign, .cluster = visit_.cluster.id};
    const auto against = suspect.min_duration && suspect.mean < *suspect.min_duration
                             ? fmt::format("the JDL's min_duration is {:g} s", *suspect.min_duration)
                             : fmt::format("they take {:.1f} s elsewhere", *suspect.elsewhere);
    const auto reason = fmt::format("the last {} jobs there ended without an error after {:.1f} s, and {}: they may have done nothing",
                                    suspect.ends, suspect.mean, against);
    store::open_event(transaction_, {.code = "SINK", .target = pair, .job = {}, .message = reason}, now_);
    store::set_brake(transaction_, pair, reason,
                     {std::chrono::duration_cast<grid::Seconds>(config.brake_time), std::chrono::duration_cast<grid::Seconds>(config.brake_time_max)}, now_);
    store::judged(transaction_, suspect.campaign, visit_.cluster.id);
  }
}

/// A few of the jobs that started, whether or not they are over: chosen without a look at how long they took. The jobs beside them are
/// those that ran before and all that started, so that their number does not depend on it either.
void Application::sample_durations() {
  constexpr std::size_t kMost = 4;
  const auto beside = ran_before_ + static_cast<int>(starts_.size());
  std::vector<grid::JobId> chosen;
  for (const auto place : grid::spread(starts_.size(), kMost)) chosen.push_back(starts_[place]);
  store::sample_durations(transaction_, visit_.cluster.id, chosen, beside);
}

void Application::write_status() {
  store::GridStatus status;
  status.cluster = visit_.cluster.id;
  status.time = poll_.began;
  status.reachable = true;
  status.max_resources = poll_.usable_resources.value_or(visit_.cluster.max_resources);
  status.api_latency_ms = poll_.latency_ms;
  status.stress = poll_.stress;
  status.response_ms = poll_.response_ms;
  for (const auto& job : poll_.occupying) {
    const int resources = job.resources.value_or(1);
    status.used += resources;
    if (job.is_best_effort()) status.used_besteffort += resources;
    if (poll_.ours.contains(job.id)) status.our_running += resources;
  }
  status.free = std::max(0, status.max_resources - status.used);
  status.our_waiting = static_cast<int>(std::lround(store::waiting_resources(transaction_, visit_.cluster.id)));
  if (poll_.usable_resources) store::record_resources(transaction_, visit_.cluster.id, *poll_.usable_resources, now_);
  store::record_status(transaction_, status);
  store::record_reached(transaction_, visit_.cluster.id, now_);
  if (!visit_.cluster.reachable.value_or(true))
    store::close_event(transaction_, "CLUSTER_UNREACHABLE", {.campaign = {}, .cluster = visit_.cluster.id}, now_);
}

Changes Application::write() {
  store::observe_jobs(transaction_, observations_);
  changes_.observed = static_cast<int>(observations_.size());
  changes_.ended = store::end_jobs(transaction_, endings_, now_);
  sample_durations();
  write_tallies();
  if (!endings_.empty()) brake_sinks();
  write_status();
  return changes_;
}

}  // namespace

Changes apply_poll(store::Transaction& transaction, const fleet::Visit& visit, const std::vector<store::LiveJob>& live, const Poll& poll) {
  Application application{transaction, visit, poll};
  application.hear_wrappers(live);
  for (const auto& job : live) application.look_at(job);
  return application.write();
}

}  // namespace gleaner::updator
