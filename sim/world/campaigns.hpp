#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/combinations/features.hpp"
#include "sim/world/random.hpp"
#include "sim/world/settings.hpp"

namespace gleaner::world {

/// How a task behaves; its parameter says it (`run=120 exit=0 fails=1`), so that whoever executes the task knows it from its command line.
struct Behaviour {
  std::int64_t seconds = 60;
  int status = 0;       ///< its exit status
  int fails = 0;        ///< so many first attempts fail
  int fails_with = 1;   ///< with this status
  bool saves = false;   ///< it writes a checkpoint at the signal; with one, it takes half of the time
  bool leaves = false;  ///< it leaves a file result-TASK.dat
};
/// The consumables that campaigns need, and how many of them the grid has.
using combinations::kConsumable;
[[nodiscard]] inline bool has_licences(const Settings& settings) {
  return settings.features.contains(Feature::needs) || settings.features.contains(Feature::array);
}
[[nodiscard]] double licences_of(const Settings& settings);
/// In the stderr of each task that fails, which is for its owner.
inline constexpr std::string_view kSecret{"hunter2"};
/// The words of a parameter.
[[nodiscard]] std::string text_of(const Behaviour& behaviour);
/// Read from a command line that holds them; empty: it does not.
[[nodiscard]] std::optional<Behaviour> behaviour_in(std::string_view command_line);

/// A campaign, as its user writes it.
struct Jdl {
  std::string user;
  std::string text;  ///< the JDL, as JSON
  std::int64_t tasks = 0;
  bool best_effort = true;
};

/// The parts of earlier campaigns that a user can name.
struct Earlier {
  std::int64_t id;
  std::string user;
  std::int64_t tasks;
};

inline constexpr std::array<std::string_view, 4> kUsers{"alice", "bob", "carol", "dora"};

/// Draws campaigns from the seed: the campaign with a place is the same, however many others there are.
[[nodiscard]] Jdl campaign_at(const Settings& settings, int place, const std::vector<std::string>& clusters,
                              const std::vector<Earlier>& earlier);
/// A parameter for a task that is appended.
[[nodiscard]] std::string parameter_of(const Settings& settings, Random& random);

}  // namespace gleaner::world
