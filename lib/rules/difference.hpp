#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gleaner::rules {

/// One value that is not as it was; as JSON, nothing where there is none.
struct Change {
  std::string path;  ///< `clusters.alpha.walltime`
  std::optional<std::string> before;
  std::optional<std::string> after;
  bool operator==(const Change&) const = default;
};

/// `clusters.alpha.walltime: "12:00:00" -> "2:00:00"`, `clusters.beta: taken away`.
[[nodiscard]] std::string text_of(const Change& change);

/// What differs between two JSON documents, in the order of the first one, then what is new. Objects
/// are compared member by member, anything else as a whole.
[[nodiscard]] std::vector<Change> differences(std::string_view before, std::string_view after);

}  // namespace gleaner::rules
