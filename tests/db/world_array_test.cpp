#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iostream>
#include <set>
#include <vector>

#include "sim/combinations/features.hpp"
#include "sim/combinations/jdl_values.hpp"
#include "sim/world/array.hpp"

/// The covering array that worlds play (docs/architecture/world.md).
namespace gleaner::world {
namespace {

using combinations::Pair;

std::vector<Pair> pairs_of_array() {
  const auto& features = features_of_array();
  std::vector<std::size_t> sizes;
  for (const auto& feature : features) sizes.push_back(feature.values.size());
  return combinations::all_pairs(sizes, [&](const Pair& pair) { return combinations::is_allowed(features, pair); });
}

TEST(ArrayOfWorlds, HasEachPairOfValues_InTheWorldsOf25Seeds_WhereverTheyBegin) {
  constexpr std::uint64_t kWorlds = 25;
  const auto pairs = pairs_of_array();
  for (const std::uint64_t first : {1U, 777'000U}) {
    std::set<Pair> missing{pairs.begin(), pairs.end()};
    std::uint64_t worlds = 0;
    for (; !missing.empty() && worlds < kWorlds; ++worlds) {
      for (int place = 0; place < kRowsOfWorld; ++place) {
        for (const auto& pair : combinations::pairs_of(choices_of(first + worlds, place))) missing.erase(pair);
      }
    }
    std::cout << "[ pairs    ] " << pairs.size() << " in " << worlds * kRowsOfWorld << " campaigns of " << worlds << " worlds" << std::endl;
    const auto& features = features_of_array();
    for (const auto& pair : missing)
      ADD_FAILURE() << features[pair.first.dimension].name << " " << features[pair.first.dimension].values[pair.first.value] << " | "
                    << features[pair.second.dimension].name << " " << features[pair.second.dimension].values[pair.second.value];
  }
}

TEST(ArrayOfWorlds, CoversEachKeyOfACampaignFile_ThatAWorldCanPlay) {
  // Each campaign has these, or CiGri's other names for what others say; or the value says it within another key's. A world has no herald,
  // and no gridsub, which fetches the outputs that input_from names.
  std::string all;
  for (const auto& feature : features_of_array()) {
    for (const auto& value : feature.values) all += value + "\n";
  }
  const std::set<std::string_view> not_played{
      "jobs_type",         "parameter_names",   "output_file", "output_destination", "output_gathering_method",
      "prologue_walltime", "epilogue_walltime", "notify",      "input_from"};
  for (const auto& value : combinations::kValues) {
    if (not_played.contains(value.key)) continue;
    EXPECT_NE(all.find(std::string{"\""} + std::string{value.key} + "\":"), std::string::npos) << value.key;
  }
}

TEST(ArrayOfWorlds, IsNotAmongWhatIsPlayedUnasked) {
  EXPECT_FALSE(all_features().contains(Feature::array));
  EXPECT_THAT(help_text(), testing::HasSubstr("array"));
}

}  // namespace
}  // namespace gleaner::world
