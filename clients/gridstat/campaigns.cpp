// Shows one or several campaigns: figures, tasks, decisions, events.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "clients/asked.hpp"
#include "clients/events_view.hpp"
#include "clients/follow.hpp"
#include "clients/gridstat/gridstat.hpp"
#include "clients/pages.hpp"
#include "lib/process/values.hpp"
#include "lib/terminal/text.hpp"
#include "lib/text/utc.hpp"

namespace gleaner::gridstat {
namespace {

using clients::Json;
using process::Error;
using process::ExitCode;
using terminal::Form;
using terminal::Heading;

constexpr std::int64_t kTasksForPeople = 1000;
constexpr std::int64_t kPage = 1000;
constexpr std::int64_t kMostAsked = 10000;  // the server may allow fewer

std::string path_of(std::int64_t id, std::string_view rest = {}) { return fmt::format("/v1/campaigns/{}{}", id, rest); }

std::string state_query(const Run& run) {
  std::string query;
  if (const auto states = run.context.arguments.value("state")) query += "&state=" + clients::url_encoded(*states);
  if (const auto group = run.context.arguments.value("failure")) query += "&failure=" + clients::url_encoded(*group);
  return query;
}

/// A part of a list of tasks.
struct Window {
  std::int64_t limit;
  std::int64_t offset;
};

/// @param states  the tasks that are listed, as a part of the query; empty: all
Json tasks_page(const Run& run, std::int64_t id, Window window, const std::string& states) {
  return run.api.get(path_of(id, fmt::format("/tasks?limit={}&offset={}{}", window.limit, window.offset, states))).json;
}

/// A page may be shorter than requested; its link shows whether another one follows.
bool has_next(const Json& page) {
  return std::ranges::any_of(page["links"].items(), [](const Json& link) { return link["rel"].text() == "next"; });
}

std::int64_t asked_offset(const Run& run) {
  return clients::number_of(run.context.arguments, "offset", 0, 0, std::numeric_limits<std::int64_t>::max());
}
std::int64_t asked_limit(const Run& run, std::int64_t fallback) {
  return clients::number_of(run.context.arguments, "limit", fallback, 1, kMostAsked);
}

void download(const Run& run, const std::string& path, const clients::ApiClient::TakeBytes& take) {
  if (!run.api.download(path, take))
    throw Error{ExitCode::unavailable, "the list of tasks broke off: what was printed is its beginning; run gridstat again"};
}

void show_tasks_csv(const Run& run, std::int64_t id) {
  bool is_head = run.setting().heading == Heading::left_out;
  download(run, tasks_path(run, id, "csv"), [&](std::string_view bytes) {
    if (is_head) {
      const auto end = bytes.find('\n');
      is_head = end == std::string_view::npos;
      bytes.remove_prefix(is_head ? bytes.size() : end + 1);
    }
    terminal::Output::pass_on(bytes);
  });
}

/// Whether the tasks of a state, or of a group of failures, are asked for.
bool wants_some(const Run& run) { return run.has("state") || run.has("failure"); }
bool wants_tasks(const Run& run) { return run.has("full") || wants_some(run); }

Json whole_document(const Run& run, std::int64_t id) {
  auto json = run.api.get(path_of(id)).json;
  json.add("stats", run.api.get(path_of(id, "/stats")).json);
  return json;
}

/// The document with its tasks, which are passed on as they arrive: `"task_list": {"items": [...], "count": N}`.
void pass_on_document(const Run& run, std::int64_t id) {
  auto head = run.document(whole_document(run, id));
  head.erase(head.rfind('}'));
  terminal::Output::pass_on(head + R"(,"task_list":{"items":[)");
  const auto count = pass_on_lines(run, tasks_path(run, id, "ndjson"), [](std::string_view task) { return std::string{task}; });
  terminal::Output::pass_on(fmt::format("],\"count\":{}}}}}", count));
}

void pass_on_documents(const Run& run, const std::vector<std::int64_t>& ids) {
  if (ids.size() > 1) terminal::Output::pass_on(R"({"items":[)");
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (i > 0) terminal::Output::pass_on(",");
    pass_on_document(run, ids[i]);
  }
  terminal::Output::pass_on(ids.size() > 1 ? "]}\n" : "\n");
}

/// Tasks in the order in which people see them.
struct ShownTasks {
  std::vector<Json> items;
  bool has_more = false;
};

ShownTasks in_order(const Run& run, std::int64_t id, Window window, const std::string& states) {
  const auto page = tasks_page(run, id, window, states);
  return {page["items"].items(), has_next(page)};
}

/// The failed tasks before the others, as one list.
ShownTasks failed_first(const Run& run, const Json& campaign, Window window) {
  const auto id = campaign["id"].integer();
  const auto failed = campaign["tasks"]["failed"].integer();
  ShownTasks shown;
  if (window.offset < failed) shown = in_order(run, id, window, "&state=failed");
  const auto left = window.limit - static_cast<std::int64_t>(shown.items.size());
  if (shown.has_more || left <= 0)
    return {std::move(shown.items), window.offset + window.limit - std::max<std::int64_t>(left, 0) < campaign["total_tasks"].integer()};
  auto others = in_order(run, id, {left, std::max<std::int64_t>(0, window.offset - failed)},
                         "&state=waiting,launching,submitted,running,done,cancelled");
  shown.items.insert(shown.items.end(), others.items.begin(), others.items.end());
  return {std::move(shown.items), others.has_more};
}

std::string tasks_text(const Run& run, const Json& campaign) {
  const auto id = campaign["id"].integer();
  const Window window{asked_limit(run, kTasksForPeople), asked_offset(run)};
  const bool reorders = !wants_some(run) && !run.is_cigri() && campaign["tasks"]["failed"].integer() > 0;
  const auto [items, has_more] = reorders ? failed_first(run, campaign, window) : in_order(run, id, window, state_query(run));
  auto text = run.is_cigri() ? clients::cigri_tasks(items)
                             : "\nTasks:\n" + terminal::render_human(tasks_table(items, run.setting()), run.setting().screen);
  const auto next = window.offset + static_cast<std::int64_t>(items.size());
  if (has_more && run.is_cigri()) text += fmt::format("WARNING: more jobs left. Next jobs with --offset={}\n", next);
  else if (has_more) run.output.report(fmt::format("gridstat: WARNING: there are more tasks: --offset={} shows the next ones", next));
  return text;
}

void show_for_people(const Run& run, std::int64_t id, bool is_first) {
  const auto campaign = run.api.get(path_of(id)).json;
  const auto stats = run.api.get(path_of(id, "/stats")).json;
  auto text = (is_first ? "" : "\n") + (run.is_cigri()
                                            ? clients::cigri_campaign(campaign, stats)
                                            : campaign_view(campaign, stats, run.has("full") ? Detail::all : Detail::some, run.setting()));
  if (wants_tasks(run)) text += tasks_text(run, campaign);
  run.output.show({.text = text, .ids = {fmt::format("{}", id)}});
}

/// A line for each campaign.
void show_lines(const Run& run, const std::vector<std::int64_t>& ids) {
  const auto campaigns = clients::campaigns_of(run.api, ids);
  terminal::Answer answer{.table = summary(campaigns, run.setting())};
  if (run.is_cigri()) answer.text = clients::cigri_campaigns(campaigns, run.setting().heading);
  for (const auto id : ids) answer.ids.push_back(fmt::format("{}", id));
  run.output.show(answer);
}

/// One JSON document for one campaign, a list for several.
void show_documents(const Run& run, const std::vector<std::int64_t>& ids, Json (*load)(const Run& run, std::int64_t id)) {
  std::vector<Json> documents;
  for (const auto id : ids) documents.push_back(load(run, id));
  const auto one =
      documents.size() == 1 ? std::move(documents[0]) : Json::of(std::vector<Json::Member>{{"items", Json::of(std::move(documents))}});
  run.output.show({.json = run.document(one)});
}

/// The reasons since --since, with all their items.
Json load_reasons(const Run& run, std::int64_t id) {
  const auto age = *run.context.arguments.value("since");
  const auto span = process::parse_duration(age);
  if (!span || *span <= std::chrono::seconds{0})
    throw Error{ExitCode::usage, fmt::format("--since={}: must be a time such as 24h or 7d", age)};
  const auto since = std::chrono::time_point_cast<grid::Instant::duration>(run.setting().now - *span);
  const auto path = path_of(id, "/decisions/history?since=" + text::utc(since));
  const auto first = run.api.get(path + "&limit=1").json;
  return Json::of(std::vector<Json::Member>{
      {"since", Json::of(text::utc(since))}, {"clusters", first["clusters"]}, {"items", Json::of(clients::all_items(run.api, path))}});
}

Json load_why(const Run& run, std::int64_t id) {
  auto json = run.api.get(path_of(id)).json;
  json.add("decisions", Json::of(clients::all_items(run.api, path_of(id, "/decisions"))));
  const auto beside = run.api.get(path_of(id, "/decisions?limit=1")).json;
  for (const auto* key : {"cannot_end", "cannot_end_may_pass", "old_since"}) json.add(key, beside[key]);
  json.add("events", run.api.get(path_of(id, "/events")).json["items"]);
  if (run.has("since")) json.add("decision_history", load_reasons(run, id));
  return json;
}

Json load_history(const Run& run, std::int64_t id) {
  auto json = run.api.get(path_of(id)).json;
  json.add("forecasts", Json::of(clients::all_items(run.api, path_of(id, "/forecasts"))));
  return json;
}

Json load_strip(const Run& run, std::int64_t id) { return run.api.get(path_of(id, "/strip")).json; }

Json load_failures(const Run& run, std::int64_t id) { return run.api.get(path_of(id, "/failures")).json; }

Json load_events(const Run& run, std::int64_t id) {
  return run.api
      .get(path_of(
          id, fmt::format("/events?limit={}&offset={}{}", asked_limit(run, kPage), asked_offset(run), run.has("closed") ? "&all=1" : "")))
      .json;
}

}  // namespace

