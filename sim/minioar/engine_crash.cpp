#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "sim/minioar/engine.hpp"
#include "sim/minioar/supervisor.hpp"

/// The failures of a real OAR when its server dies, and when it starts again.
namespace gleaner::minioar {

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::system_clock;

constexpr Clock::duration kLongestWait = 900s;  ///< longest time of oarexec between two reports of an end

bool has_event(const Job& job, std::string_view type, std::int64_t until) {
  return std::any_of(job.events.begin(), job.events.end(), [&](const Event& event) { return event.type == type && event.date <= until; });
}

}  // namespace

void Engine::server_dies(const ServerState& dead) {
  const std::lock_guard lock{mutex_};
  auto state = dead;
  state.alive = false;
  ledger_->set_server(state);
}

void Engine::server_starts() {
  const std::lock_guard lock{mutex_};
  if (ledger_->server().alive) return;
  auto state = ledger_->server();
  state.alive = true;
  ledger_->set_server(state);
  const auto now = this->now();
  for (auto& [id, ghost] : ghosts_) {
    // Reports were not received meanwhile.
    while (ghost.reports_at && *ghost.reports_at <= now) {
      *ghost.reports_at += ghost.next_wait;
      ghost.next_wait = std::min(2 * ghost.next_wait, kLongestWait);
    }
  }
  // Deletions requested meanwhile are handled with the next one.
  dirty_ = true;
  wake();
}

bool Engine::server_lives() {
  const std::lock_guard lock{mutex_};
  return ledger_->server().alive;
}

void Engine::spoil_launches(LaunchFate fate, int count) {
  const std::lock_guard lock{mutex_};
  if (count == 0) fates_.clear();
  fates_.insert(fates_.end(), static_cast<std::size_t>(std::max(count, 0)), fate);
}

void Engine::lose_exit_codes(int count) {
  const std::lock_guard lock{mutex_};
  exit_codes_to_lose_ += std::max(count, 0);
}

void Engine::rename_jobs(const std::string& name) {
  const std::lock_guard lock{mutex_};
  name_of_jobs_ = name;
}

void Engine::hold_starts(const std::string& prefix) {
  const std::lock_guard lock{mutex_};
  held_.push_back(prefix);
}

void Engine::release_starts(const std::string& prefix) {
  {
    const std::lock_guard lock{mutex_};
    std::erase(held_, prefix);
    dirty_ = true;
    wake();
  }
  if (!processes_) return;
  const auto is_starting = [&] {
    const std::lock_guard lock{mutex_};
    return dirty_ || !launches_.empty() || std::any_of(ledger_->unfinished().begin(), ledger_->unfinished().end(), [&](JobNumber id) {
             const auto& job = *ledger_->find(id);
             return job.missed == Missed::nothing && (job.state == JobState::to_launch || job.state == JobState::launching);
           });
  };
  for (const auto end = Clock::now() + 5s; is_starting() && Clock::now() < end;) std::this_thread::sleep_for(2ms);
}

bool Engine::is_held(const Submission& submission) const {
  return std::any_of(held_.begin(), held_.end(),
                     [&](const std::string& prefix) { return submission.name.value_or("").starts_with(prefix); });
}

void Engine::haunt(Job& job, Missed missed, Clock::time_point since) {
  job.missed = missed;
  ledger_->save(job);
  Ghost ghost;
  if (const auto walltime = job.walltime(); walltime && job.state == JobState::running)
    ghost.walltime_end = moment_of(job.start_time) + std::chrono::seconds{*walltime} + 1s;
  if (missed == Missed::end) {
    ghost.next_wait = std::max<Clock::duration>(ledger_->server().report_again, 1ms);
    ghost.reports_at = since + ghost.next_wait;
    ghost.next_wait *= 2;
  }
  ghosts_.insert_or_assign(job.id, ghost);
}

