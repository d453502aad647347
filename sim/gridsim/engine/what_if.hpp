#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

/// A grid played forward from its present state. This is the header of the simulator that clients may
/// include: gridsub plays on its user's machine, so that no user can load the server.
namespace gleaner::gridsim {

/// Seconds from now: the median of the runs, and the bounds between which 8 of 10 of them are.
struct Times {
  double expected = 0;
  double earliest = 0;
  double latest = 0;
};

/// How a campaign goes on.
struct Prospect {
  std::int64_t id = 0;  ///< 0: it is not submitted
  std::string name;
  std::string user;
  bool paused = false;
  bool started = false;        ///< before now
  std::optional<Times> start;  ///< nothing: it has started, or does not in most runs
  std::optional<Times> end;    ///< nothing: it does not end in most runs
  std::string evidence;        ///< own, history or walltime
  std::int64_t seen = 0;       ///< jobs that show how long its tasks take
  std::int64_t group = 1;      ///< tasks played as one
};

/// What others hold of a cluster, now and, as far as is known, for ever.
struct Held {
  std::string cluster;
  int held = 0;
  int resources = 0;
};

struct Prospects {
  std::vector<Prospect> campaigns;  ///< as in the scenario
  std::vector<Held> clusters;
  int runs = 0;
  double horizon = 0;  ///< seconds that were played at most
};

struct Effort {
  int most_runs = 20;
  int least_runs = 9;           ///< of fewer, one in ten is beyond all
  double seconds = 3;           ///< after which no further run begins, once the least are played
  double most_seconds = 30;     ///< after which none begins at all
  std::int64_t tasks = 20'000;  ///< of all campaigns, beyond which tasks are played in groups
};

/// Plays a scenario with `live` campaigns several times, each with other durations: of what was seen, as
/// many are drawn again as were seen (bootstrap), and their mean is varied by 0.3 / sqrt(seen), as few
/// jobs tell little. The error is everything that is wrong with the scenario.
[[nodiscard]] tl::expected<Prospects, std::string> what_if(std::string_view scenario, const Effort& effort = {});

}  // namespace gleaner::gridsim
