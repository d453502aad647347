#include "metascheduler/planner/decision.hpp"

#include "lib/text/digest.hpp"

namespace gleaner::planner {
namespace {

constexpr std::array<std::string_view, 7> kStages{"feasible", "prioritize", "throttle", "match", "allocate", "size", "emit"};

}  // namespace

std::string_view name_of(Stage stage) { return kStages.at(static_cast<std::size_t>(stage)); }

std::string_view name_of(const Reason& reason) {
  return std::visit([](const auto& one) { return one.kName; }, reason);
}

std::uint64_t digest_of(const Decision& decision) {
  return text::Digest{}.add(decision.cluster).add(decision.stage).add(decision.jobs).add(decision.reason).value();
}

}  // namespace gleaner::planner
