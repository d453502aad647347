// Writes the report of a campaign.
#include <fmt/format.h>

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
  std::string rest;  // of a line
  const bool is_whole = run.api.download(path, [&](std::string_view bytes) {
    rest += bytes;
    std::size_t begin = 0;
    for (auto end = rest.find('\n'); end != std::string::npos; begin = end + 1, end = rest.find('\n', begin)) {
      if (const auto task = clients::Json::parse(std::string_view{rest}.substr(begin, end - begin))) figures.add(*task);
    }
    rest.erase(0, begin);
  });
  if (!is_whole) throw Error{ExitCode::unavailable, "the list of tasks broke off, and no report was written: run gridstat again"};
  figures.finish();
}

}  // namespace

void write_report(const Run& run, std::int64_t id, const std::string& file) {
  const auto path = fmt::format("/v1/campaigns/{}", id);
  report::Report report;
  report.campaign = run.api.get(path).json;
  report.stats = run.api.get(path + "/stats").json;
  report.forecasts = clients::all_items(run.api, path + "/forecasts");
  report.decisions = clients::all_items(run.api, path + "/decisions");
  report.events = clients::all_items(run.api, path + "/events?all=1");
  add_tasks(run, path + "/tasks.ndjson", report.figures);
  const auto page = report::page_of(report, run.setting().now);
  if (file == "-") return terminal::Output::pass_on(page);
  constexpr mode_t kOthersRead = 0644;
  process::write_whole_file(file, page, kOthersRead, process::our_files());
  run.output.report(fmt::format("gridstat: the report of campaign {} is in {}", id, terminal::printable(file)));
}

}  // namespace gleaner::gridstat
