#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gleaner::rules {

/// One changed value, as JSON; empty: there is none.
struct Change {
  std::string path;  ///< `clusters.alpha.walltime`
  std::optional<std::string> before;
  std::optional<std::string> after;
  bool operator==(const Change&) const = default;
};

/// `clusters.alpha.walltime: "12:00:00" -> "2:00:00"`, `clusters.beta: taken away`.
[[nodiscard]] std::string text_of(const Change& change);

/// The differences between two JSON documents: first in the order of `before`, then the new values. Objects are compared member by member,
/// all other values as a whole.
[[nodiscard]] std::vector<Change> differences(std::string_view before, std::string_view after);

}  // namespace gleaner::rules
