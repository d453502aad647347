#include "api/remote_job_json.hpp"

#include <optional>

namespace gleaner::api {
namespace {

std::optional<int> exit_code_of(const std::optional<int>& wait_status) {
  return wait_status ? std::optional{oar::shell_status(*wait_status)} : std::nullopt;
}

}  // namespace

void write_remote_job(text::JsonWriter& json, const oar::JobDetails& details) {
  const auto& job = details.job;
  json.field("id", job.id);
  json.field("array_id", job.array);
  json.field("name", job.name);
  json.field("owner", job.owner);
  json.field("state", oar::name_of(job.state));
  json.field("queue", job.queue);
  json.field("project", job.project);
  json.key("types").array(details.types);
  json.field("message", job.message);
  json.field("submission_time", job.submitted);
  json.field("start_time", job.started);
  json.field("stop_time", job.stopped);
  json.field("exit_code", exit_code_of(job.exit_status));
  json.field("resources", job.resources);
  json.field("walltime", job.walltime);
  json.key("hosts").array(details.hosts);
  json.field("directory", details.directory);
  json.field("stdout_file", details.stdout_file);
  json.field("stderr_file", details.stderr_file);
  json.field("resubmitted_as", details.resubmitted_as);
  json.field("resubmit_of", details.resubmit_of);
  json.key("events").array(details.events, [&](const oar::RemoteEvent& event) {
    json.object([&] {
      json.field("type", event.type);
      json.field("description", event.description);
      json.field("date", event.date);
    });
  });
}

}  // namespace gleaner::api
