// --watch: redraws the view in place.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "clients/change_stream.hpp"
#include "clients/follow.hpp"
#include "clients/gridstat/gridstat.hpp"
#include "lib/process/values.hpp"
#include "lib/terminal/text.hpp"

namespace gleaner::gridstat {
namespace {

using clients::Json;
using process::Error;
using process::ExitCode;

/// Forecasts and rates change without a message.
constexpr std::chrono::seconds kSlowest{10};

process::Duration asked_period(const Run& run) {
  const auto given = run.context.arguments.value("watch").value_or("");
  const auto read = process::parse_duration(given);
  if (!read) throw Error{ExitCode::usage, fmt::format("--watch={}: must be a time such as 2s or 500ms", given)};
  return std::max<process::Duration>(*read, std::chrono::milliseconds{100});
}

/// On a terminal, overwrites the last drawing, also when the terminal was resized meanwhile; elsewhere, writes what has changed.
class Canvas {
 public:
  explicit Canvas(const Run& run) : run_{run} {}

  void draw(const std::string& text) {
    if (text == last_) return;
    const auto screen = run_.output.screen();
    const bool in_place = screen.is_terminal && run_.form == terminal::Form::human && !last_.empty();
    const auto above = in_place ? fmt::format("\x1b[{}A\x1b[J", terminal::lines_on_terminal(last_, screen.width)) : std::string{};
    run_.output.show({.text = above + text});
    last_ = text;
  }

 private:
  const Run& run_;
  std::string last_;
};

/// Null while the API cannot be reached; the next request is tried.
Json stats_of(const Run& run, std::int64_t id) {
  try {
    return run.api.get(fmt::format("/v1/campaigns/{}/stats", id)).json;
  } catch (const Error& error) {
    if (error.code() != ExitCode::unavailable) throw;
    return {};
  }
}

std::string progress_of(const Run& run, const std::vector<Json>& campaigns) {
  std::string text;
  for (const auto& campaign : campaigns) {
    text += progress_view(campaign, stats_of(run, campaign["id"].integer()), run.setting());
  }
  return text;
}

/// Writes a line of JSON, or of the summary, after each request.
void show_data(const Run& run, const std::vector<Json>& campaigns, terminal::Heading heading) {
  auto setting = run.setting();
  setting.heading = heading;
  const auto document = Json::of(std::vector<Json::Member>{{"items", Json::of(campaigns)}});
  run.output.show({.table = summary(campaigns, setting), .json = clients::dump(document, clients::Layout::one_line)});
}

}  // namespace

ExitCode watch(const Run& run, const std::vector<std::int64_t>& ids) {
  const auto period = asked_period(run);
  Canvas canvas{run};
  auto heading = terminal::Heading::shown;
  const auto show = [&](const std::vector<Json>& campaigns) {
    if (run.form == terminal::Form::human) {
      canvas.draw(ids.empty() ? terminal::render_human(summary(campaigns, run.setting()), run.output.screen())
                              : progress_of(run, campaigns));
    } else {
      show_data(run, campaigns, heading);
      heading = terminal::Heading::left_out;
    }
  };
  if (!ids.empty())
    return clients::follow(run.api, run.output,
                           {.ids = ids,
                            .period = period,
                            .slowest = kSlowest,
                            .time_limit = {},
                            .show = show,
                            .stuck = clients::Following::Stuck::is_watched});
  show(list_campaigns(run).campaigns);
  clients::ChangeStream changes{run.api, {}};
  bool was_there = true;
  while (true) {
    changes.wait({.least = period, .most = kSlowest});
    try {
      show(list_campaigns(run).campaigns);
      was_there = true;
    } catch (const Error& error) {
      if (error.code() != ExitCode::unavailable) throw;
      if (was_there) run.output.report(fmt::format("gridstat: {}; waiting for it", error.what()));
      was_there = false;
    }
  }
}

}  // namespace gleaner::gridstat
