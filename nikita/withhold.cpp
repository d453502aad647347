#include "nikita/withhold.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

#include "lib/grid/campaign_folder.hpp"
#include "lib/process/log.hpp"
#include "lib/store/clock.hpp"
#include "lib/store/kills.hpp"

namespace gleaner::nikita {
namespace {

/// As a job writes it: the time, its host, its id and OAR's. Only messages contain it.
constexpr std::string_view kClaim = "0 cancelled 0 0\n";

}  // namespace

int withhold(fleet::Visit& visit, const grid::Epochs& epochs) {
  std::vector<store::PooledTask> tasks;
  visit.database.transact([&](store::Transaction& transaction) { tasks = store::pooled_tasks_to_withhold(transaction, visit.cluster.id); });
  if (tasks.empty()) return 0;
  oar::Client client{visit.client.access(), fleet::file_limits_of(visit.config)};
  // In parts of as many as the client has in flight, so that a hanging cluster costs the time limit of one request.
  const auto at_once = static_cast<std::size_t>(oar::Limits{}.parallel);
  int claimed = 0;
  for (std::size_t first = 0; first < tasks.size() && visit.time_left() > process::Duration{0}; first += at_once) {
    const auto part = std::span{tasks}.subspan(first, std::min(at_once, tasks.size() - first));
    std::vector<oar::FileOf> claims;
    for (const auto& task : part) {
      const auto folder = grid::fence_folder(epochs, task.campaign, task.fence);
      claims.push_back({{task.login, fmt::format("{}/{}.{}.claim", folder, task.task.value(), task.attempt)}, std::string{kClaim}});
    }
    const auto answers = client.create_files(claims);
    std::vector<grid::JobId> done;
    for (std::size_t i = 0; i < answers.size(); ++i) {
      if (answers[i]) done.push_back(part[i].job);
      else
        process::log::warning("a cancelled task of a pool was not claimed",
                              {{"cluster", visit.cluster.name}, {"job", part[i].job}, {"error", oar::describe(answers[i].error())}});
    }
    visit.database.transact([&](store::Transaction& transaction) { store::note_kills_sent(transaction, done, store::now(transaction)); });
    claimed += static_cast<int>(done.size());
    if (std::ranges::none_of(answers, [](const auto& answer) { return answer || !fleet::was_silent(answer.error()); })) break;
  }
  return claimed;
}

}  // namespace gleaner::nikita
