#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

/// Simulates a grid from its present state. This is the only header of the simulator for clients: gridsub simulates on its user's machine,
/// so that users cannot load the server.
namespace gleaner::gridsim {

/// Seconds from now: the median of the runs, and the bounds that hold 8 of 10 of them.
struct Times {
  double expected = 0;
  double earliest = 0;
  double latest = 0;
};

/// The forecast of one campaign.
struct Prospect {
  std::int64_t id = 0;  ///< 0: not submitted
  std::string name;
  std::string user;
  bool paused = false;
  std::string blocked{};  ///< why nothing of its bag is sent anywhere now, and no time is forecast: paused, awaits, held, braked or closed
  bool started = false;   ///< true: it has started before now
  std::optional<Times> start;  ///< empty: it has started already, or does not start in most runs
  /// Its start waits for jobs of others of which no duration is known: they are assumed to run to their walltimes.
  bool behind_walltimes = false;
  std::optional<Times> end;  ///< empty: it does not end in most runs
  std::string evidence;      ///< own, history or walltime
  std::int64_t seen = 0;     ///< jobs by which the durations of its tasks are known
  std::int64_t group = 1;    ///< tasks simulated as one
};

/// The resources of a cluster that others hold now, and, as far as is known, for ever.
struct Held {
  std::string cluster;
  int held = 0;
  int resources = 0;
};

struct Prospects {
  std::vector<Prospect> campaigns;  ///< as in the scenario
  std::vector<Held> clusters;
  int runs = 0;
  bool out_of_time = false;             ///< the time was over before the least number of runs was done: intervals hold fewer cases
  std::optional<double> known_until{};  ///< the time was over in the only run, when so many seconds were simulated: later times are unknown
  double horizon = 0;                   ///< the most seconds that were simulated
};

/// How far a simulation has come.
struct Advance {
  int runs = 0;          ///< done
  double simulated = 0;  ///< seconds of the present run
  double spent = 0;      ///< real seconds
};

struct Effort {
  int most_runs = 20;
  int least_runs = 9;  ///< with fewer runs there are no quantiles of 10 % and 90 %
  double seconds = 3;  ///< real seconds after which no further run begins, once the least number is done
  double most_seconds =
      600;  ///< real seconds after which the simulation stops; a run that is not done by then counts if it is the only one
  std::int64_t tasks = 20'000;                   ///< of all campaigns; beyond this number, tasks are simulated in groups
  std::function<void(const Advance&)> report{};  ///< called some ten times a second
  std::function<double()> clock{};               ///< real seconds since any moment; empty: the host's
};

/// Simulates a scenario with `live` campaigns several times, each with other durations: from the observed ones, as many are drawn with
/// replacement (bootstrap), and their mean is varied by 0.3 / sqrt(observed), because few jobs are weak evidence. Error: all errors of the
/// scenario.
[[nodiscard]] tl::expected<Prospects, std::string> what_if(std::string_view scenario, const Effort& effort = {});

}  // namespace gleaner::gridsim
