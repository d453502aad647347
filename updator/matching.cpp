#include "updator/matching.hpp"

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "lib/process/log.hpp"
#include "lib/store/clock.hpp"
#include "lib/store/matching.hpp"

namespace gleaner::updator {
namespace {

constexpr std::chrono::minutes kPeriod{10};
constexpr std::chrono::minutes kNonePeriod{1};  ///< nodes come back
constexpr std::size_t kMostQuestions = 4;       ///< in one turn

struct Told {
  grid::CampaignId campaign{0};
  std::optional<int> resources;
};

bool is_answered(const oar::Failure& failure) {
  return std::holds_alternative<oar::Refused>(failure) || std::holds_alternative<oar::ServerError>(failure);
}

/// Until the cluster does not answer, or the turn is over.
std::vector<Told> ask(fleet::Visit& visit, const std::vector<store::UnmatchedPair>& pairs) {
  std::vector<Told> told;
  std::map<std::tuple<std::string, bool>, std::optional<int>> known;
  for (const auto& pair : pairs) {
    const std::tuple question{pair.properties, pair.best_effort};
    auto answer = known.find(question);
    if (answer == known.end()) {
      if (known.size() == kMostQuestions) continue;
      if (visit.time_left() <= process::Duration::zero()) break;
      const auto found = visit.client.matching(pair.login, pair.properties, pair.best_effort ? oar::Effort::best : oar::Effort::normal);
      if (!found && !is_answered(found.error())) break;
      if (!found)
        process::log::warning("a cluster cannot tell which resources match", {{"cluster", visit.cluster.name},
                                                                              {"campaign", pair.campaign},
                                                                              {"properties", pair.properties},
                                                                              {"answer", oar::describe(found.error())}});
      answer = known.emplace(question, found ? std::optional{*found} : std::nullopt).first;
    }
    told.push_back({pair.campaign, answer->second});
  }
  return told;
}

}  // namespace

void match_properties(fleet::Visit& visit) {
  grid::Instant now;
  std::vector<store::UnmatchedPair> pairs;
  visit.database.transact([&](store::Transaction& transaction) {
    now = store::now(transaction);
    pairs = store::unmatched_pairs(transaction, visit.cluster.id, now - kPeriod, now - kNonePeriod);
  });
  if (pairs.empty()) return;
  const auto told = ask(visit, pairs);
  if (told.empty()) return;
  visit.database.transact([&](store::Transaction& transaction) {
    for (const auto& [campaign, resources] : told) store::record_matching(transaction, campaign, visit.cluster.id, resources, now);
  });
}

}  // namespace gleaner::updator
