#include "updator/matching.hpp"

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "lib/process/log.hpp"

namespace gleaner::updator {
namespace {

constexpr std::chrono::minutes kPeriod{10};
constexpr std::chrono::minutes kNonePeriod{1};  ///< shorter while no resource matches: nodes may come back
constexpr std::size_t kMostQuestions = 4;       ///< per turn

struct Answer {
  grid::CampaignId campaign{0};
  std::optional<int> resources;
};

bool is_answered(const oar::Failure& failure) {
  return std::holds_alternative<oar::Refused>(failure) || std::holds_alternative<oar::ServerError>(failure);
}

/// Stops when the cluster does not answer, or the turn is over. A question without an answer counts as asked: it comes last in the next
/// turn.
std::vector<Answer> ask(fleet::Visit& visit, const std::vector<store::UnmatchedPair>& pairs) {
  std::vector<Answer> answers;
  std::map<std::tuple<std::string, bool>, std::optional<int>> known;
  for (const auto& pair : pairs) {
    const std::tuple question{pair.properties, pair.best_effort};
    auto answer = known.find(question);
    if (answer == known.end()) {
      if (known.size() == kMostQuestions) continue;
      if (visit.time_left() <= process::Duration::zero()) break;
      const auto found = visit.client.matching(pair.login, pair.properties, pair.best_effort ? oar::Effort::best : oar::Effort::normal);
      if (!found && !is_answered(found.error())) {
        answers.push_back({pair.campaign, std::nullopt});
        break;
      }
      if (!found)
        process::log::warning("properties not matched", {{"cluster", visit.cluster.name},
                                                         {"campaign", pair.campaign},
                                                         {"properties", pair.properties},
                                                         {"answer", oar::describe(found.error())}});
      answer = known.emplace(question, found ? std::optional{*found} : std::nullopt).first;
    }
    answers.push_back({pair.campaign, answer->second});
  }
  return answers;
}

}  // namespace

Unmatched unmatched_here(store::Transaction& transaction, const fleet::Visit& visit, grid::Instant now) {
  return {store::unmatched_pairs(transaction, visit.cluster.id, now - kPeriod, now - kNonePeriod), now};
}

void match_properties(fleet::Visit& visit, const Unmatched& unmatched) {
  if (unmatched.pairs.empty()) return;
  const auto answers = ask(visit, unmatched.pairs);
  if (answers.empty()) return;
  visit.database.transact([&](store::Transaction& transaction) {
    for (const auto& [campaign, resources] : answers)
      store::record_matching(transaction, campaign, visit.cluster.id, resources, unmatched.at);
  });
}

}  // namespace gleaner::updator
