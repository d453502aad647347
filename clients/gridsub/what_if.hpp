#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "clients/api_client.hpp"
#include "lib/terminal/output.hpp"
#include "sim/gridsim/engine/what_if.hpp"

/// Simulates the grid from its present state on this machine, to forecast when campaigns would end.
namespace gleaner::gridsub {

/// The real time that a simulation may take.
struct TimeBudget {
  std::chrono::milliseconds most = std::chrono::seconds{10};
  bool is_asked_for = false;  ///< more runs are done in it than are needed
};

/// The result of the simulation, for the renderings below.
struct Outlook {
  gridsim::Prospects prospects;
  std::vector<clients::Json> left_out;  ///< clusters that are not simulated
  TimeBudget budget{};
  bool follows = false;  ///< there are tasks that follow others to their clusters, and are simulated on any
};

/// Whether some of the scenario's campaigns come after others task by task and have several clusters: on the grid their tasks follow those
/// that they come after, in the simulation they start anywhere.
[[nodiscard]] bool has_followers(const std::vector<clients::Json>& live);

/// Requests the grid's state from the API and simulates it, with the campaigns that are not submitted behind the others (each is the
/// `candidate` of a check's answer). A terminal shows how far it is. Throws process::Error if the state cannot be read or simulated.
[[nodiscard]] Outlook simulate(clients::ApiClient& api, const std::vector<clients::Json>& candidates, const TimeBudget& budget,
                               terminal::Form form);

/// `[##   ] simulating: run 3, 2 h 10 min ahead, 4 s of 10 s`
[[nodiscard]] std::string simulation_line(const gridsim::Advance& advance, const TimeBudget& budget, std::size_t columns);

/// One line per campaign, and the assumptions.
[[nodiscard]] std::string describe(const Outlook& outlook, const terminal::Screen& screen);
[[nodiscard]] std::string to_json(const Outlook& outlook);

/// When the last campaign would start and end, and the basis of the forecast, in one or two sentences.
[[nodiscard]] std::string sentence_of(const Outlook& outlook, const terminal::Screen& screen);
/// The forecast of the last campaign as JSON, times in seconds from now.
[[nodiscard]] clients::Json forecast_json(const Outlook& outlook);

}  // namespace gleaner::gridsub
