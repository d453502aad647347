#include <algorithm>
#include <csignal>

#include <fmt/format.h>

#include "sim/minioar/engine.hpp"

namespace gleaner::minioar {

namespace {

/// OAR resubmits an idempotent job that ends with this status after at least this time.
constexpr int kResubmitStatus = 99 << 8;
constexpr std::int64_t kResubmitAfter = 60;

}  // namespace

tl::expected<std::vector<JobNumber>, RequestError> Engine::submit(Submission submission, std::vector<std::string> commands) {
  const std::lock_guard lock{mutex_};
  if (auto completed = complete(submission, ledger_->resources()); !completed) return tl::unexpected{completed.error()};
  submission.submission_time = date();
  if (!name_of_jobs_.empty()) submission.name = name_of_jobs_;
  std::vector<JobNumber> ids;
  for (const auto* job : ledger_->add(std::move(submission), std::move(commands))) ids.push_back(job->id);
  dirty_ = true;
  wake();
  return ids;
}

tl::expected<Job*, Refusal> Engine::own(const std::string& user, JobNumber id) {
  auto* job = ledger_->find(id);
  if (job == nullptr) return tl::unexpected{Refusal::unknown_job};
  if (job->submission->user != user && user != "root" && user != "oar") return tl::unexpected{Refusal::wrong_user};
  return job;
}

tl::expected<Job*, Refusal> Engine::own_running(const std::string& user, JobNumber id) {
  auto job = own(user, id);
  if (job && ((*job)->state != JobState::running || !running_.contains(id))) return tl::unexpected{Refusal::not_running};
  return job;
}

tl::expected<JobNumber, Refusal> Engine::resubmit(const std::string& user, JobNumber id) {
  const std::lock_guard lock{mutex_};
  const auto job = own(user, id);
  if (!job) return tl::unexpected{job.error()};
  const auto added = ledger_->add_again(**job, date()).id;
  dirty_ = true;
  wake();
  return added;
}

Done Engine::kill(const std::string& user, JobNumber id) {
  const std::lock_guard lock{mutex_};
  const auto job = own(user, id);
  if (!job) return tl::unexpected{job.error()};
  if ((*job)->fragged) {
    if (ledger_->server().alive) carry_out_deletions();
    return tl::unexpected{Refusal::already_killed};
  }
  frag(**job, user, date());
  wake();
  return {};
}

void Engine::frag(Job& job, const std::string& who, std::int64_t now) {
  ledger_->add_event(job, "FRAG_JOB_REQUEST", fmt::format("User {} requested to frag the job {}", who, job.id), now);
  job.fragged = true;
  ledger_->save(job);
  if (ledger_->server().alive || draining_) carry_out_deletions();
}

/// OAR's module Leon: each time that it is woken, it checks every job that is to be deleted.
void Engine::carry_out_deletions() {
  const auto unfinished = ledger_->unfinished();
  for (const auto id : unfinished) {
    if (auto& job = *ledger_->find(id); job.fragged) carry_out_deletion(job);
  }
}

void Engine::carry_out_deletion(Job& job) {
  if (job.state == JobState::finishing) return;  // OAR refuses: the job is about to end
  if (queued(job.state) || job.state == JobState::to_launch) {
    job.state = JobState::error;
    job.message = "Job killed by Leon directly";
    job.scheduled_start.reset();
    job.resources.clear();
    job.moldable.reset();
    dirty_ = true;
  }
  ledger_->save(job);
  send_kill(job);
}

void Engine::preempt_one(Job& job, std::int64_t now) {
  ledger_->add_event(job, "BESTEFFORT_KILL", fmt::format("[MetaSched] kill the besteffort job {}", job.id), now);
  frag(job, "root", now);
}

void Engine::signal_checkpoint(Job& job, std::string_view module, std::int64_t now) {
  ledger_->add_event(job, "CHECKPOINT",
                     fmt::format("User oar ({}) requested a checkpoint on the job {} on {}", module, job.id, first_node(job)), now);
  ledger_->add_event(job, "CHECKPOINT_SUCCESSFULL",
                     fmt::format("[{}] The job {} was notified to checkpoint itself on the node {}", module, job.id, first_node(job)), now);
  ledger_->save(job);
  executor_.signal(key_of(job), job.submission->signal, this->now());
}

/// OAR's time begins with the first event CHECKPOINT of the job, whoever requested it. OAR signals again in each pass, minioar once.
void Engine::preempt_for_local(Job& job, std::int64_t now) {
  const auto found = running_.find(job.id);
  const auto window = job.submission->checkpoint;
  if (window <= 0 || found == running_.end()) return preempt_one(job, now);
  const auto first = std::ranges::find(job.events, "CHECKPOINT", &Event::type);
  const auto since = first == job.events.end() ? now : first->date;
  if (now > since + window) return preempt_one(job, now);
  if (!found->second.preempt_at) {
    signal_checkpoint(job, "metasched", now);
    found->second.preempt_at = Clock::from_time_t(since + window + 1);
  }
}

Done Engine::checkpoint(const std::string& user, JobNumber id) {
  const std::lock_guard lock{mutex_};
  const auto job = own_running(user, id);
  if (!job) return tl::unexpected{job.error()};
  const auto now = date();
  ledger_->add_event(**job, "CHECKPOINT", fmt::format("User {} requested a checkpoint on the job {}", user, id), now);
  ledger_->add_event(**job, "CHECKPOINT_SUCCESS", fmt::format("The job {} was notified to checkpoint itself on {}.", id, first_node(**job)),
                     now);
  executor_.signal(key_of(**job), (*job)->submission->signal, this->now());
  return {};
}

Done Engine::signal(const std::string& user, JobNumber id, int signal) {
  const std::lock_guard lock{mutex_};
  const auto job = own_running(user, id);
  if (!job) return tl::unexpected{job.error()};
  const auto now = date();
  ledger_->add_event(**job, fmt::format("SIGNAL_{}", signal),
                     fmt::format("User {} requested the signal {} on the job {}", user, signal, id), now);
  ledger_->add_event(**job, "SIG_SUCCESS",
                     fmt::format("The job {} was notified to signal itself with {} on {}.", id, signal, first_node(**job)), now);
  executor_.signal(key_of(**job), signal, this->now());
  return {};
}

Done Engine::hold(const std::string& user, JobNumber id) {
  const std::lock_guard lock{mutex_};
  const auto job = own(user, id);
  if (!job) return tl::unexpected{job.error()};
  if ((*job)->state != JobState::waiting) return tl::unexpected{Refusal::wrong_state};
  ledger_->add_event(**job, "HOLD_WAITING_JOB", fmt::format("User {} launched oarhold on the job {}", user, id), date());
  (*job)->state = JobState::hold;
  (*job)->scheduled_start.reset();
  ledger_->save(**job);
  dirty_ = true;
  wake();
  return {};
}

Done Engine::suspend(const std::string& user, JobNumber id) {
  const std::lock_guard lock{mutex_};
  const auto job = own(user, id);
  if (!job) return tl::unexpected{job.error()};
  if ((*job)->state != JobState::running || !running_.contains(id)) return tl::unexpected{Refusal::wrong_state};
  ledger_->add_event(**job, "HOLD_RUNNING_JOB", fmt::format("User {} launched oarhold on the job {}", user, id), date());
  (*job)->state = JobState::suspended;
  ledger_->save(**job);
  executor_.signal_all(key_of(**job), SIGSTOP, now());
  return {};
}

Done Engine::resume(const std::string& user, JobNumber id) {
  const std::lock_guard lock{mutex_};
  const auto job = own(user, id);
  if (!job) return tl::unexpected{job.error()};
  auto& found = **job;
  if (found.state != JobState::hold && found.state != JobState::suspended) return tl::unexpected{Refusal::wrong_state};
  ledger_->add_event(found, "RESUME_JOB", fmt::format("User {} launched oarresume on the job {}", user, id), date());
  if (found.state == JobState::suspended) {
    found.state = JobState::running;
    if (running_.contains(id)) executor_.signal_all(key_of(found), SIGCONT, now());
  } else {
    found.state = JobState::waiting;
  }
  ledger_->save(found);
  dirty_ = true;
  wake();
  return {};
}

std::vector<JobNumber> Engine::preempt(std::optional<JobNumber> id, int count) {
  const std::lock_guard lock{mutex_};
  std::vector<Job*> victims;
  if (!ledger_->server().alive) return {};  // preemption is done by OAR's server
  for (const auto number : ledger_->unfinished()) {
    auto& job = *ledger_->find(number);
    const bool there = running_.contains(number) || ghosts_.contains(number);
    if (there && job.submission->best_effort() && !job.fragged && (!id || *id == number)) victims.push_back(&job);
  }
  std::sort(victims.begin(), victims.end(), [](const Job* a, const Job* b) {
    return std::pair{a->start_time, a->id} > std::pair{b->start_time, b->id};
  });
  if (!id) victims.resize(std::min(victims.size(), static_cast<std::size_t>(std::max(count, 0))));
  std::vector<JobNumber> killed;
  for (auto* job : victims) {
    preempt_one(*job, date());
    killed.push_back(job->id);
  }
  return killed;
}

bool Engine::set_node_state(const std::string& node, ResourceState state) {
  const std::lock_guard lock{mutex_};
  bool found = false;
  for (std::size_t place = 0; place < ledger_->resources().size(); ++place) {
    auto& resource = ledger_->resource(static_cast<int>(place));
    if (resource.host != node) continue;
    ledger_->set_state(resource, state);
    found = true;
  }
  dirty_ = dirty_ || found;
  wake();
  return found;
}

void Engine::finish(Job& job, const JobEnding& ending, bool kill_sent) {
  const auto now = ending.time;
  const auto node = first_node(job);
  using Kind = JobEnding::Kind;
  if (ending.kind == Kind::no_directory) {
    finish_badly(
        job, "WORKING_DIRECTORY",
        fmt::format("[bipbip {}] Cannot go into the working directory {} of the job on node {}", job.id, job.submission->directory, node),
        now);
    return;
  }
  if (ending.kind == Kind::no_output) {
    finish_badly(
        job, "OUTPUT_FILES",
        fmt::format("[bipbip {}] Cannot create .stdout and .stderr files in {} on the node {}", job.id, job.submission->directory, node),
        now);
    return;
  }
  if (ending.kind == Kind::lost && !kill_sent) {
    finish_badly(job, "EXIT_VALUE_OAREXEC", fmt::format("[bipbip {}] Lost the supervisor of the job on node {}", job.id, node), now);
    return;
  }
  const bool good = !kill_sent;
  ledger_->add_event(job, good ? "SWITCH_INTO_TERMINATE_STATE" : "SWITCH_INTO_ERROR_STATE",
                     fmt::format("[bipbip {}] Ask to change the job state", job.id), now);
  if (job.submission->best_effort()) {
    ledger_->add_event(job, "SCHEDULER_PRIORITY_UPDATED_STOP",
                       fmt::format("Scheduler priority for job {} updated (network_address/resource_id)", job.id), now);
  }
  job.state = good ? JobState::terminated : JobState::error;
  job.stop_time = now;
  job.missed = Missed::nothing;
  if (good && exit_codes_to_lose_ > 0) {
    --exit_codes_to_lose_;
    ledger_->add_event(job, "EPILOGUE_ERROR", fmt::format("[bipbip {0}] error of oarexec epilogue (job_id = {0})", job.id), now);
  } else if (good) {
    job.exit_code = ending.wait_status;
  }
  const bool preempted = std::any_of(job.events.begin(), job.events.end(), [](const Event& e) { return e.type == "BESTEFFORT_KILL"; });
  for (const int place : job.resources) ledger_->resource(place).last_job_date = now;
  ledger_->save(job);
  log(fmt::format("{{\"what\":\"end\",\"job\":{},\"state\":\"{}\",\"status\":{},\"time\":{}}}\n", job.id, name_of(job.state),
                  ending.wait_status, now));
  resubmit_if_idempotent(job, preempted && !good, now);
  executor_.remove(key_of(job));
  dirty_ = true;
}

void Engine::finish_badly(Job& job, std::string type, std::string description, std::int64_t now) {
  ledger_->add_event(job, "SWITCH_INTO_ERROR_STATE", fmt::format("[bipbip {}] Ask to change the job state", job.id), now);
  ledger_->add_event(job, std::move(type), std::move(description), now);
  job.state = JobState::error;
  job.stop_time = now;
  ledger_->save(job);
  log(fmt::format("{{\"what\":\"end\",\"job\":{},\"state\":\"Error\",\"status\":null,\"time\":{}}}\n", job.id, now));
  executor_.remove(key_of(job));
  dirty_ = true;
}

void Engine::resubmit_if_idempotent(Job& job, bool preempted, std::int64_t now) {
  if (!job.submission->has_type("idempotent")) return;
  const bool asked = job.exit_code == kResubmitStatus && job.stop_time - job.start_time > kResubmitAfter;
  if (!asked && !preempted) return;
  const auto id = ledger_->add_again(job, now).id;
  const auto text =
      asked ? words(dialect().resubmitted_for_code, fmt::arg("job", job.id), fmt::arg("again", id))
            : fmt::format("[bipbip {0}] the job {0} is a besteffort and idempotent job so we resubmit it (new id = {1})", job.id, id);
  ledger_->add_event(job, "RESUBMIT_JOB_AUTOMATICALLY", text, now);
}

}  // namespace gleaner::minioar
