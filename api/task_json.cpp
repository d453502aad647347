#include "api/task_json.hpp"

#include <sys/wait.h>

#include <fmt/format.h>

#include <chrono>
#include <iterator>

#include "api/answers.hpp"
#include "api/campaign_json.hpp"
#include "lib/intake/rows.hpp"
#include "lib/jdl/parameter.hpp"
#include "lib/text/csv.hpp"
#include "lib/text/utc.hpp"
#include "lib/text/words.hpp"

namespace gleaner::api {

namespace {

/// The arguments as a line that a shell would split into the same ones.
std::string line_of(const jdl::Parameter& parameter) {
  if (const auto* line = std::get_if<std::string>(&parameter)) return *line;
  std::string line;
  for (const auto& argument : std::get<jdl::Arguments>(parameter)) line += (line.empty() ? "" : " ") + text::quote(argument);
  return line;
}

std::optional<int> code_of(std::optional<int> wait_status) { return wait_status ? std::optional{exit_code(*wait_status)} : std::nullopt; }

void write_last_job(text::JsonWriter& json, const std::optional<store::views::LastJob>& job) {
  const auto of_job = [&](std::string_view name, auto member) {
    json.key(name);
    if (job) {
      json.value(member(*job));
    } else {
      json.null();
    }
  };
  of_job("cluster_name", [](const auto& j) { return j.cluster; });
  of_job("job_id", [](const auto& j) { return j.id; });
  of_job("remote_id", [](const auto& j) { return j.remote_id; });
  of_job("job_state", [](const auto& j) { return grid::name_of(j.state); });
  of_job("ending", [](const auto& j) { return j.ending; });
  of_job("exit_code", [](const auto& j) { return code_of(j.exit_status); });
  of_job("launch_id", [](const auto& j) { return j.launch; });
  of_job("resources_used", [](const auto& j) { return j.resources; });
  of_job("submission_time", [](const auto& j) { return j.submitted_at; });
  of_job("start_time", [](const auto& j) { return j.started_at; });
  of_job("stop_time", [](const auto& j) { return j.ended_at; });
}

}  // namespace

int exit_code(int wait_status) {
  if (WIFSIGNALED(wait_status)) return 128 + WTERMSIG(wait_status);
  return WEXITSTATUS(wait_status);
}

void write_task(text::JsonWriter& json, const store::views::Task& task, grid::CampaignId campaign) {
  const auto parameter = intake::parameter_of(task.form, task.parameter);
  json.field("id", task.number);
  json.field("name", jdl::task_name(parameter));
  json.field("parameters", line_of(parameter));
  if (const auto* arguments = std::get_if<jdl::Arguments>(&parameter))
    json.key("arguments").array(*arguments, [&](const std::string& argument) { json.value(argument); });
  json.field("state", grid::name_of(task.state));
  json.field("cancelling", task.cancelling);
  json.field("held_by", task.held_by);
  json.field("held_time", task.held_at);
  json.field("attempt", task.attempt);
  json.field("charged", task.charged);
  write_last_job(json, task.job);
  json.field("href", fmt::format("{}/tasks/{}", campaign_path(campaign), task.number.value()));
}

void add_csv_row(std::string& text, const store::views::Task& task, grid::CampaignId) {
  const auto parameter = intake::parameter_of(task.form, task.parameter);
  const auto add = [&text](std::string_view end, const auto& value) {
    if (value) fmt::format_to(std::back_inserter(text), "{}", *value);
    text += end;
  };
  const auto of_job = [&task](auto member) -> std::optional<std::int64_t> {
    if (!task.job) return std::nullopt;
    const auto value = member(*task.job);
    return value ? std::optional{static_cast<std::int64_t>(*value)} : std::nullopt;
  };
  const auto add_time = [&](std::string_view end, auto member) {
    const auto time = task.job ? std::optional<grid::Instant>{member(*task.job)} : std::nullopt;
    add(end, time ? std::optional{text::utc(*time)} : std::nullopt);
  };
  fmt::format_to(std::back_inserter(text), "{},{},{},", task.number.value(), grid::name_of(task.state),
                 task.job ? text::csv_field(task.job->cluster) : std::string{});
  add(",", of_job([](const auto& job) { return std::optional{job.id.value()}; }));
  add(",", of_job([](const auto& job) { return job.remote_id; }));
  fmt::format_to(std::back_inserter(text), "{},", task.attempt);
  add(",", of_job([](const auto& job) { return code_of(job.exit_status); }));
  fmt::format_to(std::back_inserter(text), "{},{},{},", task.job ? text::csv_field(task.job->ending.value_or("")) : std::string{},
                 text::csv_field(line_of(parameter)), text::csv_field(jdl::task_name(parameter)));
  add_time(",", [](const auto& job) { return job.submitted_at; });
  add_time(",", [](const auto& job) { return job.started_at; });
  add_time("\n", [](const auto& job) { return job.ended_at; });
}

void write_job(text::JsonWriter& json, const store::views::Job& job, const std::vector<std::string>& hosts) {
  json.field("id", job.id);
  json.field("campaign_id", job.campaign);
  json.field("user", job.user);
  json.field("task", job.task);
  json.field("parameters", line_of(intake::parameter_of(job.form, job.parameter)));
  json.field("launch_id", job.launch);
  json.field("tag", job.tag);
  json.field("cluster_id", job.cluster);
  json.field("cluster_name", job.cluster_name);
  json.field("state", grid::name_of(job.state));
  json.field("attempt", job.attempt);
  json.field("remote_id", job.remote_id);
  json.field("exit_code", code_of(job.exit_status));
  json.field("ending", job.ending);
  json.field("resources_used", job.resources);
  json.field("submission_time", job.submitted_at);
  json.field("start_time", job.started_at);
  json.field("stop_time", job.ended_at);
  json.field("checkpoint_time", job.checkpointed_at);
  json.field("resubmissions", job.resubmissions);
  json.field("cpu_seconds", job.cpu_seconds);
  json.field("peak_memory_mb", job.peak_memory);
  json.field("io_mb", job.io_mb);
  json.field("message", job.message);
  if (!hosts.empty()) json.key("hosts").array(hosts);
  const auto path = campaign_path(job.campaign);
  write_links(json, {{"self", fmt::format("/v1/jobs/{}", job.id.value())},
                     {"parent", path},
                     {"item", fmt::format("{}/tasks/{}", path, job.task.value()), "task"},
                     {"item", fmt::format("/v1/clusters/{}", job.cluster.value()), "cluster"}});
}

}  // namespace gleaner::api
