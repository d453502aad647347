#include "nikita/checkpoint.hpp"

#include <algorithm>
#include <csignal>
#include <span>
#include <vector>

#include "lib/grid/job_identity.hpp"
#include "lib/process/failpoint.hpp"
#include "lib/process/log.hpp"
#include "lib/store/checkpoints.hpp"
#include "lib/store/clock.hpp"

namespace gleaner::nikita {
namespace {

/// OAR takes about 0.2 s for one (it calls the job's node), and serves four at once.
constexpr int kMostSignals = 200;

std::vector<store::DueSignal> due_now(fleet::Visit& visit) {
  std::vector<store::DueSignal> due;
  visit.database.transact([&](store::Transaction& transaction) {
    const auto now = store::now(transaction);
    std::vector<store::SignalPeriod> periods;
    for (const auto& pair : store::checkpointed_pairs(transaction, visit.cluster.id, now))
      periods.push_back({pair.campaign, grid::period_of(pair.period, pair.cost, pair.interruptions)});
    if (periods.empty()) due.clear();
    else due = store::due_signals(transaction, visit.cluster.id, periods, kMostSignals, now);
  });
  return due;
}

/// Leaves out what OAR does not list as running under the id with its own owner, name and command: after OAR was reinstalled, an id may be
/// a foreign job's. A job that is left out counts as signalled, as if OAR had refused it: it would be the most overdue in each turn, and
/// keep others waiting.
oar::Result<void> keep_ours(fleet::Visit& visit, std::vector<store::DueSignal>& due) {
  std::vector<grid::RemoteJobId> remotes;
  for (const auto& one : due) remotes.push_back(one.remote);
  const auto listed = visit.client.jobs(remotes);
  if (!listed) return tl::unexpected{listed.error()};
  const auto others = std::ranges::stable_partition(due, [&](const store::DueSignal& one) {
    const auto found = std::ranges::find(*listed, one.remote, &oar::RemoteJob::id);
    return found != listed->end() && found->state == oar::RemoteState::running &&
           grid::is_same_job(found->as(), {one.tag, one.login}, {one.campaign, one.task, one.attempt, one.job});
  });
  std::vector<grid::JobId> left_out;
  for (const auto& one : others) left_out.push_back(one.job);
  due.erase(others.begin(), others.end());
  if (!left_out.empty())
    visit.database.transact(
        [&](store::Transaction& transaction) { store::note_signals_sent(transaction, left_out, store::now(transaction)); });
  return {};
}

}  // namespace

int request_checkpoints(fleet::Visit& visit) {
  auto due = due_now(visit);
  if (due.empty() || !keep_ours(visit, due)) return 0;
  // In parts of as many as the client has in flight, so that a hanging cluster costs the time limit of one request.
  const auto at_once = static_cast<std::size_t>(oar::Limits{}.parallel);
  int passed_on = 0;
  for (std::size_t first = 0; first < due.size() && visit.time_left() > process::Duration{0}; first += at_once) {
    const auto part = std::span{due}.subspan(first, std::min(at_once, due.size() - first));
    std::vector<grid::JobId> jobs;
    for (const auto& one : part) jobs.push_back(one.job);
    visit.database.transact(
        [&](store::Transaction& transaction) { jobs = store::note_signals_sent(transaction, jobs, store::now(transaction)); });
    // A signal that could not be noted would be sent in each turn.
    std::vector<oar::SignalOf> asked;
    for (const auto& one : part) {
      if (std::ranges::find(jobs, one.job) != jobs.end())
        asked.push_back({{one.login, one.remote}, grid::checkpoint_signal(one.signal).value_or(SIGUSR1)});
    }
    if (asked.empty()) continue;
    process::failpoint("nikita.before_signal");
    const auto answers = visit.client.signal(asked);
    process::failpoint("nikita.after_signal");
    std::vector<grid::JobId> done;
    for (std::size_t i = 0; i < answers.size(); ++i) {
      if (answers[i]) done.push_back(jobs[i]);
      else
        process::log::warning("job not signalled for a checkpoint",
                              {{"cluster", visit.cluster.name}, {"remote", asked[i].job.id}, {"error", oar::describe(answers[i].error())}});
    }
    visit.database.transact([&](store::Transaction& transaction) { store::note_signals_passed_on(transaction, done); });
    passed_on += static_cast<int>(done.size());
    if (std::ranges::none_of(answers, [](const auto& answer) { return answer || !fleet::was_silent(answer.error()); })) break;
  }
  return passed_on;
}

}  // namespace gleaner::nikita
