#include <algorithm>

#include "tests/model/steps.hpp"

/// Steps of OAR, the network, the nodes and the tasks.
namespace gleaner::model {
namespace {

using grid::Record;
using grid::Witness;

Phase phase_of(const Remote& remote) { return static_cast<Phase>(remote.phase); }
bool is_live(const Remote& remote) { return remote.record == kNone; }

class WorldSteps : Steps {
 public:
  WorldSteps(const State& state, const Bounds& bounds, const Emit& emit) : Steps{state, bounds, emit} {}

  void all() {
    for (std::size_t i = 0; i < state_.launches.size(); ++i) {
      if (state_.launches[i].used) post(i);
    }
    for (std::size_t i = 0; i < state_.remotes.size(); ++i) {
      if (state_.remotes[i].used) remote(i);
    }
  }

 private:
  /// One of the few misfortunes of a path.
  template <class Change>
  void trouble(std::string_view what, Change&& change) {
    if (state_.troubles == 0) return;
    step(what, [&](State& next) {
      --next.troubles;
      change(next);
    });
  }

  static std::optional<std::size_t> free_remote(const State& state, const Bounds& bounds) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(bounds.remotes); ++i) {
      if (!state.remotes[i].used) return i;
    }
    return std::nullopt;
  }
  static bool add_remote(State& state, const Bounds& bounds, std::int8_t job) {
    const auto place = free_remote(state, bounds);
    if (!place) return false;
    state.remotes[*place] = Remote{.used = true, .job = job};
    return true;
  }

  /// A POST on its way arrives, now or much later, or never.
  void post(std::size_t launch) {
    const auto post = static_cast<Post>(state_.launches[launch].post);
    const auto carry_out = [&](State& next) {
      for (std::size_t j = 0; j < next.jobs.size(); ++j) {
        if (next.jobs[j].used && next.jobs[j].launch == as_int(launch) && !add_remote(next, bounds_, as_int(j))) return false;
      }
      next.launches[launch].post = static_cast<std::uint8_t>(Post::carried_out);
      return true;
    };
    if (post != Post::flying) return;
    State next = state_;
    if (carry_out(next)) emit_(next, "OAR carries out a POST");
    trouble("a POST never arrives", [&](State& later) { later.launches[launch].post = static_cast<std::uint8_t>(Post::never); });
  }

  void remote(std::size_t r) {
    resubmit(r);
    switch (phase_of(state_.remotes[r])) {
      case Phase::queued: return queued(r);
      case Phase::holding: return holding(r);
      case Phase::running: return running(r);
      case Phase::over: return over(r);
    }
  }

  static void record(State& next, std::size_t r, Record record) { next.remotes[r].record = as_int(record); }
  void end_by(std::size_t r, Record how, std::string_view what) {
    trouble(what, [&](State& next) {
      record(next, r, how);
      next.remotes[r].phase = static_cast<std::uint8_t>(Phase::over);
    });
    // Where OAR preempts a job that it may run again, it makes the new one at once.
    if (how != Record::preempted || !free_remote(state_, bounds_)) return;
    trouble("a job is preempted, and OAR runs it again", [&](State& next) {
      record(next, r, how);
      next.remotes[r].phase = static_cast<std::uint8_t>(Phase::over);
      next.remotes[r].resubmitted = as_int(*free_remote(next, bounds_));
      (void)add_remote(next, bounds_, next.remotes[r].job);
    });
  }
  [[nodiscard]] bool kill_sent(std::size_t r) const { return state_.jobs[static_cast<std::size_t>(state_.remotes[r].job)].kill == 2; }

  /// Events that may occur to any job that OAR believes to be alive.
  void live(std::size_t r) {
    if (!is_live(state_.remotes[r])) return;
    if (kill_sent(r)) {
      step("OAR deletes a job", [&](State& next) {
        record(next, r, Record::deleted);
        next.remotes[r].phase = static_cast<std::uint8_t>(Phase::over);
      });
    }
    end_by(r, Record::deleted, "somebody deletes a job");
    end_by(r, Record::failed, "a node fails");
    trouble("OAR forgets a job", [&](State& next) { next.remotes[r].known = false; });
  }

  void queued(std::size_t r) {
    live(r);
    if (!is_live(state_.remotes[r])) return;
    step("a job gets resources", [&](State& next) {
      next.remotes[r].phase = static_cast<std::uint8_t>(Phase::holding);
      next.remotes[r].held = true;
    });
  }

