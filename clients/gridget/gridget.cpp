#include "clients/gridget/gridget.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "clients/api_client.hpp"
#include "clients/asked.hpp"
#include "clients/gridget/fetch.hpp"
#include "clients/gridget/listing.hpp"
#include "lib/process/values.hpp"
#include "lib/terminal/output.hpp"
#include "lib/terminal/text.hpp"
#include "lib/text/json_writer.hpp"
#include "lib/text/ranges.hpp"

namespace gleaner::clients::gridget {
namespace {

using process::Error;
using process::ExitCode;

struct Asked {
  std::int64_t campaign = 0;
  std::string identity;             ///< of the campaign, also on another grid
  std::vector<text::Range> ranges;  ///< of tasks
  std::int64_t tasks = 0;           ///< in the ranges
};

Asked asked_of(const process::Arguments& arguments, ApiClient& api) {
  const auto ids = ids_of(arguments.positional);
  if (ids.size() != 1) throw Error{ExitCode::usage, "the id of one campaign is needed (see --help)"};
  std::optional<std::vector<text::Range>> ranges;
  for (const auto& written : arguments.all("task")) {
    auto read = text::parse_ranges(written);
    if (!read) throw Error{ExitCode::usage, fmt::format("--task={}: {}", written, read.error())};
    if (!ranges) ranges.emplace();
    ranges->insert(ranges->end(), read->begin(), read->end());
  }
  const auto source = source_campaign(api, ids.front());
  Asked asked{.campaign = source.campaign, .identity = source.identity, .ranges = {}};
  const auto total = source.tasks;
  asked.ranges = ranges ? *ranges : std::vector<text::Range>{{0, total - 1}};
  for (const auto& range : asked.ranges) {
    if (ranges && range.last >= total)
      throw Error{ExitCode::not_found,
                  fmt::format("campaign {} has no task {}: its tasks are 0 to {}", asked.campaign, range.last, total - 1)};
    asked.tasks += range.last - range.first + 1;
  }
  return asked;
}

// ------------------------------------------------------------------ --list

void add_row(terminal::Answer& answer, const RemoteOutput& one) {
  const auto path = local_path(one.output).string();
  answer.ids.push_back(terminal::printable(path));
  const auto size = one.is_missing ? terminal::Cell{{}, "not there", terminal::Ink::bad}
                    : one.size     ? terminal::Cell{*one.size, size_text(*one.size)}
                                   : terminal::Cell{{}, "?"};
  answer.table.rows.push_back({terminal::Cell{terminal::printable(path)}, terminal::Cell{one.output.task},
                               terminal::Cell{std::int64_t{one.output.attempt}},
                               terminal::Cell{std::string{grid::name_of(one.output.kind)}},
                               terminal::Cell{terminal::printable(one.cluster)}, terminal::Cell{one.state}, size});
}

process::Outcome show_list(ApiClient& api, terminal::Output& output, const Asked& asked) {
  terminal::Answer answer;
  answer.table.columns = {{"path", "File", terminal::Align::left, terminal::Shrink::last},
                          {"task", "Task", terminal::Align::right},
                          {"attempt", ""},
                          {"kind", "Kind"},
                          {"cluster", "Cluster"},
                          {"state", "State"},
                          {"size", "Size", terminal::Align::right}};
  answer.table.when_empty = "No outputs yet";
  auto code = ExitCode::ok;
  for (const auto& part : parts_of(asked.ranges)) {
    const auto listing = list(api, asked.campaign, part);
    for (const auto& one : listing.outputs) add_row(answer, one);
    for (const auto& error : listing.errors) {
      output.report("gridget: " + error);
      code = ExitCode::unavailable;
    }
  }
  output.show(answer);
  return code;
}

// ------------------------------------------------------------------ fetching

std::string summary(const Tally& tally, const std::string& folder) {
  auto text = fmt::format("{}: {} fetched ({}), {} were there", terminal::printable(folder), terminal::counted(tally.fetched, "file"),
                          size_text(tally.bytes), tally.present);
  if (tally.missing > 0) text += fmt::format(", {} not on their cluster", tally.missing);
  if (tally.failed > 0) text += fmt::format(", {} failed", tally.failed);
  if (tally.unsettled > 0)
    text += fmt::format("; {} not ended: run gridget again later",
                        tally.unsettled == 1 ? std::string{"1 task has"} : fmt::format("{} tasks have", tally.unsettled));
  return text + "\n";
}

void show_summary(terminal::Output& output, const Asked& asked, const Tally& tally, const std::string& folder) {
  text::JsonWriter json;
  json.object([&] {
    json.field("campaign", asked.campaign);
    json.field("directory", terminal::printable(folder));
    json.field("fetched", tally.fetched);
    json.field("present", tally.present);
    json.field("missing", tally.missing);
    json.field("failed", tally.failed);
    json.field("bytes", tally.bytes);
    json.field("unsettled", tally.unsettled);
  });
  output.show({.text = summary(tally, folder), .json = json.text()});
}

/// Bytes that may come in all.
std::int64_t most_of(const process::Context& context) {
  constexpr std::int64_t kUsual = std::int64_t{100} << 30;
  const auto given = context.arguments.value("max-size");
  if (!given) return kUsual;
  const auto read = process::parse_size(*given);
  if (!read || *read > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
    throw Error{ExitCode::usage, fmt::format("--max-size={}: must be a size such as 512M, 100G or 2048G", *given)};
  return static_cast<std::int64_t>(*read);
}

process::Outcome fetch_all(const process::Context& context, ApiClient& api, terminal::Output& output, const Asked& asked) {
  const auto folder = context.arguments.value("to").value_or(fmt::format("outputs-{}", asked.campaign));
  const auto most = most_of(context);
  const LocalTree tree{folder, asked.identity};
  const auto screen = terminal::screen_of(STDERR_FILENO);
  const auto show = context.arguments.has("quiet") ? Progress::Show::nothing
                    : screen.is_terminal           ? Progress::Show::bar
                                                   : Progress::Show::lines;
  Tally tally;
  bool is_unreachable = false;
  {
    Progress progress{show, asked.tasks, screen.width};
    Fetcher fetcher{context.config, asked.campaign, tree, progress, most};
    std::int64_t seen = 0;
    std::int64_t unsettled = 0;
    for (const auto& part : parts_of(asked.ranges)) {
      const auto listing = list(api, asked.campaign, part);
      for (const auto& error : listing.errors) progress.report(error);
      is_unreachable = is_unreachable || !listing.errors.empty();
      fetcher.fetch(listing.outputs);
      unsettled += listing.unsettled;
      progress.set_tasks(seen += part.count);
    }
    tally = fetcher.tally();
    tally.unsettled = unsettled;
    is_unreachable = is_unreachable || fetcher.has_given_up();
  }
  show_summary(output, asked, tally, folder);
  if (is_unreachable) return ExitCode::unavailable;
  return tally.failed + tally.missing > 0 ? ExitCode::failure : ExitCode::ok;
}

}  // namespace

process::Outcome gridget(const process::Context& context) {
  const auto& arguments = context.arguments;
  const auto output = terminal::make_output(form_of(arguments));
  if (arguments.has("list") && arguments.has("to"))
    throw Error{ExitCode::usage,
                fmt::format("--to={}: --list fetches nothing, so it takes no folder: leave one of them out", *arguments.value("to"))};
  if (!arguments.has("list") && arguments.has("csv")) throw Error{ExitCode::usage, "--csv is for --list"};
  ApiClient api{context.config};
  const auto asked = asked_of(arguments, api);
  return arguments.has("list") ? show_list(api, *output, asked) : fetch_all(context, api, *output, asked);
}

}  // namespace gleaner::clients::gridget
