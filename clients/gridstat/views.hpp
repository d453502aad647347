#pragma once
#include <string>
#include <vector>

#include "clients/json.hpp"
#include "lib/grid/time.hpp"
#include "lib/terminal/output.hpp"

/// What the API says, as people see it: pure functions.
namespace gleaner::gridstat {

/// Where and when it is shown.
struct Setting {
  terminal::Screen screen;
  terminal::Heading heading = terminal::Heading::shown;
  grid::Instant now;
};

/// A line for each campaign.
[[nodiscard]] terminal::Table summary(const std::vector<clients::Json>& campaigns, const Setting& setting);

enum class Detail { some, all };
/// One campaign, its forecasts, its clusters.
[[nodiscard]] std::string campaign_view(const clients::Json& campaign, const clients::Json& stats, Detail detail, const Setting& setting);

/// Its tasks, each with its last job.
[[nodiscard]] terminal::Table tasks_table(const std::vector<clients::Json>& tasks, const Setting& setting);

/// Why each cluster runs its jobs, or does not.
[[nodiscard]] std::string why_view(const clients::Json& campaign, const std::vector<clients::Json>& decisions,
                                   const std::vector<clients::Json>& events, const Setting& setting);
/// The forecasts of its end, against the end once it is known: a table, and a plot of them below it.
[[nodiscard]] std::string history_view(const clients::Json& campaign, const std::vector<clients::Json>& forecasts, const Setting& setting);
[[nodiscard]] terminal::Table history_table(const clients::Json& campaign, const std::vector<clients::Json>& forecasts,
                                            const Setting& setting);

/// Each event with its whole message: the last lines of stderr may be in it.
[[nodiscard]] std::string events_view(const std::vector<clients::Json>& events, const Setting& setting);
[[nodiscard]] terminal::Table events_table(const std::vector<clients::Json>& events, const Setting& setting);

/// One job, a `key: value` a line.
[[nodiscard]] std::string job_view(const clients::Json& job);

/// What --watch redraws.
[[nodiscard]] std::string progress_view(const clients::Json& campaign, const clients::Json& stats, const Setting& setting);

/// Tasks in the bag, or on their way to run.
[[nodiscard]] std::int64_t waiting_of(const clients::Json& campaign);

/// `124.0 jobs/hour`, or `~` when nothing is known of it.
[[nodiscard]] std::string rate_of(const clients::Json& stats);

}  // namespace gleaner::gridstat
