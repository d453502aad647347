#include <fmt/format.h>

#include "clients/api_client.hpp"
#include "clients/asked.hpp"
#include "clients/standstill.hpp"
#include "lib/process/run.hpp"
#include "lib/terminal/text.hpp"
#include "lib/terminal/times.hpp"

namespace {

using namespace gleaner;
using clients::Json;
using terminal::Align;
using terminal::Cell;
using terminal::Ink;
using terminal::Shrink;
using terminal::Table;

constexpr std::size_t kBar = 22;

/// Whether the cluster receives jobs; if not, why.
Cell state_of(const Json& cluster, grid::Instant now) {
  if (!cluster["retired_at"].is_null()) return {std::string{"retired"}, "retired", Ink::faint};
  if (!cluster["enabled"].is_true()) return {std::string{"disabled"}, "disabled", Ink::warm};
  if (cluster["reachable"].is_null()) return {std::string{"not asked yet"}, "not asked yet", Ink::faint};
  if (!cluster["reachable"].is_true()) {
    const auto since = cluster["unreachable_since"].whole();
    const auto text =
        since ? fmt::format("unreachable for {}", terminal::length(std::chrono::seconds{grid::to_unix(now) - *since})) : "unreachable";
    return {std::string{"unreachable"}, text, Ink::bad};
  }
  if (!cluster["brake"].is_null()) return {std::string{"braked"}, "stopped: " + cluster["brake"]["reason"].text(), Ink::bad};
  if (const auto limit = cluster["stress"]["job_limit"].whole())
    return {std::string{"under stress"}, fmt::format("under stress: {} of our jobs", *limit), Ink::warm};
  return {std::string{"ok"}, "ok", Ink::good};
}

Cell count(const Json& number) { return number.whole() ? Cell{*number.whole()} : Cell{{}, "-"}; }

/// OAR's stress factor.
Cell factor(const Json& number) { return number.number() ? Cell{fmt::format("{:g}", *number.number())} : Cell{{}, "-"}; }

Table clusters_table(const std::vector<Json>& clusters, grid::Instant now) {
  Table table{{{"id", "Id", Align::right},
               {"name", "Name", Align::left, Shrink::when_needed},
               {"state", "State", Align::left, Shrink::when_needed},
               {"max", "Max", Align::right},
               {"free", "Free", Align::right},
               {"used", "Used", Align::right},
               {"ours", "Ours", Align::right},
               {"waiting", "Waiting", Align::right},
               {"latency_ms", "ms", Align::right},
               {"stress", "Stress", Align::right},
               {"job_limit", "Limit", Align::right},
               {"error", ""}},
              {},
              "There is no cluster yet: an administrator adds one with 'gridctl cluster add'."};
  for (const auto& c : clusters) {
    const auto& status = c["status"];
    table.rows.push_back({Cell{c["id"].integer()}, Cell{c["name"].text()}, state_of(c, now), count(c["max_resources"]),
                          count(status["free"]), count(status["used"]), count(status["our_running"]), count(status["our_waiting"]),
                          count(status["api_latency_ms"]), factor(c["stress"]["stress_factor"]), count(c["stress"]["job_limit"]),
                          Cell{c["last_error"].text()}});
  }
  return table;
}

/// Notes that no column shows.
std::string reasons(const std::vector<Json>& clusters, const terminal::Screen& screen) {
  std::string text;
  for (const auto& c : clusters) {
    const bool is_down = !c["reachable"].is_null() && !c["reachable"].is_true() && c["enabled"].is_true();
    if (is_down && !c["last_error"].is_null())
      text += terminal::wrap(terminal::printable(c["name"].text() + ": " + c["last_error"].text()), screen.width, "    ") + "\n";
    if (!c["brake"].is_null())
      text +=
          terminal::wrap(terminal::printable(c["name"].text() + ": stopped until " + terminal::local_time(c["brake"]["expires"].integer()) +
                                             ": " + c["brake"]["reason"].text()),
                         screen.width, "    ") +
          "\n";
    if (c["under_stress"].is_true())
      text += terminal::wrap(terminal::printable(fmt::format("{}: under stress since {}, and takes {} of our jobs for now: {}",
                                                             c["name"].text(), terminal::local_time(c["stress"]["since"].integer()),
                                                             c["stress"]["job_limit"].integer(), c["stress"]["reason"].text())),
                             screen.width, "    ") +
              "\n";
  }
  return text.empty() ? text : "\n" + text;
}

double share(std::int64_t part, std::int64_t whole) { return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0; }

/// `name  [####      ]  12 of 16 used, 8 by the grid`.
std::string usage_text(const std::vector<Json>& clusters, terminal::Output& output) {
  std::string text;
  std::size_t longest = 4;
  for (const auto& c : clusters) longest = std::max(longest, std::min<std::size_t>(terminal::display_width(c["name"].text()), 20));
  for (const auto& c : clusters) {
    const auto max = c["max_resources"].integer();
    const auto name = terminal::pad_right(terminal::shorten(terminal::printable(c["name"].text()), longest), longest);
    const auto& status = c["status"];
    if (status.is_null()) {
      text += name + "  no figures yet\n";
      continue;
    }
    // Resources that are neither free nor used are dead or absent.
    const auto used = status["used"].integer();
    const auto drawn = output.screen().is_terminal ? "  " + output.paint(Ink::good, terminal::bar(share(used, max), kBar)) : std::string{};
    text += fmt::format("{}{}  {} of {} used ({:.0f}%), {} by the grid, {} free\n", name, drawn, used, max, share(used, max) * 100,
                        status["our_running"].integer(), status["free"].integer());
  }
  return text;
}

process::Outcome gridclusters(const process::Context& context) {
  const auto& arguments = context.arguments;
  const auto output = terminal::make_output(clients::form_of(arguments));
  clients::ApiClient api{context.config};
  const auto reply = api.get("/clusters");
  const auto& clusters = reply.json["items"].items();
  terminal::Answer answer{.table = clusters_table(clusters, context.now), .json = reply.body};
  if (arguments.has("headerless")) answer.table.heading = terminal::Heading::left_out;
  for (const auto& cluster : clusters) answer.ids.push_back(cluster["name"].text());
  if (!clusters.empty()) {
    answer.text = arguments.has("usage") ? usage_text(clusters, *output)
                                         : terminal::render_human(answer.table, output->screen()) + reasons(clusters, output->screen());
  }
  output->show(answer);
  clients::report_standstill(api.standstill(), *output, context.now);
  return process::ExitCode::ok;
}

}  // namespace

int main(int argc, char** argv) {
  const process::Program program{
      .name = "gridclusters",
      .purpose = "Shows the clusters: whether jobs go there, and if not, why; their resources, and those that the grid uses.",
      .keys = clients::api_keys(),
      .options = {{"usage,u", "", "how much of each is used, and how much by the grid"},
                  {"json", "", "print JSON"},
                  {"csv", "", "print CSV"},
                  {"quiet,q", "", "print names alone"},
                  {"headerless,H", "", "leave out the head of the table"}},
      .interruption = process::Interruption::ends_program};
  return process::run(program, argc, argv, gridclusters);
}
