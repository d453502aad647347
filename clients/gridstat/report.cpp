// Writes the report of a campaign.
#include <fmt/format.h>
#include <sys/stat.h>

#include <filesystem>

#include "clients/gridstat/gridstat.hpp"
#include "clients/gridstat/report/page.hpp"
#include "clients/pages.hpp"
#include "lib/process/whole_file.hpp"
#include "lib/terminal/text.hpp"

namespace gleaner::gridstat {
namespace {

using process::Error;
using process::ExitCode;

void add_tasks(const Run& run, const std::string& path, report::Figures& figures) {
  read_lines(run, path, [&](std::string_view line) {
    const auto task = clients::Json::parse(line);
    if (!task)
      throw Error{ExitCode::failure,
                  fmt::format("the list of tasks has a line that is no JSON, and no report was written: {}", task.error())};
    figures.add(*task);
  });
  figures.finish();
}

/// The permissions of a new file, as its user has them set for others.
mode_t usual_mode() {
  const auto mask = ::umask(0);
  ::umask(mask);
  constexpr mode_t kNewFile = 0666;
  return kNewFile & ~mask;
}

/// The page takes the place of a file. A device or a pipe must not be replaced so.
void check_place(const std::string& file) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const auto status = fs::status(file, ignored);
  if (fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status))
    throw Error{ExitCode::usage, fmt::format("--report={}: it is a device or a pipe: name a file, or - for stdout", file)};
}

}  // namespace

void write_report(const Run& run, std::int64_t id, const std::string& file) {
  check_place(file);
  const auto path = fmt::format("/v1/campaigns/{}", id);
  report::Report report;
  report.campaign = run.api.get(path).json;
  report.stats = run.api.get(path + "/stats").json;
  report.forecasts = clients::all_items(run.api, path + "/forecasts");
  report.decisions = clients::all_items(run.api, path + "/decisions");
  report.reasons = run.api.get(path + "/decisions/history?limit=1").json["clusters"].items();
  report.events = clients::all_items(run.api, path + "/events?all=1");
  report.failures = run.api.get(path + "/failures").json;
  add_tasks(run, path + "/tasks.ndjson", report.figures);
  const auto page = report::page_of(report, run.setting().now);
  if (file == "-") return terminal::Output::pass_on(page);
  process::write_whole_file(file, page, usual_mode(), process::our_files());
  run.output.report(fmt::format("gridstat: the report of campaign {} is in {}", id, terminal::printable(file)));
}

}  // namespace gleaner::gridstat
