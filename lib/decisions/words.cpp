#include "lib/decisions/words.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>

#include "lib/grid/dust.hpp"

namespace gleaner::decisions {

using grid::kDust;

namespace {

std::string_view unit(grid::LimitKind kind) {
  switch (kind) {
    case grid::LimitKind::running_jobs: return "jobs at once";
    case grid::LimitKind::waiting_jobs: return "jobs in a queue";
    case grid::LimitKind::nodes: return "nodes at once";
    case grid::LimitKind::resources: return "resources at once";
    case grid::LimitKind::resource_seconds: return "resource-seconds in its window";
    case grid::LimitKind::consumable: return "at once";
  }
  return "";
}

/// ", 40 by campaign 12, 8 by campaign 15": the other campaigns that hold most.
std::string text_of_holders(const LimitInForce& limit) {
  std::vector<std::string> parts;
  for (const auto& holder : limit.holders) parts.push_back(fmt::format("{:.0f} by campaign {}", holder.used, holder.campaign.value()));
  if (limit.used_by_others > kDust) parts.push_back(fmt::format("{:.0f} by others", limit.used_by_others));
  if (!parts.empty()) return fmt::format(", {}", fmt::join(parts, ", "));
  return limit.used > kDust ? ", all by this campaign" : "";
}

}  // namespace

std::string name_of(const LimitInForce& limit) {
  const auto& target = limit.target;
  std::vector<std::string> whom;
  if (target.consumable) whom.push_back(fmt::format("consumable {}", *target.consumable));
  const auto add = [&](grid::LimitEach what, const std::string& name) {
    whom.push_back(target.each == what ? fmt::format("each {}: {}", grid::name_of(what), name)
                                       : fmt::format("{} {}", grid::name_of(what), name));
  };
  if (target.user) add(grid::LimitEach::user, *target.user);
  if (target.group) whom.push_back(fmt::format("group {}", *target.group));
  if (target.project) add(grid::LimitEach::project, *target.project);
  if (target.campaign) add(grid::LimitEach::campaign, std::to_string(target.campaign->value()));
  if (target.this_cluster) whom.emplace_back("this cluster");
  if (whom.empty()) whom.emplace_back("the whole grid");
  return fmt::format("limit {} ({})", limit.id, fmt::join(whom, ", "));
}

std::string text_of(const LimitInForce& limit) {
  const auto needs = limit.job_needs ? fmt::format(", and a job needs {:.0f}", *limit.job_needs) : std::string{};
  if (limit.kind == grid::LimitKind::consumable)
    return fmt::format("{}: {:.0f} of {:.0f} are in use{}{}", name_of(limit), limit.used, limit.most, text_of_holders(limit), needs);
  return fmt::format("{}: at most {:.0f} {}, {:.0f} now{}", name_of(limit), limit.most, unit(limit.kind), limit.used, needs);
}

std::string remedy_of(const LimitInForce& limit) {
  constexpr std::string_view kLarger{"with a larger limit ('gridctl limit set')"};
  // Those that start at once do not count against it.
  if (limit.kind == grid::LimitKind::waiting_jobs) return fmt::format("when resources are free there, or {}", kLarger);
  const bool is_by_job = limit.kind == grid::LimitKind::running_jobs || limit.kind == grid::LimitKind::resource_seconds;
  if (!limit.fits_one_job) return fmt::format("{}{}", kLarger, is_by_job ? "" : ", or when it needs less");
  // The end of a job frees nothing of it.
  if (limit.kind == grid::LimitKind::resource_seconds)
    return fmt::format("when use of {} ago leaves the window, or {}",
                       limit.window_days == 1 ? "a day" : fmt::format("{} days", limit.window_days), kLarger);
  return fmt::format("when jobs end, or {}", kLarger);
}

std::string text_of(const FileServerLoad& server, std::string_view where) {
  const auto home = server.home.empty() ? std::string{} : fmt::format(" (shared home '{}')", server.home);
  const auto job = server.of_job ? fmt::format(", and a job of the campaign {} MB/s", figure(*server.of_job)) : std::string{};
  return fmt::format("the file server {}{} bears {} MB/s, live jobs read and write {} MB/s{}", where, home, figure(server.bears),
                     figure(server.load), job);
}

std::string remedy_of(const FileServerLoad& server) {
  constexpr std::string_view kMore{"if it bears more ('gridctl cluster edit NAME --file-server MB/S')"};
  if (server.of_job && *server.of_job > server.bears) return fmt::format("one at a time, or more {}", kMore);
  return fmt::format("when jobs end, or {}", kMore);
}

std::string list_of(const std::vector<std::string>& texts) { return fmt::format("{}", fmt::join(texts, ", ")); }

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
  if (parts.asleep_resources > 0)
    text += fmt::format(", {} of these on {} left asleep (empty{})", parts.asleep_resources, counted(parts.asleep_nodes, "node"),
                        parts.unnamed_nodes ? "; too many to be named, so OAR may wake them" : "");
  if (parts.kept_for_others > kDust) text += fmt::format(", {} are kept for other campaigns", figure(parts.kept_for_others));
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
  const auto free =
      std::max<std::int64_t>(0, std::int64_t{parts.free_resources} - parts.busy_resources - parts.kept_resources - parts.asleep_resources);
  const double room =
      static_cast<double>(free) - parts.kept_for_others + parts.flood_resources - parts.waiting_resources - parts.unaccounted_resources;
  return parts.unknown_jobs > 0 && room + parts.unknown_resources + kDust >= job_resources;
}

std::string in_brackets(const std::string& note) { return note.empty() ? std::string{} : fmt::format(" ({})", note); }

}  // namespace gleaner::decisions
