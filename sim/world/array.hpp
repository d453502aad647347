#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/combinations/features.hpp"
#include "sim/world/campaigns.hpp"

/// The covering array of what a campaign file may say, a user may do and an administrator may configure (sim/combinations/features.hpp):
/// the campaigns of a world are rows of one array, the settings of its grid are a row of another one. The world of the next seed has the
/// next rows of both.
namespace gleaner::world {

/// So many rows are the campaigns of a world; with fewer campaigns, the last of these are left out, and more are those of the next seeds.
inline constexpr int kRowsOfWorld = 8;

/// All features, those of the grid last.
[[nodiscard]] const std::vector<combinations::Feature>& features_of_array();
/// For a campaign of a world: the value of each of them.
[[nodiscard]] std::vector<std::size_t> choices_of(std::uint64_t seed, int place);

/// The same as texts, by the features' names.
using Row = std::map<std::string, std::string, std::less<>>;
[[nodiscard]] Row row_of(std::uint64_t seed, int place);

/// The campaign of a row.
/// @param before  the one that comes before it
[[nodiscard]] Jdl campaign_of(const Settings& settings, int place, const Row& row, const std::vector<std::string>& clusters,
                              std::int64_t before);
/// The one that comes before it: each of its tasks succeeds. Nobody acts on it, and no other campaign has its name.
inline constexpr std::string_view kNameOfBefore{"before"};
[[nodiscard]] Jdl campaign_before(const Settings& settings, int place, const std::vector<std::string>& clusters);
/// The content of the input file of a task.
[[nodiscard]] std::string input_of(int task);

}  // namespace gleaner::world
