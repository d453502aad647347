#include "clients/gridsub/what_if.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "clients/forecast.hpp"
#include "clients/gridsub/drawn_line.hpp"
#include "lib/process/run.hpp"
#include "lib/process/values.hpp"
#include "lib/terminal/text.hpp"
#include "lib/terminal/times.hpp"
#include "lib/text/json_writer.hpp"

namespace gleaner::gridsub {
namespace {

using clients::Json;
using gridsim::Prospect;
using gridsim::Times;
using process::Error;
using process::ExitCode;
using terminal::Align;
using terminal::Cell;
using terminal::Shrink;

std::chrono::seconds whole(double seconds) { return std::chrono::seconds{static_cast<std::int64_t>(std::llround(seconds))}; }

clients::Forecast forecast_of(const Times& times) {
  return {.expected = whole(times.expected), .earliest = whole(times.earliest), .latest = whole(times.latest)};
}

bool rests_on_walltime(const Prospect& prospect) { return prospect.evidence == "walltime"; }

/// Tasks that take less than their walltime end sooner: what waits for their ends is a bound.
clients::Forecast start_forecast(const Prospect& prospect) {
  auto forecast = forecast_of(*prospect.start);
  if (prospect.behind_walltimes) forecast.meaning = clients::Forecast::Meaning::upper_bound;
  return forecast;
}
clients::Forecast end_forecast(const Prospect& prospect) {
  auto forecast = forecast_of(*prospect.end);
  if (rests_on_walltime(prospect) || prospect.behind_walltimes) forecast.meaning = clients::Forecast::Meaning::upper_bound;
  return forecast;
}

std::string basis_of(const Prospect& prospect) {
  if (rests_on_walltime(prospect)) return "walltime";
  return fmt::format("{} {}", prospect.seen, prospect.evidence == "own" ? "own" : "earlier");
}

/// `braked`; empty: it gets jobs.
std::string obstacle_of(const Prospect& prospect) {
  if (prospect.blocked == "awaits") return "another first";
  return prospect.blocked == "closed" ? "no cluster" : prospect.blocked;
}

/// The text for a time that the simulation did not reach.
std::string unforeseen(const Outlook& outlook) {
  const auto& until = outlook.prospects.known_until;
  return until ? "after " + clients::short_length(whole(*until)) : "not foreseen";
}

Cell start_of(const Prospect& prospect, const Outlook& outlook) {
  const auto cell = [](std::string text) { return Cell{text, text}; };
  if (prospect.started) return cell("started");
  if (!prospect.blocked.empty()) return cell(obstacle_of(prospect));
  return cell(prospect.start ? clients::in_short(start_forecast(prospect)) : unforeseen(outlook));
}

Cell end_of(const Prospect& prospect, const Outlook& outlook) {
  const auto cell = [](std::string text) { return Cell{text, text}; };
  if (!prospect.blocked.empty()) return cell(obstacle_of(prospect));
  return cell(prospect.end ? clients::in_short(end_forecast(prospect)) : unforeseen(outlook));
}

terminal::Table table_of(const Outlook& outlook) {
  terminal::Table table{{{"id", "Id", Align::right},
                         {"name", "Name", Align::left, Shrink::last},
                         {"user", "User", Align::left, Shrink::last},
                         {"start", "Starts in"},
                         {"end", "Ends in"},
                         {"evidence", "Known from"}},
                        {},
                        "No campaign is in treatment or paused: there is nothing to simulate.",
                        terminal::Heading::shown};
  for (const auto& one : outlook.prospects.campaigns) {
    table.rows.push_back({one.id > 0 ? Cell{one.id} : Cell{std::string{"new"}, "new"}, Cell{terminal::printable(one.name)},
                          Cell{terminal::printable(one.user)}, start_of(one, outlook), end_of(one, outlook), Cell{basis_of(one)}});
  }
  return table;
}

bool any(const Outlook& outlook, bool (*holds)(const Prospect& prospect)) {
  return std::ranges::any_of(outlook.prospects.campaigns, holds);
}

std::string held_text(const Outlook& outlook) {
  std::string text;
  for (const auto& cluster : outlook.prospects.clusters)
    text += fmt::format("{}{} {} of {}", text.empty() ? "" : ", ", terminal::printable(cluster.cluster), cluster.held, cluster.resources);
  return text;
}

/// How much was simulated, in the time that there was.
std::string extent_of(const Outlook& outlook) {
  const auto& prospects = outlook.prospects;
  if (!prospects.out_of_time)
    return fmt::format("Simulated {} times. In 8 of 10 cases the time is between the two in brackets.", prospects.runs);
  const auto budget = process::format_duration(outlook.budget.most);
  if (prospects.known_until)
    return fmt::format("Simulated once, until {} from now; stopped after {}: what follows is not known. --budget allows more time.",
                       terminal::length(whole(*prospects.known_until)), budget);
  return fmt::format("Simulated {} in {}: too seldom for times that hold in 8 of 10 cases. --budget allows more time.",
                     terminal::counted(prospects.runs, "time"), budget);
}

constexpr std::string_view kFollowers{
    "Tasks of after_each are simulated on any cluster of their campaign. On the grid each one follows the task that it comes after to its "
    "cluster, unless after_each_cluster is any, so that these campaigns may end later."};

/// The assumptions of the simulation, one sentence each; those about local users come last.
std::string suppositions(const Outlook& outlook, const terminal::Screen& screen) {
  std::string text;
  const auto add = [&](const std::string& sentence) { text += terminal::wrap(sentence, screen.width, "  ") + "\n"; };
  const auto& prospects = outlook.prospects;
  if (prospects.runs > 0) add(extent_of(outlook));
  if (any(outlook, rests_on_walltime))
    add("walltime: no duration of its tasks is known. Each is assumed to take its whole walltime, so the end is a bound.");
  if (any(outlook, [](const Prospect& one) { return one.behind_walltimes; }))
    add("A start with 'by' waits for others' jobs of which no duration is known: it is that late if the others' jobs run to their walltimes.");
  if (any(outlook, [](const Prospect& one) { return one.evidence == "history"; }))
    add("earlier: the durations are those of jobs of earlier campaigns of the same user with the same command.");
  std::int64_t group = 1;
  for (const auto& one : prospects.campaigns) group = std::max(group, one.group);
  if (group > 1)
    add(fmt::format("Big campaigns are simulated with fewer, longer jobs: one job runs up to {} tasks, one after the other.", group));
  if (any(outlook, [](const Prospect& one) { return one.blocked == "paused"; })) add("paused: no forecast until it is resumed.");
  if (any(outlook, [](const Prospect& one) { return one.blocked == "awaits"; }))
    add("another first: it waits for a campaign that was cancelled, or of which tasks failed. gridstat ID --why names it.");
  if (any(outlook, [](const Prospect& one) { return one.blocked == "held"; }))
    add("held: some of its tasks are held, and there is no forecast until they are released. Its other tasks are simulated.");
  if (any(outlook, [](const Prospect& one) { return one.blocked == "braked"; }))
    add("braked: nothing of it is sent, and there is no forecast, until its brakes are over. The others' times assume that it goes on then.");
  if (any(outlook, [](const Prospect& one) { return one.blocked == "closed"; }))
    add("no cluster: none of its clusters takes tasks, and there is no forecast until one does.");
  if (!prospects.known_until && any(outlook, [](const Prospect& one) { return one.blocked.empty() && !one.end; }))
    add("not foreseen: in the simulation no cluster gets its jobs, or it lasts longer than the simulation. gridstat ID --why shows why.");
  if (outlook.follows) add(std::string{kFollowers});
  for (const auto& out : outlook.left_out)
    add(fmt::format("Cluster {} is not simulated: it is {}.", terminal::printable(out["cluster_name"].text()),
                    terminal::printable(out["why"].text())));
  add(fmt::format("Future jobs of local users are not known. Assumed: local users keep the resources that they use now{}.",
                  prospects.clusters.empty() ? "" : " (" + held_text(outlook) + ")"));
  return text;
}

/// `start in 40 min (31 min to 52 min) and `; empty: it has started.
std::string start_text(const Prospect& prospect) {
  if (!prospect.start) return {};
  if (prospect.start->latest < 1) return "start at once and ";
  const auto* condition = prospect.behind_walltimes ? ", if the others' jobs run to their walltimes," : "";
  return fmt::format("start in {}{} and ", clients::in_words(start_forecast(prospect)), condition);
}

Json times_json(const std::optional<Times>& times) {
  if (!times) return {};
  const auto number = [](double seconds) { return Json::of(static_cast<std::int64_t>(std::llround(seconds))); };
  return Json::of(std::vector<Json::Member>{
      {"expected", number(times->expected)}, {"earliest", number(times->earliest)}, {"latest", number(times->latest)}});
}

Json parsed(const std::string& text) { return Json::parse(text).value(); }

/// The forecast of one campaign, times in seconds from now.
std::vector<Json::Member> times_of(const Prospect& prospect) {
  return {{"starts_in", times_json(prospect.start)},
          {"ends_in", times_json(prospect.end)},
          {"if_others_run_to_their_walltimes", parsed(prospect.behind_walltimes ? "true" : "false")},
          {"blocked", prospect.blocked.empty() ? Json{} : parsed(text::json_string(prospect.blocked))},
          {"evidence", parsed(text::json_string(prospect.evidence))},
          {"seen_jobs", Json::of(prospect.seen)},
          {"tasks_played_as_one", Json::of(prospect.group)}};
}

Json campaign_json(const Prospect& prospect) {
  const auto text = [](const std::string& value) { return parsed(text::json_string(value)); };
  const auto truth = [](bool value) { return parsed(value ? "true" : "false"); };
  std::vector<Json::Member> members{{"id", prospect.id > 0 ? Json::of(prospect.id) : Json{}},
                                    {"name", text(prospect.name)},
                                    {"user", text(prospect.user)},
                                    {"paused", truth(prospect.paused)},
                                    {"started", truth(prospect.started)}};
  for (auto& member : times_of(prospect)) members.push_back(std::move(member));
  return Json::of(std::move(members));
}

}  // namespace

std::string simulation_line(const gridsim::Advance& advance, const TimeBudget& budget, std::size_t columns) {
  const auto most = std::chrono::duration<double>{budget.most}.count();
  const auto figures = fmt::format("simulating: run {}, {} ahead, {} of {}", advance.runs + 1, terminal::length(whole(advance.simulated)),
                                   terminal::length(whole(advance.spent)), terminal::length(whole(most)));
  return bar_line(std::clamp(advance.spent / most, 0.0, 1.0), figures, columns);
}

bool has_followers(const std::vector<Json>& live) {
  return std::ranges::any_of(
      live, [](const Json& campaign) { return !campaign["after_each"].items().empty() && campaign["clusters"].members().size() > 1; });
}

/// `there is nothing to simulate: alpha is disabled, beta is not reachable`.
std::string nothing_to_simulate(const Json& left_out) {
  std::string clusters;
  for (const auto& one : left_out.items())
    clusters += fmt::format("{}{} is {}", clusters.empty() ? "" : ", ", terminal::printable(one["cluster_name"].text()),
                            terminal::printable(one["why"].text()));
  return "there is nothing to simulate: " + (clusters.empty() ? "the grid has no cluster" : clusters);
}

Outlook simulate(clients::ApiClient& api, const std::vector<Json>& candidates, const TimeBudget& budget, terminal::Form form) {
  const auto reply = api.get("/v1/scenario");
  if (const auto since = reply.json["standstill"].time())
    throw Error{ExitCode::unavailable,
                fmt::format("the grid stands still: no cycle has ended since {}, and there is no forecast until one does",
                            terminal::local_time(*since))};
  std::vector<Json::Member> members;
  bool follows = false;
  for (const auto& [key, value] : reply.json["scenario"].members()) {
    if (key != "live") {
      members.emplace_back(key, value);
      continue;
    }
    auto live = value.items();
    live.insert(live.end(), candidates.begin(), candidates.end());
    follows = has_followers(live);
    members.emplace_back(key, Json::of(std::move(live)));
  }
  if (reply.json["scenario"]["clusters"].members().empty()) throw Error{ExitCode::unavailable, nothing_to_simulate(reply.json["left_out"])};
  DrawnLine line{form};
  gridsim::Effort effort;
  effort.most_seconds = std::chrono::duration<double>{budget.most}.count();
  if (budget.is_asked_for) effort.seconds = effort.most_seconds;
  if (line.is_shown())
    effort.report = [&](const gridsim::Advance& advance) { line.draw(simulation_line(advance, budget, DrawnLine::columns())); };
  auto prospects = gridsim::what_if(clients::dump(Json::of(std::move(members)), clients::Layout::one_line), effort);
  if (!prospects) throw Error{ExitCode::failure, fmt::format("the API's answer cannot be simulated:\n{}", prospects.error())};
  return {.prospects = std::move(*prospects), .left_out = reply.json["left_out"].items(), .budget = budget, .follows = follows};
}

std::string describe(const Outlook& outlook, const terminal::Screen& screen) {
  return terminal::render_human(table_of(outlook), screen) + "\n" + suppositions(outlook, screen);
}

std::string to_json(const Outlook& outlook) {
  std::vector<Json> campaigns;
  for (const auto& one : outlook.prospects.campaigns) campaigns.push_back(campaign_json(one));
  std::vector<Json> clusters;
  for (const auto& cluster : outlook.prospects.clusters) {
    clusters.push_back(Json::of(std::vector<Json::Member>{{"cluster", parsed(text::json_string(cluster.cluster))},
                                                          {"held_by_others", Json::of(cluster.held)},
                                                          {"resources", Json::of(cluster.resources)}}));
  }
  const auto& until = outlook.prospects.known_until;
  return clients::dump(Json::of(std::vector<Json::Member>{{"runs", Json::of(outlook.prospects.runs)},
                                                          {"out_of_time", parsed(outlook.prospects.out_of_time ? "true" : "false")},
                                                          {"known_until", until ? Json::of(whole(*until).count()) : Json{}},
                                                          {"campaigns", Json::of(std::move(campaigns))},
                                                          {"clusters", Json::of(std::move(clusters))},
                                                          {"followers_anywhere", parsed(outlook.follows ? "true" : "false")},
                                                          {"left_out", Json::of(outlook.left_out)}}),
                       clients::Layout::one_line);
}

Json forecast_json(const Outlook& outlook) {
  auto members = times_of(outlook.prospects.campaigns.back());
  const auto& until = outlook.prospects.known_until;
  members.emplace_back("out_of_time", parsed(outlook.prospects.out_of_time ? "true" : "false"));
  members.emplace_back("known_until", until ? Json::of(whole(*until).count()) : Json{});
  return Json::of(std::move(members));
}

std::string sentence_of(const Outlook& outlook, const terminal::Screen& screen) {
  const auto& prospect = outlook.prospects.campaigns.back();
  const auto wrapped = [&](const std::string& sentence) { return terminal::wrap(sentence, screen.width, "  ") + "\n"; };
  const auto held = wrapped(fmt::format(
      "Future jobs of local users are not known. Assumed: local users keep the resources that they use now ({}).", held_text(outlook)));
  if (prospect.blocked == "braked")
    return wrapped("It would not start now: brakes hold all its clusters, and there is no forecast until they are over.") + held;
  if (prospect.blocked == "closed")
    return wrapped("It would not start now: none of its clusters takes tasks, and there is no forecast until one does.") + held;
  const auto extent = outlook.prospects.out_of_time ? wrapped(extent_of(outlook)) : std::string{};
  const auto follows = outlook.follows ? wrapped(std::string{kFollowers}) : std::string{};
  if (!prospect.end && outlook.prospects.known_until)
    return wrapped(fmt::format("It would {}end later than {} from now.", start_text(prospect),
                               terminal::length(whole(*outlook.prospects.known_until)))) +
           extent + follows + held;
  if (!prospect.end)
    return wrapped("Its end is not foreseen: in the simulation no cluster gets its jobs, or it lasts longer than the simulation.") + held;
  const auto start = start_text(prospect);
  const auto basis =
      rests_on_walltime(prospect)
          ? std::string{"if each task took its whole walltime. You have no earlier campaign with this command"}
          : fmt::format("by the durations of {} of your earlier campaigns with this command", terminal::counted(prospect.seen, "job"));
  return wrapped(fmt::format("It would {}end in {}, {}.", start, clients::in_words(end_forecast(prospect)), basis)) + extent + follows +
         held;
}

}  // namespace gleaner::gridsub