void Engine::miss_end(Job& job, const JobEnding& ending, bool kill_sent) {
  const auto& server = ledger_->server();
  if (server.ends == EndsMeanwhile::finishing) {
    job.state = JobState::finishing;
    job.stop_time = ending.time;
    if (ending.kind == JobEnding::Kind::exited && !kill_sent) job.exit_code = ending.wait_status;
    ledger_->save(job);
    executor_.remove(key_of(job));
    return;
  }
  haunt(job, server.ends == EndsMeanwhile::lost ? Missed::end_lost : Missed::end, now());
  ghosts_.at(job.id).was_killed = kill_sent;
}

void Engine::recover_ghost(Job& job) {
  const auto ending = executor_.ending(key_of(job));
  const auto now = this->now();
  haunt(job, job.missed, ending ? Clock::from_time_t(ending->time) : now);
  auto& ghost = ghosts_.at(job.id);
  ghost.was_killed = ending && has_event(job, "SEND_KILL_JOB", ending->time);
  while (ghost.reports_at && *ghost.reports_at <= now) {
    *ghost.reports_at += ghost.next_wait;
    ghost.next_wait = std::min(2 * ghost.next_wait, kLongestWait);
  }
  if (job.fragged && ledger_->server().alive) kill_ghost(job, ghost, now);
}

void Engine::step_ghosts(Clock::time_point now) {
  std::vector<JobNumber> ids;
  for (const auto& [id, ghost] : ghosts_) ids.push_back(id);
  for (const auto id : ids) {
    auto& ghost = ghosts_.at(id);
    auto& job = *ledger_->find(id);
    if (ghost.reports_at && *ghost.reports_at <= now) {
      auto ending = executor_.ending(key_of(job)).value_or(JobEnding{});
      ending.time = date_at(now);  // OAR's date is that of the report
      const bool was_killed = ghost.was_killed;
      ghosts_.erase(id);
      finish(job, ending, was_killed);
      continue;
    }
    if (ghost.walltime_end && *ghost.walltime_end <= now && !ghost.killed_at) expire(job, date_at(now));
    if (ghost.killed_at && *ghost.killed_at + options_.exterminate_after * ghost.kills / 2 <= now) {
      if (ghost.kills < 2) {
        kill_ghost(job, ghost, now);
      } else {
        exterminate(job, date_at(now));
      }
    }
  }
}

/// The signal finds no process, or one that ignores it.
void Engine::kill_ghost(Job& job, Ghost& ghost, Clock::time_point now) {
  if (!ghost.killed_at) ghost.killed_at = now;
  ++ghost.kills;
  const auto second = date_at(now);
  if (ghost.kills > 1 && ghost.walltime_end && *ghost.walltime_end <= now) note_walltime(job, second);
  note_kill(job, second);
  wake();
}

/// Its second run, if it is one that OAR would submit again, never comes.
void Engine::exterminate(Job& job, std::int64_t now) {
  ghosts_.erase(job.id);
  ledger_->add_event(job, "EXTERMINATE_JOB", words(dialect().exterminated, fmt::arg("job", job.id)), now);
  if (job.submission->best_effort()) {
    ledger_->add_event(job, "SCHEDULER_PRIORITY_UPDATED_STOP",
                       fmt::format("Scheduler priority for job {} updated (network_address/resource_id)", job.id), now);
  }
  job.state = JobState::error;
  job.stop_time = now;
  job.message = "Job exterminated by Leon";
  job.missed = Missed::nothing;
  ledger_->save(job);
  log(fmt::format("{{\"what\":\"end\",\"job\":{},\"state\":\"Error\",\"status\":null,\"time\":{}}}\n", job.id, now));
  executor_.remove(key_of(job));
  dirty_ = true;
}

void Engine::step_clock(Clock::duration by) {
  const std::lock_guard lock{mutex_};
  ahead_ += by;
  for (auto& [id, running] : running_) {
    if (running.walltime_end) *running.walltime_end -= by;
    if (running.checkpoint_at) *running.checkpoint_at -= by;
  }
  for (auto& [id, ghost] : ghosts_) {
    if (ghost.walltime_end) *ghost.walltime_end -= by;
  }
  dirty_ = true;
  wake();
}

