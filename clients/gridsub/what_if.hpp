#pragma once
#include <optional>
#include <string>
#include <vector>

#include "clients/api_client.hpp"
#include "lib/terminal/output.hpp"
#include "sim/gridsim/engine/what_if.hpp"

/// The grid played forward on this machine: when would each campaign end?
namespace gleaner::gridsub {

/// What came of it, and what to say of it.
struct Outlook {
  gridsim::Prospects prospects;
  std::vector<clients::Json> left_out;  ///< clusters that play no part
};

/// Asks the API for the grid's state and plays it, with the campaigns that are not submitted behind the
/// others (each the `candidate` of a check's answer). Throws process::Error when that cannot be done.
[[nodiscard]] Outlook play(clients::ApiClient& api, const std::vector<clients::Json>& candidates);

/// A line a campaign, and what was supposed.
[[nodiscard]] std::string describe(const Outlook& outlook, const terminal::Screen& screen);
[[nodiscard]] std::string to_json(const Outlook& outlook);

/// Of the last campaign, a sentence or two: when it would start and end, and what that rests on.
[[nodiscard]] std::string sentence_of(const Outlook& outlook, const terminal::Screen& screen);
/// The same as JSON, times in seconds from now.
[[nodiscard]] clients::Json forecast_json(const Outlook& outlook);

}  // namespace gleaner::gridsub
