#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Several campaigns in one file, `[{…}, {…}]`, which may come after each other by name.
namespace gleaner::jdl {

inline constexpr std::size_t kMostCampaigns = 1000;  ///< in one file

/// The texts of the campaigns, at most kMostCampaigns and one more, each as a campaign file of its own in which every character keeps its
/// line, and the first line its column. Empty: the text is no array of objects, and is one campaign, or wrong.
[[nodiscard]] std::optional<std::vector<std::string>> several_campaigns(std::string_view text);

/// The text of a campaign in JSON in which names of campaigns in `after`, `after_any_end` and `after_each` are replaced by their numbers.
/// Names that are not among `numbers` stay.
[[nodiscard]] std::string with_numbers(const std::string& text, const std::map<std::string, std::int64_t>& numbers);

}  // namespace gleaner::jdl
