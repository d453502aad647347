#pragma once
#include <optional>
#include <string_view>

namespace gleaner::grid {

/// Whether a campaign's jobs carry out several tasks, one after the other (JDL key `temporal_grouping`).
enum class Grouping {
  off,
  on,    ///< from the first job on
  auto_  ///< once the tasks are known to be short
};

[[nodiscard]] constexpr std::string_view name_of(Grouping grouping) {
  switch (grouping) {
    case Grouping::on: return "true";
    case Grouping::auto_: return "auto";
    case Grouping::off: break;
  }
  return "false";
}

[[nodiscard]] constexpr std::optional<Grouping> grouping(std::string_view name) {
  for (const auto one : {Grouping::off, Grouping::on, Grouping::auto_}) {
    if (name_of(one) == name) return one;
  }
  return std::nullopt;
}

}  // namespace gleaner::grid
