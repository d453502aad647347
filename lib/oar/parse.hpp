#pragma once
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "lib/grid/time.hpp"
#include "lib/oar/failure.hpp"
#include "lib/oar/job.hpp"
#include "lib/oar/resources.hpp"
#include "lib/oar/submit_request.hpp"

/// Parsers of OAR's answers. They are pure functions: for any bytes they return a value, or a sentence that states the error.
namespace gleaner::oar {

template <class T>
using Parsed = tl::expected<T, std::string>;

/// One page of a list.
template <class T>
struct Page {
  std::vector<T> items;
  std::optional<std::size_t> total;  ///< items of all pages
};

/// A resource as a list describes it.
struct ResourceLine {
  std::int64_t id = 0;
  std::string node;
  std::string state;
  std::optional<grid::Instant> available_until;  ///< if it is past, an Absent resource is not woken
  std::optional<double> load = {};               ///< value of the property asked for, if it is a number from 0
  std::optional<double> memory = {};             ///< the same of the property for memory
  std::string type = {};                         ///< empty: the list does not state it
  bool best_effort = true;                       ///< whether OAR gives it to best-effort jobs
  bool drained = false;                          ///< it starts no further job
  /// The properties that may be levels of a hierarchy (gpu, cpu, switch), each with a number that stands for its value.
  std::vector<std::pair<std::string, std::size_t>> levels = {};
};

/// GET /jobs and /jobs/table.
[[nodiscard]] Parsed<Page<RemoteJob>> parse_jobs(std::string_view body);
/// GET /jobs/ID.
[[nodiscard]] Parsed<JobDetails> parse_job(std::string_view body);
/// A list of such jobs, which OAR 3 has.
[[nodiscard]] Parsed<Page<JobDetails>> parse_job_list(std::string_view body);
/// GET /resources; with the name of a property, GET /resources/details. A value that is no number is no error, as it is one resource's.
[[nodiscard]] Parsed<Page<ResourceLine>> parse_resources(std::string_view body, const std::string& load_property = {},
                                                         const std::string& memory_property = {});
/// The answer to free_path(), as parse_held.
[[nodiscard]] Parsed<std::vector<NodeHold>> parse_free(std::string_view body);
/// The answer to held_path(): resources that jobs hold, by node. An error when there are fewer items than the answer's count.
[[nodiscard]] Parsed<std::map<std::string, int>> parse_held(std::string_view body);
[[nodiscard]] Resources count_resources(const std::vector<ResourceLine>& lines, grid::Instant now);
/// POST /jobs. An error when the answer does not have `expected` ids of jobs.
[[nodiscard]] Parsed<Submitted> parse_submission(std::string_view body, std::size_t expected);
/// GET /media/ls: the names. An error when there are fewer than the answer's count.
[[nodiscard]] Parsed<std::vector<std::string>> parse_listing(std::string_view body);
/// A regular file in a listing. `type` f, or l where a symbolic link leads to one: OAR does not say, and lists the size of the link.
struct ListedFile {
  std::string name;
  std::optional<std::int64_t> size;  ///< empty: a symbolic link
};
/// GET /media/ls: the files, without folders. An error when there are fewer items than the answer's count.
[[nodiscard]] Parsed<std::vector<ListedFile>> parse_file_listing(std::string_view body);
/// Number of items of a list, on all its pages.
[[nodiscard]] Parsed<std::int64_t> parse_total(std::string_view body);
/// GET /version, /stress_factor, /whoami.
[[nodiscard]] Parsed<std::string> parse_version(std::string_view body);
[[nodiscard]] Parsed<double> parse_stress(std::string_view body);
[[nodiscard]] Parsed<std::string> parse_identity(std::string_view body);

/// The message in an answer that is no success, whether JSON, HTML or other text: one line of limited length.
[[nodiscard]] std::string parse_message(std::string_view body);

/// The failure of a GET with a status of 400 or more.
[[nodiscard]] Failure read_failure(int status, std::string message);
/// The failure of a POST of jobs. A message that names a created job, or that does not prove that none was created, leaves the outcome
/// unknown.
[[nodiscard]] Failure submission_failure(int status, std::string message);

enum class Removal;
/// The result of a deletion with a status of 400 or more.
[[nodiscard]] Result<Removal> removal_outcome(int status, std::string message);

}  // namespace gleaner::oar
