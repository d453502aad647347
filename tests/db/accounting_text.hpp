#pragma once
#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "lib/grid/planning_facts.hpp"
#include "lib/store/kills.hpp"
#include "lib/store/prediction.hpp"

/// Facts as lines of text, to compare those of production with those of gridsim.
namespace gleaner::tests::accounting {

/// `-` for none.
template <class Number>
std::string text_of(std::optional<Number> number) {
  return number ? fmt::format("{:.6g}", static_cast<double>(*number)) : "-";
}
[[nodiscard]] std::string text_of(std::optional<grid::Instant> instant);
[[nodiscard]] std::string text_of(const grid::PairFacts& pair);
[[nodiscard]] std::string text_of(const grid::CampaignFacts& campaign);
[[nodiscard]] std::string text_of(const store::PredictionPair& pair);
[[nodiscard]] std::string text_of(const store::PredictionCampaign& campaign);
[[nodiscard]] std::string text_of(const grid::Limit& limit);
[[nodiscard]] std::string text_of(const grid::Ending& ending);
[[nodiscard]] std::string text_of(const grid::DyingJobs& jobs);
[[nodiscard]] std::string text_of(const grid::Replicable& tasks);
[[nodiscard]] std::string text_of(const store::WaitingJob& job);
/// Index of the campaign, task, attempt.
using AttemptKey = std::tuple<int, std::int64_t, int>;
[[nodiscard]] std::string text_of(const AttemptKey& key);

template <class Things>
std::vector<std::string> texts(const Things& things) {
  std::vector<std::string> all;
  for (const auto& one : things) all.push_back(text_of(one));
  return all;
}

/// The sums by user, project and day.
[[nodiscard]] std::vector<std::string> texts_of_usage(const std::vector<grid::UsageOfDay>& usage);

/// The lines in which the two differ; empty: none.
[[nodiscard]] std::string difference(const std::vector<std::string>& booked, const std::vector<std::string>& stored);

}  // namespace gleaner::tests::accounting
