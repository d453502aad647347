#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "clients/json.hpp"
#include "lib/grid/time.hpp"
#include "lib/terminal/output.hpp"

/// Renders answers of the API as text. Pure functions.
namespace gleaner::gridstat {

/// The screen, and the time that counts as now.
struct Setting {
  terminal::Screen screen;
  terminal::Heading heading = terminal::Heading::shown;
  grid::Instant now;
};

/// A time of the API: as it is, and for people in local time.
[[nodiscard]] terminal::Cell time_cell(const clients::Json& time, grid::Instant now);

/// One line per campaign.
[[nodiscard]] terminal::Table summary(const std::vector<clients::Json>& campaigns, const Setting& setting);

/// A campaign in the tree of those that come after each other, and what stands before its name there.
struct Branch {
  clients::Json campaign;
  std::string lead;
};
[[nodiscard]] std::vector<Branch> tree_of(const std::vector<clients::Json>& campaigns);
/// The same lines as summary(), in the order of the tree.
[[nodiscard]] terminal::Table tree_table(const std::vector<Branch>& branches, const Setting& setting);

/// A line for each user: what their campaigns wait for, run, have done, and have to be fixed.
[[nodiscard]] terminal::Table users_table(const std::vector<clients::Json>& campaigns, const Setting& setting);

enum class Detail { some, all };
/// A campaign with its forecasts and its clusters.
[[nodiscard]] std::string campaign_view(const clients::Json& campaign, const clients::Json& stats, Detail detail, const Setting& setting);

/// Tasks, each with its last job.
[[nodiscard]] terminal::Table tasks_table(const std::vector<clients::Json>& tasks, const Setting& setting);

/// The attempts of tasks with their jobs, in CSV all of them.
[[nodiscard]] terminal::Table attempts_table(const std::vector<clients::Json>& tasks, const Setting& setting);
/// A task with all its attempts, and why each of them ended.
[[nodiscard]] std::string task_view(const clients::Json& task, const Setting& setting);

/// For each cluster, how the ratio of the campaign's jobs to free resources came to be.
[[nodiscard]] std::string ratio_view(const clients::Json& campaign, const Setting& setting);

/// For each cluster, why it runs the campaign's jobs or does not.
[[nodiscard]] std::string why_view(const clients::Json& campaign, const std::vector<clients::Json>& decisions,
                                   const std::vector<clients::Json>& events, const Setting& setting);
/// Which reasons each cluster had, and for how long: shares of the time, and the last changes.
/// @param history  the API's answer, with all its items
[[nodiscard]] std::string reasons_view(const clients::Json& history, const Setting& setting);
/// `61 % full, 30 % limit 7 (user u01)`: the shares of one of its clusters.
[[nodiscard]] std::string reason_shares(const clients::Json& cluster);
/// All times of one reason, the newest first.
[[nodiscard]] terminal::Table reasons_table(const std::vector<std::int64_t>& ids, const std::vector<clients::Json>& histories);
/// The forecasts of a campaign's end, compared with the end once it is known: a table and a plot.
[[nodiscard]] std::string history_view(const clients::Json& campaign, const std::vector<clients::Json>& forecasts, const Setting& setting);
[[nodiscard]] terminal::Table history_table(const clients::Json& campaign, const std::vector<clients::Json>& forecasts,
                                            const Setting& setting);

/// The failed tasks of a campaign, by groups that failed alike: the API's failures.
[[nodiscard]] terminal::Table failures_table(const clients::Json& failures, const Setting& setting);
/// The commands for the largest group. Empty: there is none.
[[nodiscard]] std::string failures_hint(std::int64_t campaign, const clients::Json& failures, const Setting& setting);

/// In which order the campaigns are served: the API's order.
[[nodiscard]] terminal::Table order_table(const clients::Json& order, const Setting& setting);
/// The class of a place, such as `priority 2, its affinities`.
[[nodiscard]] std::string class_words(const clients::Json& of);

/// The states of all its tasks, a character a block of them: the API's strip.
[[nodiscard]] std::string strip_view(const clients::Json& strip, const Setting& setting);
/// Its blocks, without those in which no task was taken yet.
[[nodiscard]] terminal::Table strip_table(const clients::Json& strip, const Setting& setting);

/// A job, one `key: value` per line.
[[nodiscard]] std::string job_view(const clients::Json& job);
/// The same of a job as its cluster's OAR describes it, with its events.
[[nodiscard]] std::string remote_job_view(const clients::Json& job);

/// The text that --watch redraws.
[[nodiscard]] std::string progress_view(const clients::Json& campaign, const clients::Json& stats, const Setting& setting);

/// Whether it is not over.
[[nodiscard]] bool is_live(const clients::Json& campaign);
/// `12/100 (12%)`.
[[nodiscard]] std::string progress_of(const clients::Json& campaign);
/// Tasks in the bag, or submitted and not yet running.
[[nodiscard]] std::int64_t waiting_of(const clients::Json& campaign);
/// A sentence as lines that fit a terminal; whole in a pipe.
[[nodiscard]] std::string fitted(const std::string& sentence, const Setting& setting);

/// `124.0 jobs/hour`, or `~` if the throughput is not known.
[[nodiscard]] std::string rate_of(const clients::Json& stats);

}  // namespace gleaner::gridstat
