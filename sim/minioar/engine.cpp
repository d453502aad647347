#include "sim/minioar/engine.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "sim/minioar/supervisor.hpp"

namespace gleaner::minioar {

using namespace std::chrono_literals;

tl::expected<void, std::string> Engine::open() {
  const auto& directory = options_.state_directory;
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) return tl::unexpected{fmt::format("cannot make the state directory {}: {}", directory, error.message())};
  auto log = Journal::append_to(directory + "/executions.log");
  if (!log) return tl::unexpected{log.error()};
  log_ = std::make_unique<Journal>(std::move(*log));
  auto ledger = Ledger::open(directory + "/journal", make_resources(options_.shape));
  if (!ledger) return tl::unexpected{ledger.error()};
  ledger_ = std::move(*ledger);
  std::filesystem::create_directories(run_directory(directory, ledger_->era()), error);
  if (error)
    return tl::unexpected{fmt::format("cannot make the directory {}: {}", run_directory(directory, ledger_->era()), error.message())};
  const auto unfinished = ledger_->unfinished();
  for (const auto id : unfinished) {
    if (auto& job = *ledger_->find(id); started(job.state)) recover(job);
  }
  return {};
}

void Engine::recover(Job& job) {
  if (job.state == JobState::finishing) return;
  if (job.missed != Missed::nothing && job.missed != Missed::running) return recover_ghost(job);
  switch (executor_.find(key_of(job))) {
    case Executor::Trace::alive:
      if (job.missed == Missed::nothing && (job.state == JobState::to_launch || job.state == JobState::launching))
        job.state = JobState::running;
      watch(job, Clock::from_time_t(job.start_time) + 1s);
      ledger_->save(job);
      if (job.fragged && ledger_->server().alive) send_kill(job);
      break;
    case Executor::Trace::over: {
      const auto ending = ending_of(job);
      if (ledger_->server().alive) {
        finish(job, ending, job.fragged);
      } else {
        miss_end(job, ending, job.fragged);
      }
      break;
    }
    case Executor::Trace::never_began:
      job.state = JobState::waiting;
      job.start_time = 0;
      job.resources.clear();
      job.moldable.reset();
      ledger_->save(job);
      if (job.fragged) frag(job, job.submission->user, date());
  }
}

void Engine::log(const std::string& line) { log_->add(line); }

void Engine::step(Clock::time_point now, std::vector<Execution>& orders) {
  for (const auto key : executor_.ended(now)) reap(key);
  if (!ledger_->server().alive) return;
  enforce_times(now);
  step_ghosts(now);
  const auto second = date_at(now);
  for (const auto id : ledger_->unfinished()) {
    const auto& job = *ledger_->find(id);
    const auto not_before = job.submission->not_before;
    if (not_before > date_at(last_pass_) && not_before <= second && job.state == JobState::waiting) dirty_ = true;
  }
  if (dirty_ && !draining_ && now - last_pass_ >= kPassInterval) {
    dirty_ = false;
    last_pass_ = now;
    schedule_pass(second);
  }
  launch_due(now, orders);
}

void Engine::note_walltime(Job& job, std::int64_t now) {
  ledger_->add_event(job, "WALLTIME",
                     words(dialect().over_walltime, fmt::arg("job", job.id), fmt::arg("start", job.start_time),
                           fmt::arg("walltime", job.walltime().value_or(0)), fmt::arg("now", now)),
                     now);
}

void Engine::note_kill(Job& job, std::int64_t now) {
  ledger_->add_event(job, "SEND_KILL_JOB", words(dialect().kill_sent, fmt::arg("node", first_node(job)), fmt::arg("job", job.id)), now);
}

void Engine::expire(Job& job, std::int64_t now) {
  ledger_->add_event(job, "FRAG_JOB_REQUEST", fmt::format("User root requested to frag the job {}", job.id), now);
  note_walltime(job, now);
  job.fragged = true;
  ledger_->save(job);
  carry_out_deletions();
}

