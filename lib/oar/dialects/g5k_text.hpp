#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/oar/client.hpp"
#include "lib/oar/parse.hpp"

/// Texts that are sent to Grid'5000's API and that it answers. Pure functions.
namespace gleaner::oar::g5k {

inline constexpr std::string_view kNoFiles{"Grid'5000's API gives and takes no files of its users"};
/// Jobs in one page of a list (its LIMIT_MAX).
inline constexpr int kMostOfPage = 500;
/// The exit status by which the script of a job says that its command ended with 0. A shell's start file that ends the job gives another
/// one, so 0 itself proves nothing.
inline constexpr int kDone = 115;

/// The name under which a request is submitted: its own, and the facts of its job where its command has them:
/// `<tag>:<task>:<attempt>:<job>:<fence>`.
[[nodiscard]] std::string name_of(const SubmitRequest& request, std::string_view line);

/// The script that the API puts into a file for the job: it runs the command, says its end by its status, and removes its file.
[[nodiscard]] std::string script_of(std::string_view command);

/// Why the request must not be sent; empty: it may.
[[nodiscard]] std::optional<std::string> wrong_request(const SubmitRequest& request);

/// The body of POST /jobs for one line, or for a request without lines, ASCII only.
[[nodiscard]] std::string submission_body(const SubmitRequest& request, std::string_view line);

/// A job of the list or by itself, with the name and the command that it was submitted with, and OAR's exit status.
struct Job {
  JobDetails details;
  std::optional<int> wait_status;  ///< as the API states it; in the details, kDone is 0 where the job is one of ours
};

/// `total` and `items` of GET /jobs.
[[nodiscard]] Parsed<Page<Job>> parse_jobs(std::string_view body);
/// GET /jobs/ID, and the answer of POST /jobs.
[[nodiscard]] Parsed<Job> parse_job(std::string_view body);

/// The name of evidence that stands for what a run that is over left (lib/grid/evidence.hpp). Empty: its end proves nothing of the attempt.
[[nodiscard]] std::optional<std::string> evidence_of(const RunOf& run, const Job& job);

/// One node of GET /status, whose slots are its cores.
struct NodeStatus {
  std::string name;
  std::string hard;  ///< alive, standby, absent, suspected, dead
  int slots = 0;
  int held = 0;  ///< by running jobs
};
[[nodiscard]] Parsed<std::vector<NodeStatus>> parse_status(std::string_view body);

}  // namespace gleaner::oar::g5k
