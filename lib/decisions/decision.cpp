#include "lib/decisions/decision.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lib/text/digest.hpp"
#include "lib/text/numbers.hpp"

namespace gleaner::decisions {
namespace {

constexpr std::array<std::string_view, 7> kStages{"feasible", "prioritize", "throttle", "match", "allocate", "size", "emit"};

}  // namespace

std::string_view name_of(Stage stage) { return kStages.at(static_cast<std::size_t>(stage)); }

std::optional<Stage> stage_of(std::string_view name) {
  const auto found = std::ranges::find(kStages, name);
  return found == kStages.end() ? std::nullopt : std::optional{static_cast<Stage>(found - kStages.begin())};
}

std::string_view name_of(const Reason& reason) {
  return std::visit([](const auto& one) { return one.kName; }, reason);
}

double rounded(double value, int decimals) {
  const auto text = fmt::format("{:.{}f}", value, decimals);
  // No minus before a zero: the database keeps none.
  return text::real_number(text).value_or(value) + 0.0;
}

std::uint64_t digest_of(const Decision& decision) {
  return text::Digest{}.add(decision.cluster).add(decision.stage).add(decision.jobs).add(decision.reason).value();
}

std::uint64_t digest_of(const Standing& standing) { return text::Digest{}.add(Standing::kName).add(standing).value(); }

}  // namespace gleaner::decisions
