#include "clients/forecast.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lib/terminal/times.hpp"

namespace gleaner::clients {
namespace {

using std::chrono::seconds;

std::optional<seconds> from_now(const Json& time, grid::Instant now) {
  if (!time.time()) return std::nullopt;
  return seconds{std::max<std::int64_t>(0, *time.time() - grid::to_unix(now))};
}

/// Rounds to the precision that a forecast can have: no seconds beside minutes.
seconds rounded(seconds duration) {
  const auto to = [&](std::int64_t step) { return seconds{(duration.count() + step / 2) / step * step}; };
  if (duration < seconds{600}) return duration;
  if (duration < seconds{86400}) return to(60);
  return to(3600);
}

/// `2 h 10 min`, `12 min`, `3 h`: units of 0 are omitted.
std::string words(seconds duration) { return terminal::length(rounded(duration)); }

/// The bound of a forecast that has an upper bound: the only time that means anything.
seconds bound_of(const Forecast& forecast) { return std::max(forecast.expected, forecast.latest.value_or(forecast.expected)); }

}  // namespace

std::optional<Forecast> forecast_of(const Json& object, std::string_view key, grid::Instant now) {
  const auto expected = from_now(object[key], now);
  if (!expected) return std::nullopt;
  const bool is_bound = key == "forecast_end" && object["forecast_method"].text() == "walltime";
  return Forecast{.expected = *expected,
                  .earliest = from_now(object[fmt::format("{}_earliest", key)], now),
                  .latest = from_now(object[fmt::format("{}_latest", key)], now),
                  .meaning = is_bound ? Forecast::Meaning::upper_bound : Forecast::Meaning::estimate};
}

std::string in_words(const Forecast& forecast) {
  if (forecast.meaning == Forecast::Meaning::upper_bound) return "at most " + words(bound_of(forecast));
  const auto expected = words(forecast.expected);
  if (!forecast.earliest || !forecast.latest) return expected;
  const auto earliest = words(*forecast.earliest);
  const auto latest = words(*forecast.latest);
  return earliest == latest && latest == expected ? expected : fmt::format("{} ({} to {})", expected, earliest, latest);
}

std::string short_length(seconds duration) {
  const auto s = rounded(duration).count();
  if (s < 60) return fmt::format("{}s", s);
  if (s < 600) return fmt::format("{}m{:02}s", s / 60, s % 60);
  if (s < 3600) return fmt::format("{}m", s / 60);
  if (s < 86400) return fmt::format("{}h{:02}m", s / 3600, s % 3600 / 60);
  return fmt::format("{}d{:02}h", s / 86400, s % 86400 / 3600);
}

std::string short_interval(const Forecast& forecast) {
  if (forecast.meaning == Forecast::Meaning::upper_bound) return "by " + short_length(bound_of(forecast));
  if (!forecast.earliest || !forecast.latest) return short_length(forecast.expected);
  const auto earliest = short_length(*forecast.earliest);
  const auto latest = short_length(*forecast.latest);
  return earliest == latest ? latest : fmt::format("{}-{}", earliest, latest);
}

std::string in_short(const Forecast& forecast) {
  if (forecast.meaning == Forecast::Meaning::upper_bound) return short_interval(forecast);
  const auto expected = short_length(forecast.expected);
  const auto interval = short_interval(forecast);
  return interval == expected ? expected : fmt::format("{} ({})", expected, interval);
}

std::string why_none(std::string_view method) {
  if (method == "paused") return "paused: no forecast until it is resumed";
  if (method == "awaits") return "another campaign comes first: no forecast until then";
  if (method == "held") return "some of its tasks are held: no forecast of its end until they are released";
  if (method == "braked") return "braked: no forecast until its brakes are over";
  if (method == "closed") return "none of its clusters takes tasks: no forecast until one does";
  if (method == "no_resources") return "its clusters have no live resources: no forecast until one has";
  if (method == "epilogue") return "its epilogue is left: no forecast of its end";
  if (method == "stale") return "planner or predictor fails: no forecast until both work";
  if (method == "standstill") return "the grid stands still: no forecast until a cycle ends";
  return {};
}

std::string basis_of(std::string_view method) {
  if (method == "throughput") return "the jobs that ended lately";
  if (method == "average") return "the mean duration of its jobs";
  if (method == "sharing") return "its turns, and those of the others on its clusters";
  if (method == "history") return "earlier campaigns of the same user and command";
  if (method == "walltime") return "its walltime, which is only a bound";
  return {};
}

}  // namespace gleaner::clients
