#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "sim/combinations/covering_array.hpp"

/// Features of the campaigns of a covering array, of their users' actions, and of their grid's configuration.
namespace gleaner::combinations {

/// A subject with its values, of which each campaign has one. Keys of a campaign file: members of its JSON. An empty text: nothing.
struct Feature {
  std::string name;
  std::vector<std::string> values;
};

enum class Stage {
  processes,  ///< a grid of processes, in real time (tests/system/combinations_test.cpp)
  world       ///< many grids on a virtual clock (sim/world): it plays more, settings of the grid among them
};
[[nodiscard]] std::vector<Feature> features(Stage stage);

/// The tasks of each campaign, by the numbers 0, 1, 2… with which their parameters begin. One always fails, one at first.
inline constexpr int kTasks = 8;
inline constexpr int kAlwaysFails = 3;
inline constexpr int kFailsOnce = 5;
inline constexpr int kStatusOfOnce = 8;  ///< of the one that fails once

/// In a value: the number of a campaign that comes before, of the same user, with as many tasks at least.
inline constexpr std::string_view kBefore{"PRE"};
/// The name of the feature that says what the user does.
inline constexpr std::string_view kAction{"action"};
/// A consumable that each task holds, where a campaign needs it.
inline constexpr std::string_view kConsumable{"licence"};
/// Names of settings of the grid begin so.
inline constexpr std::string_view kOfTheGrid{"grid "};
[[nodiscard]] bool is_of_the_grid(const Feature& feature);

/// Whether a campaign may have both: gridsub does not refuse it, and a user can do it.
[[nodiscard]] bool is_allowed(const std::vector<Feature>& features, const Pair& pair);

/// All occurrences.
[[nodiscard]] std::string replaced(std::string text, std::string_view what, std::string_view with);

}  // namespace gleaner::combinations
