#pragma once
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sim/minioar/crash.hpp"
#include "sim/minioar/job.hpp"

namespace gleaner::minioar {

/// The records of the journal, one per line.
struct JobsRecord {       ///< new jobs
  Submission submission;  ///< not completed
  std::vector<Job> jobs;  ///< without their submission
};
struct StateRecord {  ///< everything of a job that changes, except its events
  Job job;
};
struct EventRecord {
  JobNumber job;
  Event event;
};
struct ResourceRecord {
  std::int64_t id;
  ResourceState state;
};
struct ServerRecord {
  ServerState server;
};
struct ForgetRecord {  ///< the jobs above this id are forgotten
  JobNumber last;
};
using Record = std::variant<JobsRecord, StateRecord, EventRecord, ResourceRecord, ServerRecord, ForgetRecord>;

[[nodiscard]] std::string jobs_line(const Submission& submission, const std::vector<const Job*>& jobs);
[[nodiscard]] std::string state_line(const Job& job);
[[nodiscard]] std::string event_line(JobNumber job, const Event& event);
[[nodiscard]] std::string resource_line(const Resource& resource);
[[nodiscard]] std::string server_line(const ServerState& server);
[[nodiscard]] std::string forget_line(JobNumber last);

/// Empty: the line is incomplete.
[[nodiscard]] std::optional<Record> read_record(std::string_view line);

}  // namespace gleaner::minioar
