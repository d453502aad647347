#pragma once
#include <optional>
#include <string_view>

namespace gleaner::grid {

/// Whether a campaign's jobs carry out several tasks, one after the other (JDL key and option `temporal_grouping`).
enum class Grouping {
  off,
  on,     ///< from the first job on
  auto_,  ///< once the tasks are known to be short
  advise  ///< no; gridstat shows what it would gain
};

[[nodiscard]] constexpr bool is_grouped(Grouping grouping) { return grouping == Grouping::on || grouping == Grouping::auto_; }

[[nodiscard]] constexpr std::string_view name_of(Grouping grouping) {
  switch (grouping) {
    case Grouping::on: return "true";
    case Grouping::auto_: return "auto";
    case Grouping::advise: return "advise";
    case Grouping::off: break;
  }
  return "false";
}

[[nodiscard]] constexpr std::optional<Grouping> grouping(std::string_view name) {
  for (const auto one : {Grouping::off, Grouping::on, Grouping::auto_, Grouping::advise}) {
    if (name_of(one) == name) return one;
  }
  return std::nullopt;
}

}  // namespace gleaner::grid
