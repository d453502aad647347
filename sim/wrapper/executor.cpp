#include "sim/wrapper/executor.hpp"

#include "sim/minioar/journal.hpp"

namespace gleaner::wrapper {

namespace {

std::string home_of(const minioar::Execution& execution) {
  constexpr std::string_view kHome{"HOME="};
  for (const auto& each : execution.environment) {
    if (each.starts_with(kHome)) return each.substr(kHome.size());
  }
  return {};
}

}  // namespace

tl::expected<void, std::string> ModelExecutor::begin(const minioar::Execution& execution, Time now) {
  timeline_.run_until(now);
  if (auto log = minioar::Journal::append_to(execution.execution_log)) {
    log->add(minioar::start_line(std::to_string(execution.job.id), minioar::seconds_of(now)));
  }
  const auto key = execution.job;
  auto job = std::make_unique<Job>(execution, reader_.read(execution.command, home_of(execution)), fates_, timeline_,
                                   [this, key] { ended_.push_back(key); });
  auto& begun = *live_.insert_or_assign(key, std::move(job)).first->second;
  begun.begin();
  return {};
}

minioar::Executor::Trace ModelExecutor::find(minioar::JobKey job) {
  if (live_.contains(job)) return Trace::alive;
  return endings_.contains(job) ? Trace::over : Trace::never_began;
}

/// Null: it is over.
Job* ModelExecutor::live(minioar::JobKey job, Time now) {
  timeline_.run_until(now);
  const auto found = live_.find(job);
  return found == live_.end() ? nullptr : found->second.get();
}

void ModelExecutor::kill(minioar::JobKey job, Time now) {
  if (auto* found = live(job, now)) found->kill();
}

void ModelExecutor::signal(minioar::JobKey job, int signal, Time now) {
  if (auto* found = live(job, now)) found->signal(signal);
}

void ModelExecutor::signal_all(minioar::JobKey job, int signal, Time now) {
  if (auto* found = live(job, now)) found->signal_all(signal);
}

std::vector<minioar::JobKey> ModelExecutor::ended(Time now) {
  timeline_.run_until(now);
  for (const auto key : ended_) {
    const auto found = live_.find(key);
    endings_.insert_or_assign(key, *found->second->ending());
    live_.erase(found);
  }
  return std::exchange(ended_, {});
}

std::optional<Time> ModelExecutor::next_event() const { return ended_.empty() ? timeline_.next() : timeline_.now(); }

std::optional<minioar::JobEnding> ModelExecutor::ending(minioar::JobKey job) {
  const auto found = endings_.find(job);
  return found == endings_.end() ? std::nullopt : std::optional{found->second};
}

void ModelExecutor::remove(minioar::JobKey job) { endings_.erase(job); }

}  // namespace gleaner::wrapper
