// Why a campaign's jobs run, or do not.
#include <fmt/format.h>

#include <algorithm>

#include "clients/events_view.hpp"
#include "clients/gridstat/views.hpp"
#include "lib/terminal/text.hpp"
#include "lib/terminal/times.hpp"

namespace gleaner::gridstat {

using clients::Json;
using terminal::Ink;

namespace {

/// The sentence on a campaign that is over: a cluster may not have killed its jobs yet.
std::string over_text(const Json& campaign) {
  std::int64_t jobs = 0;
  std::string places;
  for (const auto& [id, cluster] : campaign["clusters"].members()) {
    const auto there = cluster["active_jobs"].integer() + cluster["queued_jobs"].integer();
    if (there <= 0) continue;
    jobs += there;
    places += fmt::format("{}{} on {}", places.empty() ? "" : ", ", there, terminal::printable(cluster["cluster_name"].text()));
  }
  if (jobs == 0) return "It is over: nothing of it waits for anything.";
  return fmt::format(
      "It is over, but {} of it {} still ({}). Epilogues run to their ends; other jobs are killed once their cluster answers and, if it "
      "wants one, has a token of their user that works ('gridtoken')",
      terminal::counted(jobs, "job"), jobs == 1 ? "lives" : "live", places);
}

}  // namespace

std::string why_view(const Json& campaign, const std::vector<Json>& decisions, const std::vector<Json>& events, const Setting& setting) {
  auto text = fitted(fmt::format("Campaign {} is {}: {} done, {} running, {} waiting", campaign["id"].integer(), campaign["state"].text(),
                                 progress_of(campaign), campaign["tasks"]["running"].integer(), waiting_of(campaign)),
                     setting);
  if (const auto stuck = campaign["cannot_end"].text(); !stuck.empty())
    text += fitted(
        (campaign["cannot_end_may_pass"].is_true() ? "It waits until this changes: " : "It cannot end unless somebody acts: ") + stuck,
        setting);
  if (!is_live(campaign)) text += fitted(over_text(campaign), setting);
  else if (decisions.empty()) text += "Nothing was decided on it yet.\n";
  if (const auto since = campaign["old_since"].time(); since && is_live(campaign))
    text += fitted(
        fmt::format("Nothing has been decided since {} ({}): what follows is from then. 'gridctl check' shows why",
                    terminal::near_time(*since, setting.now), terminal::ago(std::chrono::seconds{grid::to_unix(setting.now) - *since})),
        setting);
  for (const auto& decision : is_live(campaign) ? decisions : std::vector<Json>{}) {
    const auto cluster =
        decision["cluster_name"].is_null() ? std::string{"the campaign"} : terminal::printable(decision["cluster_name"].text());
    const auto since = std::chrono::seconds{std::max<std::int64_t>(0, grid::to_unix(setting.now) - decision["since"].seconds())};
    const auto sentence = fmt::format(
        "{} (for {})", terminal::in_local_times(terminal::printable(decision["sentence"].text()), setting.now), terminal::length(since));
    // Colours are added after wrapping, because they have no width.
    const auto lines = terminal::wrap(fmt::format("{}: {}", cluster, sentence),
                                      setting.screen.width - std::min<std::size_t>(setting.screen.width, 4), "      ");
    text += fmt::format("  {}{}\n", terminal::painted(Ink::strong, cluster, setting.screen),
                        lines.substr(std::min(cluster.size(), lines.size())));
  }
  if (events.empty()) return text;
  return text + "\nOpen events:\n" + clients::events_text(events, clients::EventsOf::one_campaign, setting.screen, setting.now);
}

std::string ratio_view(const Json& campaign, const Setting& setting) {
  std::string text{"\nJobs for each free resource:\n"};
  const auto ratio = [](const Json& number) { return fmt::format("{:.3f}", number.number().value_or(0)); };
  for (const auto& [id, cluster] : campaign["clusters"].members()) {
    auto sentence = fmt::format("{}: ", terminal::printable(cluster["cluster_name"].text()));
    const auto& change = cluster["ratio_change"];
    if (cluster["job_ratio"].is_null()) {
      sentence += "no job was sent there yet";
    } else if (change.is_null()) {
      sentence += fmt::format("{}, as its request has it: nothing has shown yet that this is wrong", ratio(cluster["job_ratio"]));
    } else {
      sentence += fmt::format(
          "{} since {}, before {}. Of the {} jobs that were sent for {:.0f} free resources, {} waited then, and {} resources were free: ",
          ratio(cluster["job_ratio"]), terminal::near_time(change["time"].seconds(), setting.now), ratio(change["job_ratio_before"]),
          change["submitted_jobs"].integer(), change["offered_resources"].number().value_or(0), change["waiting_jobs"].integer(),
          change["free_resources"].integer());
      const auto verdict = change["verdict"].text(), algorithm = change["predictor_algorithm"].text();
      if (verdict == "too_big") sentence += fmt::format("too many ({})", algorithm);
      else if (verdict == "too_small") sentence += fmt::format("too few ({})", algorithm);
      else sentence += fmt::format("no cause to change it, but the algorithm {} has learnt another one", algorithm);
    }
    text += "  " + fitted(sentence, setting);
  }
  return text;
}

}  // namespace gleaner::gridstat
