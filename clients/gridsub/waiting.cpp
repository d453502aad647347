#include "clients/gridsub/waiting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>

#include "clients/asked.hpp"
#include "clients/follow.hpp"
#include "clients/gridsub/drawn_line.hpp"
#include "lib/process/standard_streams.hpp"
#include "lib/process/stop.hpp"
#include "lib/terminal/text.hpp"

namespace gleaner::gridsub {
namespace {

using clients::Json;

/// The progress on the terminal, and what is reported beside it.
class Progress final : public terminal::Output {
 public:
  Progress(terminal::Output& output, terminal::Form form) : output_{output}, line_{form} {}

  void draw(const std::vector<Json>& campaigns) {
    if (line_.is_shown()) line_.draw(progress_line(campaigns, DrawnLine::columns()));
  }
  void show(const terminal::Answer& answer) override {
    line_.clear();
    output_.show(answer);
  }
  void report(std::string_view line) override {
    line_.clear();
    output_.report(line);
  }

 private:
  terminal::Output& output_;
  DrawnLine line_;
};

std::int64_t tasks_of(const Json& campaign, std::string_view state) { return campaign["tasks"][state].integer(); }

/// The program ends as SIGINT ends any other, so that a shell's loop ends too.
void end_by_signal(const std::vector<std::int64_t>& ids) {
  const auto all = clients::joined(ids);
  process::write_to_stderr(fmt::format("\ngridsub: campaign{} {} go{} on: 'gridwait {}' waits again, 'griddel {}' cancels\n",
                                       ids.size() == 1 ? "" : "s", all, ids.size() == 1 ? "es" : "", all, all));
  std::signal(SIGINT, SIG_DFL);
  std::raise(SIGINT);
}

}  // namespace

std::string end_line(const Json& campaign) {
  const auto id = campaign["id"].integer();
  auto line = fmt::format("Campaign {}: {} of {} done", id, campaign["tasks"]["done"].integer(),
                          terminal::counted(campaign["total_tasks"].integer(), "task"));
  if (const auto cancelled = tasks_of(campaign, "cancelled"); cancelled > 0) line += fmt::format(", {} cancelled", cancelled);
  if (const auto failed = tasks_of(campaign, "failed"); failed > 0)
    line += fmt::format(", {} failed: gridstat {} --state failed", failed, id);
  return line;
}

std::string progress_line(const std::vector<Json>& campaigns, std::size_t columns) {
  std::int64_t done = 0, total = 0, running = 0, failed = 0;
  for (const auto& campaign : campaigns) {
    done += campaign["tasks"]["done"].integer();
    total += campaign["total_tasks"].integer();
    running += tasks_of(campaign, "running");
    failed += tasks_of(campaign, "failed");
  }
  auto figures = fmt::format("{} of {} done, {} running", done, total, running);
  if (failed > 0) figures += fmt::format(", {} failed", failed);
  return bar_line(total > 0 ? static_cast<double>(done) / static_cast<double>(total) : 0, figures, columns);
}

process::ExitCode wait_for(clients::ApiClient& api, terminal::Output& output, terminal::Form form, const std::vector<std::int64_t>& ids) {
  process::catch_stop_signals();
  std::vector<Json> last;
  process::ExitCode code{};
  {
    Progress progress{output, form};
    code = clients::follow(api, progress, {.ids = ids, .time_limit = {}, .show = [&](const std::vector<Json>& campaigns) {
                                             last = campaigns;
                                             progress.draw(campaigns);
                                           }});
  }
  if (process::stop_requested() && !std::ranges::all_of(last, clients::has_ended)) end_by_signal(ids);
  for (const auto& campaign : last) output.report(end_line(campaign));
  return code;
}

}  // namespace gleaner::gridsub
