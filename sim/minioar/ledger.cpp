#include "sim/minioar/ledger.hpp"

#include <fmt/format.h>

#include "sim/minioar/records.hpp"

namespace gleaner::minioar {

tl::expected<std::unique_ptr<Ledger>, std::string> Ledger::open(const std::string& path, std::vector<Resource> resources) {
  std::unique_ptr<Ledger> ledger{new Ledger{std::move(resources)}};
  auto journal = Journal::open(path, [&](std::string_view line) { return ledger->apply(line); });
  if (!journal) return tl::unexpected{journal.error()};
  ledger->journal_ = std::make_unique<Journal>(std::move(*journal));
  return ledger;
}

bool Ledger::apply(std::string_view line) {
  auto record = read_record(line);
  if (!record) return false;
  if (auto* jobs = std::get_if<JobsRecord>(&*record)) {
    // Old jobs of a cluster that has become smaller are kept.
    (void)complete(jobs->submission, resources_);
    const auto submission = std::make_shared<const Submission>(std::move(jobs->submission));
    for (auto& job : jobs->jobs) insert(std::move(job), submission);
  } else if (auto* state = std::get_if<StateRecord>(&*record)) {
    auto* job = find(state->job.id);
    if (job == nullptr) return false;
    auto& given = state->job;
    std::erase_if(given.resources, [&](int place) { return place < 0 || place >= static_cast<int>(resources_.size()); });
    job->state = given.state;
    job->start_time = given.start_time;
    job->stop_time = given.stop_time;
    job->exit_code = given.exit_code;
    job->message = std::move(given.message);
    job->resources = std::move(given.resources);
    job->moldable = given.moldable;
    job->fragged = given.fragged;
    job->missed = given.missed;
    index(*job);
  } else if (auto* event = std::get_if<EventRecord>(&*record)) {
    auto* job = find(event->job);
    if (job == nullptr) return false;
    last_event_ = std::max(last_event_, event->event.id);
    job->events.push_back(std::move(event->event));
  } else if (auto* resource = std::get_if<ResourceRecord>(&*record)) {
    if (resource->id >= 1 && resource->id <= static_cast<std::int64_t>(resources_.size())) {
      resources_[static_cast<std::size_t>(resource->id - 1)].state = resource->state;
    }
  } else if (auto* server = std::get_if<ServerRecord>(&*record)) {
    server_ = server->server;
  } else if (auto* forgotten = std::get_if<ForgetRecord>(&*record)) {
    erase_after(forgotten->last);
  }
  return true;
}

Job* Ledger::insert(Job job, std::shared_ptr<const Submission> submission) {
  job.submission = std::move(submission);
  job.era = era_;
  job.message = job.submission->message;
  job.state = job.submission->starts_on_hold ? JobState::hold : JobState::waiting;
  jobs_.push_back(std::move(job));
  auto& stored = jobs_.back();
  arrays_.emplace(stored.array_id, stored.id);
  index(stored);
  return &stored;
}

void Ledger::index(const Job& job) {
  if (over(job.state)) {
    unfinished_.erase(job.id);
  } else {
    unfinished_.insert(job.id);
  }
}

std::vector<Job*> Ledger::add(Submission submission, std::vector<std::string> commands) {
  const auto shared = std::make_shared<const Submission>(std::move(submission));
  const auto first = static_cast<JobNumber>(jobs_.size()) + 1;
  std::vector<Job*> added;
  std::vector<const Job*> written;
  int index = 0;
  for (auto& command : commands) {
    Job job;
    job.id = first + index;
    job.array_id = first;
    job.array_index = ++index;
    job.command = std::move(command);
    added.push_back(insert(std::move(job), shared));
    written.push_back(added.back());
  }
  journal_->add(jobs_line(*shared, written));
  return added;
}

Job& Ledger::add_again(const Job& old, std::int64_t now) {
  auto submission = *old.submission;
  submission.submission_time = now;
  submission.starts_on_hold = false;
  const auto shared = std::make_shared<const Submission>(std::move(submission));
  Job job;
  job.id = static_cast<JobNumber>(jobs_.size()) + 1;
  job.array_id = old.array_id;
  job.array_index = old.array_index;
  job.resubmitted = old.id;
  job.command = old.command;
  auto* added = insert(std::move(job), shared);
  journal_->add(jobs_line(*shared, {added}));
  return *added;
}

Job* Ledger::find(JobNumber id) {
  if (id < 1 || id > static_cast<JobNumber>(jobs_.size())) return nullptr;
  return &jobs_[static_cast<std::size_t>(id - 1)];
}

std::vector<JobNumber> Ledger::array(JobNumber array_id) const {
  std::vector<JobNumber> ids;
  const auto [begin, end] = arrays_.equal_range(array_id);
  for (auto it = begin; it != end; ++it) ids.push_back(it->second);
  return ids;
}

void Ledger::set_state(Resource& resource, ResourceState state) {
  resource.state = state;
  journal_->add(resource_line(resource));
}

void Ledger::set_server(const ServerState& server) {
  server_ = server;
  journal_->add(server_line(server));
}

void Ledger::forget_after(JobNumber last) {
  journal_->add(forget_line(last));
  erase_after(last);
}

void Ledger::erase_after(JobNumber last) {
  unfinished_.erase(unfinished_.upper_bound(last), unfinished_.end());
  std::erase_if(arrays_, [last](const auto& entry) { return entry.second > last; });
  while (static_cast<JobNumber>(jobs_.size()) > std::max<JobNumber>(last, 0)) jobs_.pop_back();
  ++era_;
}

void Ledger::save(const Job& job) {
  journal_->add(state_line(job));
  index(job);
}

void Ledger::add_event(Job& job, std::string type, std::string description, std::int64_t now) {
  job.events.push_back({++last_event_, now, std::move(type), std::move(description)});
  journal_->add(event_line(job.id, job.events.back()));
}

}  // namespace gleaner::minioar
