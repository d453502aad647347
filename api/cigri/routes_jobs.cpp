// CiGri's routes of tasks and jobs.
#include <array>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "api/cigri/ask.hpp"
#include "api/cigri/gate.hpp"
#include "api/cigri/words.hpp"
#include "api/output.hpp"
#include "lib/grid/script.hpp"

namespace gleaner::api::cigri {
namespace {

using rapidjson::Value;

/// A member's name in CiGri's API, and in ours.
using Name = std::pair<std::string_view, std::string_view>;

void write_task(text::JsonWriter& json, const Call& call, const Value& ours) {
  const auto state = task_state(text_of(ours, "state"), text_of(ours, "job_state"));
  copy(json, ours, {"id", "name", "parameters"});
  for (const auto& [name, our_name] : {Name{"cluster", "cluster_name"}, Name{"cigri_job_id", "job_id"}, Name{"remote_id", "remote_id"}}) {
    if (state == "pending") json.key(name).null();
    else copy_as(json, name, ours, our_name);
  }
  json.field("state", state);
  json.field("href", link(call, campaign_path(call, fmt::format("/jobs/{}", number_of(ours, "id").value_or(0)))));
}

http::Response list_tasks(const Call& call) {
  const auto page = window(call);
  if (!page) return translated_refusal(call.caller, page.error());
  const Question question{.method = "GET",
                          .path = campaign_path(call, "/tasks"),
                          .query = {{"limit", fmt::format("{}", page->limit)}, {"offset", fmt::format("{}", page->offset)}}};
  return translated(ask(call, question), [&](text::JsonWriter& json, const Value& ours) {
    const auto& items = member(ours, "items");
    if (items.Empty()) {
      json.field("title", "No jobs found");
      json.field("message", "No more jobs");
      return;
    }
    json.key("items").array(items.GetArray(), [&](const Value& task) { json.object([&] { write_task(json, call, task); }); });
    copy(json, ours, {"total", "offset", "limit"});
    const auto list = campaign_path(call, "/jobs");
    std::vector<Link> links{{"self", link(call, list)}, {"parent", link(call, campaign_path(call))}};
    if (has_next(ours))
      links.push_back({"next", link(call, fmt::format("{}?limit={}&offset={}", list, page->limit, page->offset + items.Size()))});
    write_links(json, links);
  });
}

http::Response append_tasks(const Call& call) {
  // No request that may fail follows once the tasks are stored: a client that received "try again" would append them twice.
  auto response = translated(
      forward(call, {.method = "POST", .path = campaign_path(call, "/tasks"), .doing = "Error adding jobs: "}),
      [&](text::JsonWriter& json, const Value& ours) { write_campaign(json, call, ours); }, 201);
  if (response.status == 201) response.headers.add("Location", link(call, campaign_path(call)));
  return response;
}

/// A prologue or an epilogue. Empty: a task of the bag.
std::optional<grid::Script> script_of(const Value& job) {
  const auto task = number_of(job, "task");
  return task ? grid::script_of(grid::TaskNumber{*task}) : std::nullopt;
}

/// CiGri's mark of a prologue or an epilogue, and the options of its runner, which nothing here corresponds to.
void write_tag(text::JsonWriter& json, std::optional<grid::Script> script) {
  json.field("tag", script ? std::optional{grid::name_of(*script)} : std::nullopt);
  json.key("runner_options").object([] {});
}

/// The nodes of a job, if they are known: `alpha-3,alpha-4`.
void write_nodes(text::JsonWriter& json, const Value& job) {
  std::string names;
  const auto& hosts = member(job, "hosts");
  for (rapidjson::SizeType i = 0; hosts.IsArray() && i < hosts.Size(); ++i)
    names += (i == 0 ? "" : ",") + std::string{hosts[i].IsString() ? hosts[i].GetString() : ""};
  json.field("node_name", names.empty() ? std::nullopt : std::optional{names});
}

void write_exit(text::JsonWriter& json, const Value& ours, std::string_view name) {
  const auto code = number_of(ours, name);
  json.field("return_code", code ? std::optional{return_code(*code)} : std::nullopt);
}

/// The ids of clusters by their names.
std::map<std::string, std::int64_t, std::less<>> ids_of(const Value& clusters) {
  std::map<std::string, std::int64_t, std::less<>> ids;
  for (const auto& cluster : member(clusters, "items").GetArray())
    ids.emplace(text_of(cluster, "name"), number_of(cluster, "id").value_or(0));
  return ids;
}

/// The user of the campaign.
Asked<std::string> ask_user(const Call& call) {
  const auto campaign = ask(call, {.method = "GET", .path = campaign_path(call)});
  if (!campaign) return tl::unexpected{campaign.error()};
  return std::string{text_of(campaign->json, "user")};
}

/// The last jobs of the tasks that are over.
http::Response list_finished(const Call& call) {
  const auto limit = number(call, "limit", call.config.max_rows, {1, call.config.max_rows});
  if (!limit) return translated_refusal(call.caller, limit.error());
  const auto clusters = ask_clusters(call);
  if (!clusters) return clusters.error();
  const auto ids = ids_of(clusters->json);
  const auto user = ask_user(call);
  if (!user) return user.error();
  Question question{.method = "GET",
                    .path = campaign_path(call, "/tasks"),
                    .query = {{"state", "done,failed,cancelled"}, {"limit", fmt::format("{}", *limit)}}};
  if (const auto after = call.request.parameter("after")) question.query.emplace_back("after", *after);
  return translated(ask(call, question), [&](text::JsonWriter& json, const Value& ours) {
    const auto& items = member(ours, "items");
    const auto has_job = [](const Value& task) { return number_of(task, "job_id").has_value(); };
    json.key("items").object_list(
        items.GetArray(),
        [&](const Value& task) {
          const auto id = ids.find(text_of(task, "cluster_name"));
          copy_as(json, "id", task, "job_id");
          json.field("grid_user", *user);
          json.field("campaign_id", id_of(call.parts[0]));
          copy_as(json, "param_id", task, "id");
          copy_as(json, "param", task, "parameters");
          copy_as(json, "batch_id", task, "launch_id");
          json.field("cluster_id", id == ids.end() ? std::nullopt : std::optional{id->second});
          json.key("collect_id").null();
          json.key("node_name").null();
          copy(json, task, {"cluster_name", "resources_used", "remote_id"});
          write_tag(json, std::nullopt);
          json.field("state", job_state(text_of(task, "job_state"), text_of(task, "ending")));
          write_exit(json, task, "exit_code");
          for (const std::string_view name : {"submission_time", "start_time", "stop_time"}) copy_date(json, task, name);
        },
        has_job);
    if (!has_next(ours)) return;
    const auto last = number_of(items[items.Size() - 1], "id").value_or(0);
    write_links(json, {{"next", link(call, fmt::format("{}?limit={}&after={}", campaign_path(call, "/jobs/finished"), *limit, last))}});
  });
}

http::Response show_task(const Call& call) {
  const auto path = campaign_path(call, "/jobs/") + part(call, 1);
  const auto user = ask_user(call);
  if (!user) return user.error();
  return translated(ask(call, {.method = "GET", .path = campaign_path(call, "/tasks/") + part(call, 1)}),
                    [&](text::JsonWriter& json, const Value& ours) {
                      copy(json, ours, {"id", "name", "parameters"});
                      json.field("state", task_state(text_of(ours, "state"), text_of(ours, "job_state")));
                      write_links(json, {{"self", link(call, path)}, {"parent", link(call, campaign_path(call, "/jobs"))}});
                      json.key("execution").array(member(ours, "jobs").GetArray(), [&](const Value& job) {
                        json.object([&] {
                          copy(json, job, {"id", "cluster_id", "cluster_name"});
                          json.field("state", job_state(text_of(job, "state"), text_of(job, "ending")));
                          write_exit(json, job, "exit_code");
                          copy(json, job, {"remote_id"});
                          json.field("grid_user", *user);
                          copy_as(json, "batch_id", job, "launch_id");
                          json.key("collect_id").null();
                          write_nodes(json, job);
                          copy(json, job, {"resources_used"});
                          write_tag(json, script_of(job));
                        });
                      });
                    });
}

http::Response show_job(const Call& call) {
  return translated(ask(call, {.method = "GET", .path = "/jobs/" + part(call, 0)}), [&](text::JsonWriter& json, const Value& ours) {
    const auto script = script_of(ours);
    for (const auto& [name, our_name] :
         {Name{"id", "id"}, Name{"param", "parameters"}, Name{"grid_user", "user"}, Name{"campaign_id", "campaign_id"}})
      copy_as(json, name, ours, our_name);
    json.field("param_id", script ? std::optional<std::int64_t>{0} : number_of(ours, "task"));
    copy_as(json, "batch_id", ours, "launch_id");
    copy(json, ours, {"cluster_id"});
    json.key("collect_id").null();
    json.field("state", job_state(text_of(ours, "state"), text_of(ours, "ending")));
    write_exit(json, ours, "exit_code");
    for (const std::string_view name : {"submission_time", "start_time", "stop_time"}) copy_date(json, ours, name);
    write_nodes(json, ours);
    copy(json, ours, {"resources_used", "remote_id"});
    write_tag(json, script);
    json.key("nodb").null();
    write_links(json, {{"self", link(call, fmt::format("/jobs/{}", call.parts[0]))},
                       {"parent", link(call, fmt::format("/campaigns/{}", number_of(ours, "campaign_id").value_or(0)))}});
    copy(json, ours, {"cluster_name"});
  });
}

http::Response show_output(const Call& call, std::string_view stream) {
  const Question question{.method = "GET",
                          .path = fmt::format("/jobs/{}/{}", part(call, 0), stream),
                          .query = {{"lines", fmt::format("{}", kMostOutputLines)}}};
  return translated(ask(call, question), [](text::JsonWriter& json, const Value& ours) { copy(json, ours, {"output"}); });
}

http::Response show_stdout(const Call& call) { return show_output(call, "stdout"); }
http::Response show_stderr(const Call& call) { return show_output(call, "stderr"); }

/// The job under the names of OAR's API.
http::Response show_cluster_job(const Call& call) {
  return translated(ask(call, {.method = "GET", .path = "/jobs/" + part(call, 0) + "/cinfos"}),
                    [](text::JsonWriter& json, const Value& ours) {
                      copy(json, ours, {"id", "array_id", "name", "owner", "state", "queue", "project", "types", "message"});
                      for (const std::string_view name : {"submission_time", "start_time", "stop_time"}) copy_seconds(json, ours, name);
                      const auto code = number_of(ours, "exit_code");
                      json.field("exit_code", code ? std::optional{return_code(*code)} : std::nullopt);
                      copy(json, ours, {"resources", "walltime", "hosts", "stdout_file", "stderr_file"});
                      json.key("events").array(member(ours, "events").GetArray(), [&](const Value& event) {
                        json.object([&] {
                          copy(json, event, {"type", "description"});
                          copy_seconds(json, event, "date");
                        });
                      });
                      copy_as(json, "launching_directory", ours, "directory");
                      copy_as(json, "resubmit_job_id", ours, "resubmit_of");
                    });
}

/// Cancels the task of a job that is alive. An older job of a task that runs again stays as it is, and so does the task.
http::Response cancel_job(const Call& call) {
  const auto job = ask(call, {.method = "GET", .path = "/jobs/" + part(call, 0)});
  if (!job) return job.error();
  const auto state = job_state(text_of(job->json, "state"), text_of(job->json, "ending"));
  if (state == "terminated" || state == "event") return refusal(400, fmt::format("job {} is over", call.parts[0]));
  const auto path =
      fmt::format("/campaigns/{}/tasks/{}", number_of(job->json, "campaign_id").value_or(0), number_of(job->json, "task").value_or(0));
  const auto cancelled = ask(call, {.method = "DELETE", .path = path});
  if (!cancelled) return cancelled.error();
  return acknowledgement(202, "Accepted", fmt::format("Job {} cancel event created", call.parts[0]));
}

}  // namespace

std::span<const Route> job_routes() {
  static constexpr std::array kRoutes{
      Route{"GET", "/campaigns/:id/jobs", Access::anybody, list_tasks, "limit offset"},
      Route{"POST", "/campaigns/:id/jobs", Access::identified, append_tasks},
      Route{"GET", "/campaigns/:id/jobs/finished", Access::anybody, list_finished, "limit after"},
      Route{"GET", "/campaigns/:id/jobs/:task", Access::anybody, show_task},
      Route{"GET", "/jobs/:id", Access::anybody, show_job},
      Route{"DELETE", "/jobs/:id", Access::identified, cancel_job},
      Route{"GET", "/jobs/:id/stdout", Access::identified, show_stdout},
      Route{"GET", "/jobs/:id/stderr", Access::identified, show_stderr},
      Route{"GET", "/jobs/:id/cinfos", Access::identified, show_cluster_job},
  };
  return kRoutes;
}

}  // namespace gleaner::api::cigri
