#include "nikita/resent.hpp"

#include <variant>

namespace gleaner::nikita {
namespace {

constexpr int kLongestChain = 8;

enum class Answer { go_on, alive, over, unknown };

/// One link: `go_on` if the job was submitted again, and `kill` has the next id then.
Answer follow(const oar::Result<oar::JobDetails>& details, store::PendingKill& kill) {
  if (!details) {
    const auto* const refused = std::get_if<oar::Refused>(&details.error());
    return refused != nullptr && refused->status == 404 ? Answer::over : Answer::unknown;
  }
  if (details->resubmitted_as) {
    kill.remote = *details->resubmitted_as;
    return Answer::go_on;
  }
  return is_over(details->job.state) ? Answer::over : Answer::alive;
}

}  // namespace

std::vector<store::PendingKill> resolve_resent(fleet::Visit& visit, std::vector<store::PendingKill> kills) {
  std::vector<store::PendingKill> resolved, open;
  for (auto& kill : kills) (kill.reason == store::KillReason::resent ? open : resolved).push_back(std::move(kill));
  std::vector<grid::JobId> over;
  for (int link = 0; link < kLongestChain && !open.empty() && visit.time_left() > process::Duration{0}; ++link) {
    std::vector<oar::JobOf> asked;
    for (const auto& kill : open) asked.push_back({kill.login, kill.remote});
    const auto answers = visit.client.details(asked);
    std::vector<store::PendingKill> further;
    for (std::size_t i = 0; i < open.size(); ++i) {
      switch (follow(answers[i], open[i])) {
        case Answer::go_on: further.push_back(std::move(open[i])); break;
        case Answer::alive: resolved.push_back(std::move(open[i])); break;
        case Answer::over: over.push_back(open[i].job); break;
        case Answer::unknown: break;
      }
    }
    open = std::move(further);
  }
  if (!over.empty()) visit.database.transact([&](store::Transaction& transaction) { store::drop_kills_of_resent(transaction, over); });
  return resolved;
}

}  // namespace gleaner::nikita
