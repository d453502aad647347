#pragma once
#include <array>
#include <string_view>

#include "lib/grid/dependency.hpp"
#include "lib/grid/policy_facts.hpp"
#include "lib/grid/script.hpp"
#include "lib/grid/states.hpp"
#include "lib/grid/token_lack.hpp"

/// A figure of the catalogue: a member with its name. Also the words of enumerations.
namespace gleaner::decisions {

/// A figure: its name in JSON, and its member.
template <class Struct, class Value>
struct Figure {
  std::string_view name;
  Value Struct::*member;
  bool sparse = false;  ///< stored only if it is not 0, as it mostly is
};
/// A member whose figures are figures of the whole.
template <class Struct, class Value>
struct Part {
  Value Struct::*member;
};
/// A member that is one of several: a figure states the name of the alternative, whose figures are figures of the whole.
template <class Struct, class Value>
struct Choice {
  std::string_view name;
  Value Struct::*member;
};

template <class Struct, class Value>
[[nodiscard]] constexpr Figure<Struct, Value> figure(std::string_view name, Value Struct::*member) {
  return {name, member, false};
}
template <class Struct, class Value>
[[nodiscard]] constexpr Figure<Struct, Value> sparse(std::string_view name, Value Struct::*member) {
  return {name, member, true};
}
template <class Struct, class Value>
[[nodiscard]] constexpr Part<Struct, Value> part(Value Struct::*member) {
  return {member};
}
template <class Struct, class Value>
[[nodiscard]] constexpr Choice<Struct, Value> choice(std::string_view name, Value Struct::*member) {
  return {name, member};
}

/// The values of an enumeration; word_of names them.
template <class Enum>
inline constexpr std::array<Enum, 0> kWords{};
template <>
inline constexpr std::array kWords<grid::Preparation>{grid::Preparation::ready, grid::Preparation::prologue_due,
                                                      grid::Preparation::prologue_runs, grid::Preparation::prologue_failed,
                                                      grid::Preparation::epilogue_runs};
template <>
inline constexpr std::array kWords<grid::CampaignState>{grid::CampaignState::in_treatment, grid::CampaignState::paused,
                                                        grid::CampaignState::terminated, grid::CampaignState::cancelled};
template <>
inline constexpr auto kWords<grid::DependencyKind> = grid::kDependencyKinds;
template <>
inline constexpr auto kWords<grid::TokenFault> = grid::kTokenFaults;
template <>
inline constexpr std::array kWords<grid::LimitKind>{
    grid::LimitKind::running_jobs, grid::LimitKind::waiting_jobs,     grid::LimitKind::nodes,
    grid::LimitKind::resources,    grid::LimitKind::resource_seconds, grid::LimitKind::consumable};
template <>
inline constexpr auto kWords<grid::LimitEach> = grid::kLimitEach;

[[nodiscard]] constexpr std::string_view word_of(grid::Preparation preparation) {
  switch (preparation) {
    case grid::Preparation::ready: return "ready";
    case grid::Preparation::prologue_due: return "prologue_due";
    case grid::Preparation::prologue_runs: return "prologue_runs";
    case grid::Preparation::prologue_failed: return "prologue_failed";
    case grid::Preparation::epilogue_runs: break;
  }
  return "epilogue_runs";
}
[[nodiscard]] inline std::string_view word_of(grid::TokenFault fault) { return grid::name_of(fault); }
[[nodiscard]] inline std::string_view word_of(grid::CampaignState state) { return grid::name_of(state); }
[[nodiscard]] inline std::string_view word_of(grid::DependencyKind kind) { return grid::name_of(kind); }
[[nodiscard]] inline std::string_view word_of(grid::LimitKind kind) { return grid::name_of(kind); }
[[nodiscard]] inline std::string_view word_of(grid::LimitEach each) { return grid::name_of(each); }

}  // namespace gleaner::decisions
