#include "metascheduler/planner/explain_words.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>

#include "lib/grid/dust.hpp"

namespace gleaner::planner {

using grid::kDust;

std::string figure(double value) {
  auto text = fmt::format("{:.2f}", value);
  while (text.ends_with('0')) text.pop_back();
  if (text.ends_with('.')) text.pop_back();
  return text;
}

std::string counted(std::int64_t count, std::string_view thing) { return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s"); }

std::string utc(grid::Instant time) { return fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", std::chrono::floor<grid::Seconds>(time)); }

std::string until(const Brake& brake) {
  if (!brake.until) return "until the brake is cleared";
  return fmt::format("until {}, or until the brake is cleared", utc(*brake.until));
}

std::string before_trial(int failures, const std::string& brake) {
  return brake.empty() ? fmt::format("{} in a row failed there", counted(failures, "job")) : fmt::format("the brake ({})", brake);
}

std::string campaigns(const Takers& takers) {
  const auto begin = takers.ids.begin();
  return fmt::format("{} {}", takers.count == 1 ? "campaign" : "campaigns", fmt::join(begin, begin + takers.count, ", "));
}

std::string offer(const OfferParts& parts) {
  auto text = fmt::format("{} of {} resources are free", parts.free_resources, parts.max_resources);
  if (parts.busy_resources > 0) text += fmt::format(", {} of these are busy without a job (load)", parts.busy_resources);
  if (parts.kept_resources > 0) text += fmt::format(", {} stay free for local jobs (headroom)", parts.kept_resources);
  text += fmt::format(", {} may wait", figure(parts.flood_resources));
  if (parts.waiting_resources > 0.0) text += fmt::format(", {} wait already", figure(parts.waiting_resources));
  const double given = parts.unaccounted_resources - parts.unknown_resources;
  if (given > kDust) text += fmt::format(", {} were just given", figure(given));
  if (parts.unknown_jobs > 0)
    text +=
        fmt::format(", {} are held for {} of {} whose fate is unknown", figure(parts.unknown_resources), counted(parts.unknown_jobs, "job"),
                    parts.unknown_launches == 1 ? "1 launch" : fmt::format("{} launches", parts.unknown_launches));
  return text;
}

bool is_kept_by_unknown(const OfferParts& parts, double job_resources) {
  const double room = std::max(0, parts.free_resources - parts.busy_resources - parts.kept_resources) + parts.flood_resources -
                      parts.waiting_resources - parts.unaccounted_resources;
  return parts.unknown_jobs > 0 && room + parts.unknown_resources + kDust >= job_resources;
}

std::string in_brackets(const std::string& note) { return note.empty() ? std::string{} : fmt::format(" ({})", note); }

}  // namespace gleaner::planner
