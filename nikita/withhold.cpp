#include "nikita/withhold.hpp"

#include <fmt/format.h>

#include <set>
#include <span>
#include <string>
#include <vector>

#include "lib/grid/campaign_folder.hpp"
#include "lib/process/log.hpp"
#include "lib/store/clock.hpp"
#include "lib/store/kills.hpp"

namespace gleaner::nikita {
namespace {

/// As a job writes it: the time, its host, its id and OAR's. Only messages contain it.
constexpr std::string_view kClaim = "0 cancelled 0 0\n";

/// Jobs that could not be claimed in a turn: one line of the log, whatever the number.
struct NotClaimed {
  std::vector<grid::JobId> jobs;
  std::string error;  ///< of the first one

  void add(grid::JobId job, const oar::Failure& failure) {
    if (jobs.empty()) error = oar::describe(failure);
    jobs.push_back(job);
  }
};

/// The next tasks, of logins whose homes have answered in this turn.
std::vector<store::PooledTask> next_part(std::span<const store::PooledTask>& rest, const std::set<std::string>& silent) {
  const auto at_once = static_cast<std::size_t>(oar::Limits{}.parallel);
  std::vector<store::PooledTask> part;
  for (; !rest.empty() && part.size() < at_once; rest = rest.subspan(1)) {
    if (!silent.contains(rest.front().login)) part.push_back(rest.front());
  }
  return part;
}

}  // namespace

int withhold(fleet::Visit& visit, const grid::Epochs& epochs) {
  std::vector<store::PooledTask> tasks;
  visit.database.transact([&](store::Transaction& transaction) {
    tasks = store::pooled_tasks_to_withhold(transaction, visit.cluster.id, store::now(transaction));
  });
  if (tasks.empty()) return 0;
  oar::Client client{visit.client.access(), fleet::file_limits_of(visit.config)};
  // In parts of as many as the client has in flight: a hanging home costs the time limit of one request, and its login gets no more then.
  int claimed = 0;
  NotClaimed failed;
  std::set<std::string> silent;
  for (std::span<const store::PooledTask> rest{tasks}; visit.time_left() > process::Duration{0};) {
    const auto part = next_part(rest, silent);
    if (part.empty()) break;
    std::vector<oar::FileOf> claims;
    for (const auto& task : part) {
      const auto folder = grid::fence_folder(epochs, task.campaign, task.fence);
      claims.push_back({{task.login, fmt::format("{}/{}.{}.claim", folder, task.task.value(), task.attempt)}, std::string{kClaim}});
    }
    const auto answers = client.create_files(claims);
    std::vector<grid::JobId> done;
    std::vector<grid::JobId> tried;
    for (std::size_t i = 0; i < answers.size(); ++i) {
      if (answers[i]) {
        done.push_back(part[i].job);
        continue;
      }
      tried.push_back(part[i].job);
      failed.add(part[i].job, answers[i].error());
      if (fleet::was_silent(answers[i].error())) silent.insert(part[i].login);
    }
    visit.database.transact([&](store::Transaction& transaction) {
      store::note_kills_sent(transaction, done, store::now(transaction));
      store::note_not_withheld(transaction, tried, store::now(transaction));
    });
    claimed += static_cast<int>(done.size());
  }
  if (!failed.jobs.empty())
    process::log::warning(
        "cancelled tasks of pools were not claimed",
        {{"cluster", visit.cluster.name}, {"jobs", failed.jobs.size()}, {"first", failed.jobs.front()}, {"error", failed.error}});
  return claimed;
}

}  // namespace gleaner::nikita
