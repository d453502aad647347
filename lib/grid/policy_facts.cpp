#include "lib/grid/policy_facts.hpp"

#include <algorithm>
#include <array>

namespace gleaner::grid {
namespace {

/// In the order of the enum.
constexpr std::array<std::string_view, 6> kLimitKinds{"running_jobs", "waiting_jobs",     "nodes",
                                                      "resources",    "resource_seconds", "consumable"};

}  // namespace

std::span<const std::string_view> limit_kind_names() { return kLimitKinds; }

std::string_view name_of(LimitKind kind) { return kLimitKinds[static_cast<std::size_t>(kind)]; }

std::optional<LimitKind> limit_kind(std::string_view name) {
  const auto* const found = std::ranges::find(kLimitKinds, name);
  return found == kLimitKinds.end() ? std::nullopt : std::optional{static_cast<LimitKind>(found - kLimitKinds.begin())};
}

std::string_view name_of(LimitEach each) {
  switch (each) {
    case LimitEach::user: return "user";
    case LimitEach::project: return "project";
    case LimitEach::campaign: break;
  }
  return "campaign";
}

std::optional<LimitEach> limit_each(std::string_view name) {
  const auto* const found = std::ranges::find(kLimitEach, name, [](LimitEach each) { return name_of(each); });
  return found == kLimitEach.end() ? std::nullopt : std::optional{*found};
}

}  // namespace gleaner::grid
