#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "clients/api_client.hpp"
#include "clients/gridstat/views.hpp"
#include "lib/process/run.hpp"
#include "lib/terminal/output.hpp"

namespace gleaner::gridstat {

/// Shows campaigns, as the command line says.
process::Outcome gridstat(const process::Context& context);

/// What a run of the program works with.
struct Run {
  const process::Context& context;
  clients::ApiClient& api;
  terminal::Output& output;
  terminal::Form form;

  [[nodiscard]] bool has(std::string_view option) const { return context.arguments.has(option); }
  [[nodiscard]] Setting setting() const;
  [[nodiscard]] std::string document(const clients::Json& json) const;
};

/// Numbers of campaigns: `3`, `3-7`, `3-*`, `*-7`, `*-*`; both ends belong to it.
struct Range {
  std::int64_t first = 1;
  std::optional<std::int64_t> last{};  ///< nothing: open
};
/// Nothing when it is no range.
[[nodiscard]] std::optional<Range> parse_range(std::string_view text);

void show_list(const Run& run);
void show_campaigns(const Run& run, const std::vector<std::int64_t>& ids);
void show_why(const Run& run, const std::vector<std::int64_t>& ids);
void show_history(const Run& run, const std::vector<std::int64_t>& ids);
void show_events(const Run& run, const std::vector<std::int64_t>& ids);
void show_jdl(const Run& run, const std::vector<std::int64_t>& ids);
void show_job(const Run& run, std::int64_t job);
/// Until all have ended (see clients::follow), or, without ids, for ever.
[[nodiscard]] process::ExitCode watch(const Run& run, const std::vector<std::int64_t>& ids);

/// The campaigns of a list as the command line asks for it, and how many there are in all.
struct Listed {
  std::vector<clients::Json> campaigns;
  std::int64_t total = 0;
};
[[nodiscard]] Listed list_campaigns(const Run& run);

}  // namespace gleaner::gridstat
