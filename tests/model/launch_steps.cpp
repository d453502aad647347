#include <algorithm>
#include <optional>

#include "tests/model/grid_steps.hpp"

/// Steps of the metascheduler and the runner: each step is one of their transactions, or one request.
namespace gleaner::model {
namespace {

using grid::JobState;
using grid::LaunchState;
using grid::TaskState;

class LaunchSteps : GridSteps {
 public:
  LaunchSteps(const State& state, const Rules& rules, const Bounds& bounds, const Emit& emit) : GridSteps{state, rules, bounds, emit} {}

  void all() {
    for (int t = 0; t < bounds_.tasks; ++t) {
      for (int cluster = 0; cluster < kClusters; ++cluster) plan(static_cast<std::size_t>(t), cluster);
    }
    if (bounds_.replicas) replicate();
    release_kept();
    for (std::size_t l = 0; l < state_.launches.size(); ++l) {
      if (state_.launches[l].used) launch(l);
    }
  }

 private:
  [[nodiscard]] std::optional<std::size_t> free_launch() const {
    for (std::size_t i = 0; i < at(static_cast<std::int8_t>(bounds_.launches)); ++i) {
      if (!state_.launches[i].used) return i;
    }
    return std::nullopt;
  }
  [[nodiscard]] std::optional<std::size_t> free_job() const {
    for (std::size_t i = 0; i < at(static_cast<std::int8_t>(bounds_.jobs)); ++i) {
      if (!state_.jobs[i].used) return i;
    }
    return std::nullopt;
  }

  // metascheduler

  void plan(std::size_t t, int cluster);
  void replicate();

  // runner

  /// It waited for its checkpoint for long enough.
  void release_kept() {
    for (std::size_t t = 0; t < state_.tasks.size(); ++t) {
      const auto& task = state_.tasks[t];
      if (!task.in_bag || task.bound == kNone || task.fence != kNone) continue;
      step("a task leaves its checkpoint", [&](State& next) { next.tasks[t].bound = kNone; });
    }
  }

  void launch(std::size_t l);
  void send(std::size_t l);
  void answer(std::size_t l, grid::PostAnswer answer, std::string_view what);
  void look(std::size_t l);
  void give_back(std::size_t l, LaunchState to, grid::Sent sent, std::string_view what);
  bool accept(std::size_t l, std::string_view what);
  void adopt(State& next, std::size_t j) const;
  void release(std::size_t l);