std::string tasks_path(const Run& run, std::int64_t id, std::string_view form) {
  auto path = path_of(id, fmt::format("/tasks.{}?offset={}{}", form, asked_offset(run), state_query(run)));
  if (run.has("limit")) path += fmt::format("&limit={}", asked_limit(run, kPage));
  return path;
}

void read_lines(const Run& run, const std::string& path, const std::function<void(std::string_view)>& take) {
  std::string rest;  // of a line
  download(run, path, [&](std::string_view bytes) {
    rest += bytes;
    std::size_t begin = 0;
    for (auto end = rest.find('\n'); end != std::string::npos; begin = end + 1, end = rest.find('\n', begin))
      take(std::string_view{rest}.substr(begin, end - begin));
    rest.erase(0, begin);
  });
}

std::int64_t pass_on_lines(const Run& run, const std::string& path, const std::function<std::string(std::string_view)>& shown) {
  constexpr std::size_t kAtOnce = std::size_t{16} << 10;  // bytes that are written together
  std::int64_t count = 0;
  std::string lines;
  read_lines(run, path, [&](std::string_view line) {
    lines += (count++ > 0 ? ",\n" : "\n") + shown(line);
    if (lines.size() < kAtOnce) return;
    terminal::Output::pass_on(lines);
    lines.clear();
  });
  terminal::Output::pass_on(lines);
  return count;
}

