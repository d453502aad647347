#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace gleaner::grid {

/// The consumables that each task of a campaign needs (licences and the like, which all clusters share): how many of each, by its name.
using Needs = std::map<std::string, int, std::less<>>;

/// The most consumables of one campaign, and the most of one that a task needs.
inline constexpr std::size_t kMostNeeds = 50;
inline constexpr int kGreatestNeed = 1'000'000;

/// Letters, digits, `_`, `-`, `.` and `:`; 1 to 64 of them.
[[nodiscard]] bool is_consumable_name(std::string_view name);
/// 0: a task needs none.
[[nodiscard]] int need_of(const Needs& needs, std::string_view consumable);
/// Reads `gpu=2 matlab=1`, as the SQL function needs_text writes it. Empty: it is something else.
[[nodiscard]] std::optional<Needs> parse_needs(std::string_view text);

}  // namespace gleaner::grid
