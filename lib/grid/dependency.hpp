#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "lib/grid/id.hpp"
#include "lib/grid/states.hpp"

/// Dependencies between campaigns: one waits for another.
namespace gleaner::grid {

/// The condition on which a campaign waits (the JDL key of that name).
enum class DependencyKind {
  after,          ///< every task of the other one is done
  after_any_end,  ///< the other one is over, whatever became of its tasks
  after_each      ///< task by task: task i waits until task i of the other one is done
};

inline constexpr std::array kDependencyKinds{DependencyKind::after, DependencyKind::after_any_end, DependencyKind::after_each};

[[nodiscard]] constexpr std::string_view name_of(DependencyKind kind) {
  switch (kind) {
    case DependencyKind::after: return "after";
    case DependencyKind::after_any_end: return "after_any_end";
    case DependencyKind::after_each: break;
  }
  return "after_each";
}

[[nodiscard]] constexpr std::optional<DependencyKind> dependency_kind(std::string_view name) {
  for (const auto kind : kDependencyKinds) {
    if (name_of(kind) == name) return kind;
  }
  return std::nullopt;
}

/// A campaign that another one waits for, as far as it keeps the other one waiting.
struct Awaited {
  CampaignId campaign{0};
  DependencyKind kind = DependencyKind::after;
  std::optional<CampaignState> state;      ///< empty: it was deleted
  std::int64_t tasks = 0;                  ///< all of its tasks
  std::int64_t left = 0;                   ///< those that are not settled
  std::int64_t failed = 0, cancelled = 0;  ///< those that will not be done by themselves
  std::optional<std::int64_t> first_failed;
};

/// Whether it stays so unless a user does something: it was deleted or cancelled, or tasks of it failed or were cancelled.
[[nodiscard]] inline bool is_stuck(const Awaited& awaited) {
  if (!awaited.state) return true;
  if (awaited.kind == DependencyKind::after_any_end) return false;
  return *awaited.state == CampaignState::cancelled || awaited.failed > 0 || awaited.cancelled > 0;
}

}  // namespace gleaner::grid