  void set_jobs(State& next, std::size_t l, JobState from, JobState to) const {
    for (auto& job : next.jobs) {
      if (job.used && job.launch == as_int(l) && job.state == code(from)) job.state = code(to);
    }
  }
};

void LaunchSteps::plan(std::size_t t, int cluster) {
  const auto& task = state_.tasks[t];
  if (task.attempt > bounds_.attempts) return;
  if (task.state != code(TaskState::waiting) || !task.in_bag || (task.bound != kNone && task.bound != cluster)) return;
  // The clusters are alike: the first launch of all goes to the first one.
  const bool is_first = std::ranges::none_of(state_.launches, &Launch::used) &&
                        std::ranges::all_of(state_.tasks, [](const Task& one) { return one.attempt == 1 && one.starts == 0; });
  if (is_first && cluster > 0) return;
  const auto launch = free_launch();
  const auto job = free_job();
  if (!launch || !job) return;
  step("a launch is planned", [&](State& next) {
    auto& mine = next.tasks[t];
    next.launches[*launch] = {
        .used = true, .state = code(LaunchState::planned), .cluster = as_int(cluster), .looks = 0, .post = code(Post::unsent)};
    next.jobs[*job] = {.used = true,
                       .task = as_int(t),
                       .launch = as_int(*launch),
                       .fence = mine.fence == kNone ? as_int(*launch) : mine.fence,
                       .attempt = mine.attempt,
                       .state = code(JobState::planned)};
    mine.state = code(TaskState::launching);
    mine.in_bag = false;
    mine.bound = mine.fence = kNone;
  });
}

void LaunchSteps::replicate() {
  for (std::size_t t = 0; t < at(static_cast<std::int8_t>(bounds_.tasks)); ++t) {
    const auto& task = state_.tasks[t];
    if (task.state != code(TaskState::running) || task.replica != kNone) continue;
    const auto launch = free_launch();
    const auto job = free_job();
    if (!launch || !job) continue;
    for (std::int8_t cluster = 0; cluster < kClusters; ++cluster) {
      step("a replica is planned", [&](State& next) {
        auto& mine = next.tasks[t];
        mine.replica = static_cast<std::int8_t>(mine.attempt + 1);
        mine.replica_lives = true;
        mine.excused = true;
        next.launches[*launch] = {
            .used = true, .state = code(LaunchState::planned), .cluster = cluster, .looks = 0, .post = code(Post::unsent)};
        next.jobs[*job] = {.used = true,
                           .task = as_int(t),
                           .launch = as_int(*launch),
                           .fence = as_int(*launch),
                           .attempt = mine.replica,
                           .state = code(JobState::planned)};
      });
    }
  }
}

void LaunchSteps::launch(std::size_t l) {
  const auto& launch = state_.launches[l];
  const auto post = static_cast<Post>(launch.post);
  const auto state = static_cast<LaunchState>(launch.state);
  if (state == LaunchState::planned) {
    step("a runner begins", [&](State& next) {
      next.launches[l].state = code(LaunchState::launching);
      set_jobs(next, l, JobState::planned, JobState::launching);
    });
    give_back(l, LaunchState::void_, grid::Sent::never, "a planned launch is given back");
    return;
  }
  if (post == Post::unsent) send(l);
  if (state == LaunchState::launching) {
    if (post == Post::unsent) answer(l, grid::PostAnswer::not_sent, "the POST cannot be sent");
    if (post == Post::flying) answer(l, grid::PostAnswer::refused, "OAR refuses");
    if (post == Post::carried_out) (void)accept(l, "the answer has the ids");
    answer(l, grid::PostAnswer::lost, "no answer, or the runner died");
  }
  if (launch.tag && (state == LaunchState::unknown || state == LaunchState::void_)) look(l);
  if (state == LaunchState::void_) release(l);
}

/// A runner may be stopped for any time between its intent and its POST.
void LaunchSteps::send(std::size_t l) {
  const auto state = static_cast<LaunchState>(state_.launches[l].state);
  if (rules_.to_send({.state = state, .own_term = state == LaunchState::launching}) != grid::LaunchStep::go_on) return;
  step("a runner sends the POST", [&](State& next) { next.launches[l].post = code(Post::flying); });
}

void LaunchSteps::answer(std::size_t l, grid::PostAnswer answer, std::string_view what) {
  const auto after = rules_.after_post(answer);
  if (after.gives_back) return give_back(l, after.state, grid::Sent::never, what);
  step(what, [&](State& next) {
    next.launches[l].state = code(after.state);
    set_jobs(next, l, JobState::launching, JobState::unknown);
  });
}

/// Whatever OAR has carried out, its lists show.
void LaunchSteps::look(std::size_t l) {
  const auto& launch = state_.launches[l];
  const auto state = static_cast<LaunchState>(launch.state);
  if (accept(l, "a look finds jobs of a launch") || state != LaunchState::unknown) return;
  constexpr grid::LookPatience kPatience{.looks = 2, .delay = {}};
  const auto missing = static_cast<int>(std::ranges::count_if(
      state_.jobs, [&](const Job& job) { return job.used && job.launch == as_int(l) && job.state == code(JobState::unknown); }));
  const auto fate = rules_.fate_of({.state = state, .missing = missing, .looks = launch.looks + 1, .healthy = kPatience.delay}, kPatience);
  if (fate == LaunchState::void_) return give_back(l, fate, grid::Sent::maybe, "a launch is void");
  step("a look finds nothing more", [&](State& next) {
    next.launches[l].state = code(fate);
    next.launches[l].looks = std::min<std::int8_t>(static_cast<std::int8_t>(launch.looks + 1), kPatience.looks);
  });
}

void LaunchSteps::give_back(std::size_t l, LaunchState to, grid::Sent sent, std::string_view what) {
  step(what, [&](State& next) {
    auto& launch = next.launches[l];
    launch.state = code(to);
    launch.tag = sent == grid::Sent::maybe;
    if (sent == grid::Sent::never && static_cast<Post>(launch.post) == Post::flying) launch.post = code(Post::never);
    for (std::size_t j = 0; j < next.jobs.size(); ++j) {
      const auto& job = next.jobs[j];
      if (!job.used || job.launch != as_int(l) || has_remote(job) || !is_open(job)) continue;
      // An OAR that lost its database says nothing of a job that runs.
      for (const auto& remote : next.remotes) {
        if (remote.used && !remote.known && next.jobs[at(remote.job)].task == job.task) next.tasks[at(job.task)].excused = true;
      }
      const grid::Unsubmitted unsubmitted{.sent = sent, .fenced = job.fence != job.launch, .replicas_allowed = false};
      auto facts = job_facts(next, j);
      note_checkpoint(facts);
      apply(next, j, grid::JobEnd::never_submitted,
            rules_.settle_unsubmitted(facts_of(next.tasks[at(job.task)]), facts, unsubmitted, bounds_.limits));
    }
  });
}

/// Every job of a launch that OAR lists under its identity: the newest one where OAR ran it again.
bool LaunchSteps::accept(std::size_t l, std::string_view what) {
  State next = state_;
  bool found = false;
  for (std::size_t j = 0; j < next.jobs.size(); ++j) {
    auto& job = next.jobs[j];
    const bool wanted =
        job.used && job.launch == as_int(l) && !has_remote(job) && (is_open(job) || job.ending == as_int(grid::JobEnd::never_submitted));
    if (!wanted) continue;
    for (std::size_t r = 0; r < next.remotes.size(); ++r) {
      const auto& remote = next.remotes[r];
      if (!remote.used || remote.job != as_int(j) || !remote.known || remote.stranger) continue;
      job.again = job.again || has_remote(job);
      job.remote = as_int(r);
      job.state = code(JobState::remote_waiting);
      job.ending = kNone;
      found = true;
    }
    if (has_remote(job)) adopt(next, j);
  }
  if (!found) return false;
  const bool whole = std::ranges::none_of(
      next.jobs, [&](const Job& job) { return job.used && job.launch == as_int(l) && !has_remote(job) && is_open(job); });
  if (whole) next.launches[l].state = code(LaunchState::accepted);
  emit_(next, what);
  return whole;
}

void LaunchSteps::adopt(State& next, std::size_t j) const {
  auto& job = next.jobs[j];
  auto& task = next.tasks[at(job.task)];
  const auto adoption = rules_.adoption_of(facts_of(task), job.attempt);
  if (adoption.late && job.kill == 0) job.kill = 1;
  if (!adoption.moves) return;
  task.state = code(TaskState::submitted);
  task.in_bag = false;
  task.bound = task.fence = kNone;
}

/// An administrator retires the cluster, or release_after is over: the risk is taken.
void LaunchSteps::release(std::size_t l) {
  for (std::size_t t = 0; t < state_.tasks.size(); ++t) {
    const auto& task = state_.tasks[t];
    if (!task.in_bag || task.fence != as_int(l)) continue;
    if (state_.troubles == 0) continue;
    step("a task is released from its cluster", [&](State& next) {
      --next.troubles;
      auto& mine = next.tasks[t];
      mine.attempt = static_cast<std::int8_t>(rules_.attempt_after_release(facts_of(mine)));
      mine.bound = mine.fence = kNone;
      mine.excused = true;
    });
  }
}

}  // namespace

void launch_steps(const State& state, const Rules& rules, const Bounds& bounds, const Emit& emit) {
  LaunchSteps{state, rules, bounds, emit}.all();
}

}  // namespace gleaner::model
