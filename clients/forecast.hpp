#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "clients/json.hpp"
#include "lib/grid/time.hpp"

/// Forecast times as text for people.
namespace gleaner::clients {

/// Durations from now: the expected one, and the interval that holds 8 of 10 cases.
struct Forecast {
  std::chrono::seconds expected{};
  std::optional<std::chrono::seconds> earliest{};
  std::optional<std::chrono::seconds> latest{};
  /// `estimate`: the expected time is the likely one. `upper_bound`: nothing but `latest` (else `expected`) is known.
  enum class Meaning { estimate, upper_bound } meaning = Meaning::estimate;
};

/// `forecast_end` (or `_start`) with its `_earliest` and `_latest`. Empty: it is null. An end that rests on the walltime is a bound.
[[nodiscard]] std::optional<Forecast> forecast_of(const Json& object, std::string_view key, grid::Instant now);

/// `2 h 10 min (1 h 50 min to 2 h 45 min)`; `2 h 10 min` without an interval, or if the interval adds nothing; `at most 2 h 45 min` of a
/// bound.
[[nodiscard]] std::string in_words(const Forecast& forecast);
/// The same in few columns: `2h10m (1h50m-2h45m)`; `by 2h45m`.
[[nodiscard]] std::string in_short(const Forecast& forecast);
/// `2h10m`, `45s`, `3d04h`.
[[nodiscard]] std::string short_length(std::chrono::seconds duration);
/// The interval alone: `1h50m-2h45m`; `by 2h45m`.
[[nodiscard]] std::string short_interval(const Forecast& forecast);

/// Why there is no forecast, by its method: `paused: no forecast until it is resumed`. Empty: none of the reasons known here.
[[nodiscard]] std::string why_none(std::string_view method);

/// The basis of a forecast: `the jobs that ended lately`. Empty for `none`.
[[nodiscard]] std::string basis_of(std::string_view method);

}  // namespace gleaner::clients