  void holding(std::size_t r) {
    live(r);
    // A deletion that OAR noted may come before it reaches the node: the job starts all the same.
    // So may a launch that OAR gave up.
    const auto recorded = state_.remotes[r].record;
    const bool may_start = is_live(state_.remotes[r]) || recorded == as_int(Record::deleted) || recorded == as_int(Record::failed);
    if (may_start) step("a wrapper claims", [&](State& next) { claim(next, r); });
    if (!is_live(state_.remotes[r])) return;
    end_by(r, Record::preempted, "a job is preempted before it begins");
    end_by(r, Record::walltime, "OAR keeps a job in Launching until its walltime");
    trouble("OAR gives up a launch that may begin all the same", [&](State& next) { record(next, r, Record::failed); });
    if (kill_sent(r)) trouble("a job is deleted while it is launched", [&](State& next) { record(next, r, Record::deleted); });
    for (const std::int8_t status : {std::int8_t{0}, std::int8_t{1}}) {
      trouble("a shell ends before the wrapper begins", [&](State& next) {
        next.remotes[r].phase = static_cast<std::uint8_t>(Phase::over);
        next.remotes[r].status = status;
      });
    }
    trouble("a wrapper cannot claim", [&](State& next) {
      next.remotes[r].phase = static_cast<std::uint8_t>(Phase::over);
      next.remotes[r].status = grid_status_ran_nothing();
    });
  }

  static std::int8_t grid_status_ran_nothing() { return 113; }

  static void claim(State& next, std::size_t r) {
    auto& remote = next.remotes[r];
    const auto& job = next.jobs[static_cast<std::size_t>(remote.job)];
    auto& holder = next.claims[static_cast<std::size_t>(job.fence)][static_cast<std::size_t>(job.task)];
    if (holder != kNone) {
      remote.phase = static_cast<std::uint8_t>(Phase::over);
      remote.status = grid_status_ran_nothing();
      remote.files = static_cast<std::uint8_t>(Witness::duplicate);
      remote.holder = next.remotes[static_cast<std::size_t>(holder)].job;
      return;
    }
    holder = as_int(r);
    remote.phase = static_cast<std::uint8_t>(Phase::running);
    remote.files = static_cast<std::uint8_t>(Witness::started);
    auto& task = next.tasks[static_cast<std::size_t>(job.task)];
    const auto bit = static_cast<std::uint8_t>(1U << static_cast<unsigned>(job.attempt));
    if ((task.starts & bit) != 0) task.twice = true;
    if (task.succeeded && !task.excused) task.again = true;
    const bool another_runs = std::ranges::any_of(next.remotes, [&](const Remote& other) {
      return other.used && &other != &remote && other.phase == static_cast<std::uint8_t>(Phase::running) &&
             next.jobs[static_cast<std::size_t>(other.job)].task == job.task;
    });
    if (another_runs && !task.excused) task.again = true;
    task.starts |= bit;
  }

  void running(std::size_t r) {
    live(r);
    end_command(r, 0, "a command succeeds");
    end_command(r, 1, "a command fails");
    if (!is_live(state_.remotes[r])) return;
    end_by(r, Record::preempted, "a job is preempted");
    trouble("a walltime kills a job", [&](State& next) {
      record(next, r, Record::walltime);
      next.remotes[r].phase = static_cast<std::uint8_t>(Phase::over);
      ++task_of(next, r).faults;
    });
  }

  static Task& task_of(State& next, std::size_t r) {
    return next.tasks[static_cast<std::size_t>(next.jobs[static_cast<std::size_t>(next.remotes[r].job)].task)];
  }

  void end_command(std::size_t r, std::int8_t status, std::string_view what) {
    const auto end = [&](State& next) {
      auto& remote = next.remotes[r];
      remote.phase = static_cast<std::uint8_t>(Phase::over);
      remote.status = status;
      if (status == 0) task_of(next, r).succeeded = true;
      else ++task_of(next, r).faults;
    };
    step(what, [&](State& next) {
      end(next);
      next.remotes[r].files = static_cast<std::uint8_t>(Witness::ended);
    });
    // Where OAR believes the job to be over already, nobody can know how it ended.
    if (is_live(state_.remotes[r])) trouble("a wrapper cannot note an end", end);
  }

  /// The process is over: what OAR's record says of it.
  void over(std::size_t r) {
    if (!is_live(state_.remotes[r])) return;
    step("OAR records an exit status", [&](State& next) { record(next, r, Record::exited); });
    if (state_.remotes[r].files == static_cast<std::uint8_t>(Witness::started))
      return;  // it could not note its end: nothing else would report it
    trouble("OAR misses an end, then preempts", [&](State& next) { record(next, r, Record::preempted); });
    trouble("OAR misses an end until the walltime", [&](State& next) { record(next, r, Record::walltime); });
    trouble("OAR records no exit status", [&](State& next) { record(next, r, Record::exited_silently); });
    trouble("OAR forgets a job", [&](State& next) { next.remotes[r].known = false; });
  }

  /// After a failure before the command began, as far as OAR knows, its server may run the job again, sooner or later (NodeChangeState).
  void resubmit(std::size_t r) {
    const auto& remote = state_.remotes[r];
    if (remote.resubmitted != kNone || remote.record != as_int(Record::failed)) return;
    const auto place = free_remote(state_, bounds_);
    if (!place) return;
    trouble("OAR runs a job again that failed before it began", [&](State& next) {
      (void)add_remote(next, bounds_, remote.job);
      next.remotes[r].resubmitted = as_int(*place);
    });
  }
};

}  // namespace

void world_steps(const State& state, const Bounds& bounds, const Emit& emit) { WorldSteps{state, bounds, emit}.all(); }

}  // namespace gleaner::model