void show_campaigns(const Run& run, const std::vector<std::int64_t>& ids) {
  if (run.form == Form::quiet && wants_some(run)) return show_task_numbers(run, ids);
  if (run.form == Form::json && wants_tasks(run)) return pass_on_documents(run, ids);
  if (run.form == Form::json) return show_documents(run, ids, whole_document);
  if (ids.size() > 1 && !wants_tasks(run)) return show_lines(run, ids);
  if (run.form == Form::csv) {
    if (ids.size() != 1)
      throw Error{ExitCode::usage, "--csv lists the tasks of one campaign: give one id, or leave --full and --state out"};
    return show_tasks_csv(run, ids[0]);
  }
  for (std::size_t i = 0; i < ids.size(); ++i) show_for_people(run, ids[i], i == 0);
}

void show_why(const Run& run, const std::vector<std::int64_t>& ids) {
  if (run.form == Form::json) return show_documents(run, ids, load_why);
  terminal::Table table{{{"campaign", "Campaign"},
                         {"cluster", "Cluster"},
                         {"stage", "Stage"},
                         {"reason", "Reason"},
                         {"jobs", "Jobs"},
                         {"since", "Since"},
                         {"sentence", "Sentence"}},
                        {}};
  std::string text;
  std::vector<Json> histories;
  for (const auto id : ids) {
    const auto json = load_why(run, id);
    const auto& decisions = json["decisions"].items();
    for (const auto& d : decisions) {
      table.rows.push_back({terminal::Cell{id}, terminal::Cell{d["cluster_name"].text()}, terminal::Cell{d["stage"].text()},
                            terminal::Cell{d["reason"].text()}, terminal::Cell{d["jobs"].integer()}, terminal::Cell{d["since"].text()},
                            terminal::Cell{d["sentence"].text()}});
    }
    text += (text.empty() ? "" : "\n") + why_view(json, decisions, json["events"].items(), run.setting());
    if (run.has("ratio")) text += ratio_view(json, run.setting());
    if (!run.has("since")) continue;
    histories.push_back(json["decision_history"]);
    text += "\n" + reasons_view(histories.back(), run.setting());
  }
  if (run.has("since")) table = reasons_table(ids, histories);
  run.output.show({.table = table, .text = text});
}

