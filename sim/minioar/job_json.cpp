#include "sim/minioar/job_json.hpp"

#include <set>

#include <fmt/format.h>

namespace gleaner::minioar {

namespace {

void write_events(text::JsonWriter& json, const Job& job) {
  json.key("events").begin_array();
  for (const auto& event : job.events) {
    json.begin_object().field("date", event.date).field("description", event.description).field("event_id", event.id);
    json.field("job_id", job.id).field("to_check", event.to_check ? "YES" : "NO").field("type", event.type).end_object();
  }
  json.end_array();
}

std::optional<std::int64_t> shown_walltime(const Job& job) {
  if (const auto walltime = job.walltime()) return walltime;
  if (job.planned_start() && queued(job.state)) return job.submission->moldables.front().walltime;
  return std::nullopt;
}

void write_resource_links(text::JsonWriter& json, const Call& call, const Resource& resource) {
  json.key("links").begin_array();
  write_link(json, call.link("resources/nodes/" + resource.host), "member", "node");
  write_link(json, call.link(fmt::format("resources/{}", resource.id)), "self");
  write_link(json, call.link(fmt::format("resources/{}/jobs", resource.id)), "collection", "jobs");
  json.end_array();
}

}  // namespace

void write_job_links(text::JsonWriter& json, const Call& call, JobNumber id) {
  json.key("links").begin_array();
  write_link(json, call.link(fmt::format("jobs/{}", id)), "self");
  write_link(json, call.link(fmt::format("jobs/{}/resources", id)), "collection", "resources");
  write_link(json, call.link(fmt::format("jobs/{}/nodes", id)), "collection", "nodes");
  json.end_array();
}

void write_listed_job(text::JsonWriter& json, const Call& call, const Job& job) {
  json.begin_object().field("api_timestamp", call.now).field("id", job.id);
  write_job_links(json, call, job.id);
  json.field("name", job.submission->name).field("owner", job.submission->user).field("queue", job.submission->queue);
  json.field("state", name_of(job.state)).field("submission", job.submission->submission_time).end_object();
}

void write_table_job(text::JsonWriter& json, const Call& call, const Job& job) {
  const auto& submission = *job.submission;
  json.begin_object().field("Job_Id", job.id).field("api_timestamp", call.now).field("array_id", job.array_id);
  json.field("assigned_moldable_job", job.moldable ? job.id : std::int64_t{0})
      .field("command", job.command)
      .field("exit_code", job.exit_code);
  json.field("id", job.id).field("initial_request", submission.initial_request).field("job_id", job.id).field("job_name", submission.name);
  json.field("job_type", "PASSIVE").field("job_user", submission.user).field("launching_directory", submission.directory);
  write_job_links(json, call, job.id);
  json.field("message", job.message).field("project", submission.project).field("properties", submission.properties);
  json.field("queue_name", submission.queue).field("reservation", submission.not_before != 0 ? "Scheduled" : "None");
  json.field("start_time", job.shown_start()).field("state", name_of(job.state)).field("stderr_file", submission.stderr_file);
  json.field("stdout_file", submission.stdout_file).field("stop_time", job.stop_time);
  json.field("submission_time", submission.submission_time).field("walltime", job.walltime()).end_object();
}

void write_full_job(text::JsonWriter& json, const Call& call, const Ledger& ledger, const Job& job, Detail detail) {
  const auto& submission = *job.submission;
  const bool in_list = detail == Detail::in_list;
  json.begin_object().field("api_timestamp", call.now).field("array_id", job.array_id);
  json.field("array_index", in_list ? std::nullopt : std::optional<std::int64_t>{job.array_index}).field("command", job.command);
  json.field("cpuset_name", fmt::format("{}_{}", submission.user, job.id)).key("dependencies").begin_array();
  for (const auto before : submission.after) json.value(before);
  json.end_array();
  write_events(json, job);
  json.field("exit_code", job.exit_code).field("id", job.id);
  json.field("initial_request", submission.user == call.user ? submission.initial_request : std::string{});
  json.field("launching_directory", submission.directory);
  write_job_links(json, call, job.id);
  json.field("message", job.message).field("name", submission.name);
  if (detail != Detail::plain) json.key("nodes").raw(job_nodes(call, ledger, job).json);
  json.field("owner", submission.user).field("project", submission.project).field("properties", submission.properties);
  json.field("queue", submission.queue).field("reservation", submission.not_before != 0 ? "Scheduled" : "None");
  if (detail != Detail::plain) json.key("resources").raw(job_resources(call, ledger, job).json);
  json.field("resubmit_job_id", in_list ? std::nullopt : std::optional<std::int64_t>{job.resubmitted});
  json.field("scheduled_start", over(job.state) ? std::nullopt : job.planned_start()).field("start_time", job.shown_start());
  json.field("state", name_of(job.state)).field("stderr_file", job.file_name(submission.stderr_file));
  json.field("stdout_file", job.file_name(submission.stdout_file)).field("stop_time", job.stop_time);
  json.field("submission_time", submission.submission_time).field("type", "PASSIVE").key("types").begin_array();
  for (const auto& type : submission.types) json.value(type);
  json.end_array().field("walltime", shown_walltime(job)).field("wanted_resources", submission.wanted).end_object();
}

Items job_resources(const Call& call, const Ledger& ledger, const Job& job) {
  text::JsonWriter json;
  json.begin_array();
  for (const int place : job.resources) write_resource(json, call, ledger.resources()[static_cast<std::size_t>(place)], "assigned");
  json.end_array();
  return {json.text(), static_cast<std::int64_t>(job.resources.size())};
}

Items job_nodes(const Call& call, const Ledger& ledger, const Job& job) {
  std::set<std::string> nodes;
  for (const int place : job.resources) nodes.insert(ledger.resources()[static_cast<std::size_t>(place)].host);
  text::JsonWriter json;
  json.begin_array();
  for (const auto& node : nodes) {
    json.begin_object().field("api_timestamp", call.now).key("links").begin_array();
    write_link(json, call.link("resources/nodes/" + node), "self");
    json.end_array().field("network_address", node).field("status", "assigned").end_object();
  }
  json.end_array();
  return {json.text(), static_cast<std::int64_t>(nodes.size())};
}

void write_resource(text::JsonWriter& json, const Call& call, const Resource& resource, std::string_view status) {
  json.begin_object().field("api_timestamp", call.now).field("id", resource.id);
  for (const auto* name : {"available_upto",
                           "besteffort",
                           "cluster",
                           "core",
                           "cpu",
                           "cpuset",
                           "deploy",
                           "desktop_computing",
                           "drain",
                           "expiry_date",
                           "finaud_decision",
                           "host",
                           "last_available_upto",
                           "last_job_date",
                           "mem",
                           "network_address",
                           "next_finaud_decision",
                           "next_state",
                           "scheduler_priority",
                           "state",
                           "state_num",
                           "suspended_jobs",
                           "type"}) {
    const auto value = property(resource, name).value();
    json.key(name);
    const auto* number = std::get_if<std::int64_t>(&value);
    // OAR gives the core's number on its node as text when it shows the resources of a job.
    if (number != nullptr && !(std::string_view{name} == "cpuset" && !status.empty())) {
      json.value(*number);
    } else {
      json.value(as_text(value));
    }
  }
  if (resource.gpu > 0) json.field("gpu", resource.gpu);
  if (!status.empty()) json.field("status", status);
  write_resource_links(json, call, resource);
  json.end_object();
}

void write_listed_resource(text::JsonWriter& json, const Call& call, const Resource& resource) {
  json.begin_object().field("api_timestamp", call.now).field("available_upto", std::int64_t{2147483647}).field("id", resource.id);
  write_resource_links(json, call, resource);
  json.field("network_address", resource.host).field("state", name_of(resource.state)).end_object();
}

}  // namespace gleaner::minioar
