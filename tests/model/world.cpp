#include "tests/model/world.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gleaner::model {

State::State() {
  static_assert(std::is_trivially_copyable_v<State>, "states are compared as bytes");
  for (auto& folder : claims) folder.fill(kNone);
}

namespace {

void put(std::string& bytes, std::initializer_list<int> values) {
  for (const int value : values) bytes += static_cast<char>(value);
}

}  // namespace

namespace {

bool is_open(const Job& job) {
  switch (static_cast<grid::JobState>(job.state)) {
    case grid::JobState::terminated:
    case grid::JobState::error:
    case grid::JobState::killed: return false;
    default: return true;
  }
}

/// Its process is over, OAR's record of it too, and OAR will not run it again.
bool is_finished(const Remote& remote) {
  const bool may_run_again = remote.record == static_cast<std::int8_t>(grid::Record::failed) && remote.resubmitted == kNone &&
                             remote.files == static_cast<std::uint8_t>(grid::Witness::unread);
  return remote.phase == static_cast<std::uint8_t>(Phase::over) && (remote.record != kNone || !remote.known) && !may_run_again;
}

}  // namespace

void State::forget() {
  for (std::size_t r = 0; r < remotes.size(); ++r) {
    auto& remote = remotes[r];
    if (!remote.used || !is_finished(remote)) continue;
    const auto& job = jobs[static_cast<std::size_t>(remote.job)];
    const auto& launch = launches[static_cast<std::size_t>(job.launch)];
    const bool may_be_found = launch.tag && launch.state != static_cast<std::uint8_t>(grid::LaunchState::accepted) &&
                              launch.state != static_cast<std::uint8_t>(grid::LaunchState::refused);
    const bool shows_the_attempt =
        job.attempt == tasks[static_cast<std::size_t>(job.task)].attempt && remote.files == static_cast<std::uint8_t>(grid::Witness::ended);
    const bool is_second_run =
        std::ranges::any_of(remotes, [&](const Remote& other) { return other.used && other.resubmitted == static_cast<std::int8_t>(r); });
    if (is_open(job) || may_be_found || shows_the_attempt || is_second_run) continue;
    for (auto& folder : claims) {
      for (auto& holder : folder) holder = holder == static_cast<std::int8_t>(r) ? kGone : holder;
    }
    for (auto& other : jobs) other.remote = other.remote == static_cast<std::int8_t>(r) ? kNone : other.remote;
    remote = Remote{};
  }
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    auto& job = jobs[j];
    if (!job.used || is_open(job)) continue;
    const auto& launch = launches[static_cast<std::size_t>(job.launch)];
    const bool settled = !launch.tag || launch.state == static_cast<std::uint8_t>(grid::LaunchState::accepted) ||
                         launch.state == static_cast<std::uint8_t>(grid::LaunchState::refused);
    const bool has_runs =
        std::ranges::any_of(remotes, [&](const Remote& remote) { return remote.used && remote.job == static_cast<std::int8_t>(j); });
    if (!settled || has_runs || job.attempt == tasks[static_cast<std::size_t>(job.task)].attempt) continue;
    job = Job{};
  }
  for (std::size_t l = 0; l < launches.size(); ++l) {
    const auto mine = static_cast<std::int8_t>(l);
    const bool needed = std::ranges::any_of(jobs, [&](const Job& job) { return job.used && (job.launch == mine || job.fence == mine); }) ||
                        std::ranges::any_of(tasks, [&](const Task& task) { return task.fence == mine; });
    if (!launches[l].used || needed || static_cast<Post>(launches[l].post) == Post::flying) continue;
    launches[l] = Launch{};
    claims[l].fill(kNone);
  }
}

std::string State::bytes() const {
  std::string text;
  text.reserve(160);
  for (const auto& t : tasks) {
    put(text, {t.state, t.attempt, t.replica, t.replica_lives, t.charged, t.counted, t.in_bag, t.bound, t.fence, t.starts, t.faults});
    put(text, {(t.twice ? 1 : 0) | (t.again ? 2 : 0) | (t.succeeded ? 4 : 0) | (t.excused ? 8 : 0)});
  }
  for (const auto& l : launches) put(text, {l.used, l.state, l.cluster, l.looks, l.post, l.tag});
  for (const auto& j : jobs)
    put(text, {j.used, j.task, j.launch, j.fence, j.attempt, j.state, j.ending, j.kill, j.deletion, j.again, j.remote});
  for (const auto& r : remotes)
    put(text, {r.used, r.job, r.phase, r.status, r.record, r.files, r.holder, r.resubmitted, r.known, r.stranger, r.held});
  for (const auto& folder : claims) {
    for (const auto holder : folder) put(text, {holder});
  }
  put(text, {troubles});
  return text;
}

std::string State::describe() const {
  std::string text;
  for (const auto& t : tasks) {
    text += fmt::format("task {} attempt {} charged {}{}{}{}", grid::name_of(static_cast<grid::TaskState>(t.state)), t.attempt, t.charged,
                        t.in_bag ? " in the bag" : "", t.bound == kNone ? "" : fmt::format(" bound to {}", t.bound),
                        t.succeeded ? ", succeeded" : "");
    if (t.replica != kNone) text += fmt::format(", replica {}{}", t.replica, t.replica_lives ? "" : " over");
    text += "; ";
  }
  for (const auto& l : launches) {
    if (l.used) text += fmt::format("launch {} on {} post {}; ", grid::name_of(static_cast<grid::LaunchState>(l.state)), l.cluster, l.post);
  }
  for (const auto& j : jobs) {
    if (!j.used) continue;
    text +=
        fmt::format("job of task {} attempt {} launch {} fence {} {}{} kill {} remote {}; ", j.task, j.attempt, j.launch, j.fence,
                    grid::name_of(static_cast<grid::JobState>(j.state)),
                    j.ending == kNone ? "" : fmt::format(" ({})", grid::name_of(static_cast<grid::JobEnd>(j.ending))), j.kill, j.remote);
  }
  for (const auto& r : remotes) {
    if (r.used)
      text += fmt::format("OAR's job of job {} phase {} status {} record {} files {}{}{}; ", r.job, r.phase, r.status, r.record, r.files,
                          r.known ? "" : " forgotten", r.stranger ? " stranger" : "");
  }
  return text;
}

}  // namespace gleaner::model
