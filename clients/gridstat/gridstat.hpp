#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "clients/api_client.hpp"
#include "clients/cigri_tables.hpp"
#include "clients/gridstat/views.hpp"
#include "lib/process/run.hpp"
#include "lib/terminal/output.hpp"

namespace gleaner::gridstat {

/// Shows the campaigns that the command line selects.
process::Outcome gridstat(const process::Context& context);

/// The context of one run of the program.
struct Run {
  const process::Context& context;
  clients::ApiClient& api;
  terminal::Output& output;
  terminal::Form form;

  [[nodiscard]] bool has(std::string_view option) const { return context.arguments.has(option); }
  /// Whether tables for people have CiGri's form.
  [[nodiscard]] bool is_cigri() const { return clients::is_cigri_style(context.config); }
  [[nodiscard]] Setting setting() const;
  [[nodiscard]] std::string document(const clients::Json& json) const;
};

/// Ids of campaigns: `3`, `3-7`, `3-*`, `*-7`, `*-*`; bounds are inclusive.
struct Range {
  std::int64_t first = 1;
  std::optional<std::int64_t> last{};  ///< empty: no upper bound
};
/// Empty: the text is not a range.
[[nodiscard]] std::optional<Range> parse_range(std::string_view text);

/// Takes each line of a list of the API while it arrives. Throws process::Error (unavailable) when the list breaks off.
void read_lines(const Run& run, const std::string& path, const std::function<void(std::string_view)>& take);

/// Prints a list of the API that has a line for each item, as items of a JSON array, while it arrives. Returns their number.
/// @param shown  an item as it is printed
std::int64_t pass_on_lines(const Run& run, const std::string& path, const std::function<std::string(std::string_view)>& shown);

/// The path of the list of the tasks that were asked for (--state, --offset, --limit), in a form of the API: csv, ndjson.
[[nodiscard]] std::string tasks_path(const Run& run, std::int64_t id, std::string_view form);

void show_list(const Run& run);
/// The user that -u names; empty: all users.
[[nodiscard]] std::optional<std::string> asked_user(const Run& run);
/// In which order the campaigns are served.
/// @param campaign  only its places
void show_order(const Run& run, std::optional<std::int64_t> campaign);
void show_campaigns(const Run& run, const std::vector<std::int64_t>& ids);
void show_why(const Run& run, const std::vector<std::int64_t>& ids);
void show_history(const Run& run, const std::vector<std::int64_t>& ids);
void show_failures(const Run& run, const std::vector<std::int64_t>& ids);
void show_strip(const Run& run, const std::vector<std::int64_t>& ids);
void show_events(const Run& run, const std::vector<std::int64_t>& ids);
/// Writes a page of HTML about the campaign into a file; `-`: stdout.
void write_report(const Run& run, std::int64_t id, const std::string& file);
/// Prints a link that signs in to the page in a browser.
void show_web(const Run& run);
void show_jdl(const Run& run, const std::vector<std::int64_t>& ids);
/// The parameters of the tasks that were asked for: lines of a parameter file, or a JSON array.
void show_parameters(const Run& run, std::int64_t id);
/// Their numbers.
void show_task_numbers(const Run& run, const std::vector<std::int64_t>& ids);
void show_job(const Run& run, std::int64_t job);
/// The attempts of the tasks that --task names, or the ends of their outputs (--stdout, --stderr). With --follow it returns when the task
/// is over: ok if it is done.
[[nodiscard]] process::ExitCode show_tasks(const Run& run, std::int64_t campaign);
/// The end of a job's output.
[[nodiscard]] process::ExitCode show_job_outputs(const Run& run, std::int64_t job);
/// Redraws the campaigns until all have ended (see clients::follow); without ids, until it is interrupted.
[[nodiscard]] process::ExitCode watch(const Run& run, const std::vector<std::int64_t>& ids);

/// A page of the list that the command line selects, and the number of all its campaigns.
struct Listed {
  std::vector<clients::Json> campaigns;
  std::int64_t total = 0;
};
[[nodiscard]] Listed list_campaigns(const Run& run);

}  // namespace gleaner::gridstat