/// False: the job is to be executed, whatever OAR reports of it.
bool Engine::launch_badly(Job& job, Clock::time_point now) {
  const auto fate = fates_.front();
  fates_.pop_front();
  switch (fate) {
    case LaunchFate::launching: haunt(job, Missed::start, now); return true;
    case LaunchFate::running:
      job.state = JobState::running;
      haunt(job, Missed::start, now);
      return true;
    case LaunchFate::resubmitted:
      give_up(job, "CPUSET_ERROR", words(dialect().nodes_suspected, fmt::arg("job", job.id), fmt::arg("node", first_node(job))),
              date_at(now));
      return true;
    case LaunchFate::hook_failed: fail_hook(job, date_at(now)); return true;
    case LaunchFate::unseen: job.missed = Missed::running; return false;
    case LaunchFate::run_twice: given_up_.insert(job.id); return false;
  }
  return false;
}

std::vector<JobNumber> Engine::strays() {
  const std::lock_guard lock{mutex_};
  std::vector<JobNumber> found;
  for (const auto& key : strays_) found.push_back(key.id);
  return found;
}

/// OAR knows only that its oarexec ended, and suspects the node.
void Engine::fail_hook(Job& job, std::int64_t now) {
  constexpr int kExitValue = 2550;  // for any exit status of the script
  const auto node = first_node(job);
  ledger_->add_event(job, "EXIT_VALUE_OAREXEC",
                     words(dialect().oarexec_failed, fmt::arg("job", job.id), fmt::arg("value", kExitValue), fmt::arg("node", node)), now);
  if (job.submission->best_effort()) {
    ledger_->add_event(job, "SCHEDULER_PRIORITY_UPDATED_STOP",
                       fmt::format("Scheduler priority for job {} updated (network_address/resource_id)", job.id), now);
  }
  job.state = JobState::error;
  job.stop_time = now;
  ledger_->save(job);
  for (std::size_t place = 0; place < ledger_->resources().size(); ++place) {
    if (auto& resource = ledger_->resource(static_cast<int>(place)); resource.host == node)
      ledger_->set_state(resource, ResourceState::suspected);
  }
  dirty_ = true;
  wake();
}

void Engine::give_up(Job& job, std::string type, std::string description, std::int64_t now) {
  ledger_->add_event(job, type, std::move(description), now);
  job.state = JobState::error;
  job.stop_time = now;
  job.message = "One or several nodes are not responding correctly";
  ledger_->save(job);
  const auto again = ledger_->add_again(job, now).id;
  ledger_->add_event(job, "RESUBMIT_JOB_AUTOMATICALLY",
                     words(dialect().resubmitted_for_node, fmt::arg("job", job.id), fmt::arg("again", again), fmt::arg("type", type)), now);
  dirty_ = true;
  wake();
}

void Engine::forget_after(JobNumber last, Processes processes) {
  const std::lock_guard lock{mutex_};
  const auto is_forgotten = [last](JobNumber id) { return id > last; };
  for (auto& [id, running] : running_) {
    if (!is_forgotten(id)) continue;
    const auto key = key_of(*ledger_->find(id));
    if (processes == Processes::killed) executor_.kill(key, now());
    strays_.insert(key);
  }
  std::erase_if(running_, [&](const auto& entry) { return is_forgotten(entry.first); });
  std::erase_if(ghosts_, [&](const auto& entry) { return is_forgotten(entry.first); });
  std::erase_if(launches_, [&](const Launch& launch) { return is_forgotten(launch.job); });
  std::erase_if(predicted_, is_forgotten);
  std::erase_if(given_up_, is_forgotten);
  ledger_->forget_after(last);
  std::error_code ignored;
  std::filesystem::create_directories(run_directory(options_.state_directory, ledger_->era()), ignored);
  dirty_ = true;
  wake();
}

}  // namespace gleaner::minioar