void Engine::enforce_times(Clock::time_point now) {
  const auto second = date_at(now);
  for (auto& [id, running] : running_) {
    auto& job = *ledger_->find(id);
    if (running.checkpoint_at && *running.checkpoint_at <= now) {
      running.checkpoint_at.reset();
      signal_checkpoint(job, "sarko", second);
    }
    if (running.preempt_at && *running.preempt_at <= now) {
      running.preempt_at.reset();
      dirty_ = true;
    }
    if (!running.unseen && running.walltime_end && *running.walltime_end <= now && !running.kill_sent) expire(job, second);
  }
}

void Engine::schedule_pass(std::int64_t now) {
  std::vector<Holder> holders;
  std::vector<Candidate> normal;
  std::vector<Candidate> best_effort;
  for (const auto id : ledger_->unfinished()) {
    const auto& job = *ledger_->find(id);
    const auto& submission = *job.submission;
    if (started(job.state)) {
      holders.push_back({id, job.resources, job.start_time == 0 ? now : job.start_time,
                         std::max(now + 1, (job.start_time == 0 ? now : job.start_time) + job.walltime().value_or(0)),
                         submission.best_effort(), job.fragged});
      continue;
    }
    const bool blocked = std::any_of(submission.after.begin(), submission.after.end(), [&](JobNumber before) {
      const auto* other = ledger_->find(before);
      return other != nullptr && !over(other->state);
    });
    if (job.state != JobState::waiting || blocked || is_held(submission)) continue;
    (submission.best_effort() ? best_effort : normal)
        .push_back(
            {id, &submission.moldables, &submission.condition, submission.best_effort(), options_.groups_meet, submission.not_before});
  }
  std::ranges::stable_partition(normal, [](const Candidate& candidate) { return candidate.begins != 0; });
  for (const auto id : std::exchange(predicted_, {})) {
    if (auto& job = *ledger_->find(id); queued(job.state)) job.scheduled_start.reset();
  }
  normal.insert(normal.end(), best_effort.begin(), best_effort.end());
  const auto plan = schedule(now, ledger_->resources(), holders, normal, options_.wake_delay ? Absent::woken : Absent::out);
  for (const auto& start : plan.starts) begin(start, now);
  for (const auto& [id, time] : plan.predictions) {
    auto& job = *ledger_->find(id);
    job.scheduled_start = time;
    job.message = job.submission->message + " (Karma=0.000,quota_ok)";
    predicted_.push_back(id);
  }
  for (const auto id : plan.kills) preempt_for_local(*ledger_->find(id), now);
}

/// By its own date, whatever the clocks of the nodes are.
JobEnding Engine::ending_of(const Job& job) {
  auto ending = executor_.ending(key_of(job));
  if (!ending) return {.time = date()};
  ending->time = date_at(Clock::from_time_t(ending->time));
  return *ending;
}

void Engine::reap(JobKey key) {
  strays_.erase(key);
  const auto found = running_.find(key.id);
  if (found == running_.end() || key.era != ledger_->find(key.id)->era) return;
  const bool kill_sent = found->second.kill_sent;
  running_.erase(found);
  auto& job = *ledger_->find(key.id);
  if (ledger_->server().alive) {
    finish(job, ending_of(job), kill_sent);
  } else {
    miss_end(job, ending_of(job), kill_sent);
  }
}

void Engine::send_kill(Job& job) {
  if (const auto ghost = ghosts_.find(job.id); ghost != ghosts_.end()) {
    if (!ghost->second.killed_at) kill_ghost(job, ghost->second, now());
    return;
  }
  const auto found = running_.find(job.id);
  if (found == running_.end() || found->second.kill_sent) return;
  found->second.kill_sent = true;
  note_kill(job, date());
  executor_.kill(key_of(job), now());
}

std::string Engine::first_node(const Job& job) const {
  return job.resources.empty() ? std::string{} : ledger_->resources()[static_cast<std::size_t>(job.resources.front())].host;
}

}  // namespace gleaner::minioar