void show_history(const Run& run, const std::vector<std::int64_t>& ids) {
  if (run.form == Form::json) return show_documents(run, ids, load_history);
  auto setting = run.setting();
  for (const auto id : ids) {
    const auto json = load_history(run, id);
    const auto& forecasts = json["forecasts"].items();
    run.output.show({.table = history_table(json, forecasts, setting),
                     .text = (id == ids.front() ? "" : "\n") + history_view(json, forecasts, setting)});
    if (run.form == Form::csv) setting.heading = Heading::left_out;
  }
}

void show_failures(const Run& run, const std::vector<std::int64_t>& ids) {
  if (run.form == Form::json) return show_documents(run, ids, load_failures);
  const auto setting = run.setting();
  const auto failures = load_failures(run, ids.front());
  run.output.show({.table = failures_table(failures, setting)});
  const auto hint = failures_hint(ids.front(), failures, setting);
  if (run.form == Form::human && !hint.empty()) run.output.report(hint);
}

void show_strip(const Run& run, const std::vector<std::int64_t>& ids) {
  if (run.form == Form::json) return show_documents(run, ids, load_strip);
  const auto setting = run.setting();
  const auto strip = load_strip(run, ids.front());
  run.output.show({.table = strip_table(strip, setting), .text = strip_view(strip, setting)});
}

void show_events(const Run& run, const std::vector<std::int64_t>& ids) {
  if (run.form == Form::json) return show_documents(run, ids, load_events);
  std::vector<Json> events;
  for (const auto id : ids) {
    const auto page = load_events(run, id);
    events.insert(events.end(), page["items"].items().begin(), page["items"].items().end());
  }
  const auto setting = run.setting();
  const auto of = ids.size() > 1 ? clients::EventsOf::grid : clients::EventsOf::one_campaign;
  terminal::Answer answer{
      .table = clients::events_table(events, setting.heading, setting.now),
      .text = run.is_cigri() ? clients::cigri_events(events) : clients::events_text(events, of, setting.screen, setting.now)};
  for (const auto& event : events) answer.ids.push_back(fmt::format("{}", event["id"].integer()));
  run.output.show(answer);
}

void show_job(const Run& run, std::int64_t job) {
  const bool on_cluster = run.has("cinfos");
  const auto json = run.api.get(fmt::format("/v1/jobs/{}{}", job, on_cluster ? "/cinfos" : "")).json;
  const auto text = on_cluster ? remote_job_view(json) : run.is_cigri() ? clients::cigri_job(json) : job_view(json);
  run.output.show({.text = text, .json = run.document(json)});
}

}  // namespace gleaner::gridstat
