#pragma once
#include <cstdint>
#include <string>
#include <string_view>

/// CiGri's words for ours, in its API and in what its commands print. Pure functions.
namespace gleaner::grid::cigri {

/// The state of a job, such as `batch_waiting` for `pooled`. A job that ended badly is in the state `event`: `ending` is why it is over,
/// empty while that is not known.
[[nodiscard]] std::string_view job_state(std::string_view ours, std::string_view ending);
/// The state of a task: that of its last job, or `pending` while it waits for a job. `job` is empty for a task that never had one.
[[nodiscard]] std::string_view task_state(std::string_view ours, std::string_view job);

/// CiGri's code where one means the same; else ours.
[[nodiscard]] std::string_view event_code(std::string_view ours);

/// The wait status of an exit code as a shell reports it: 256 for 1.
[[nodiscard]] std::int64_t return_code(std::int64_t exit_code);

/// The form of a time in CiGri's database, `2026-11-20 18:14:56+00`, of `2026-11-20T18:14:56Z`.
[[nodiscard]] std::string date(std::string_view iso);

/// How a cluster's API knows the grid: `password` for `basic`.
[[nodiscard]] std::string_view authentication(std::string_view ours);
/// The kind of a cluster's API, of oar2 and oar3. Others are their own names.
[[nodiscard]] std::string_view batch(std::string_view ours);

/// Jobs that CiGri asked a cluster about at once, items of a page, and the unit of its counts: nothing here depends on them.
inline constexpr std::int64_t kChunkSize = 100;
inline constexpr std::int64_t kLimit = 100;
inline constexpr std::string_view kResourceUnit{"resource_id"};

/// The host of an URL, which CiGri has for a cluster's. Empty: it has none.
[[nodiscard]] std::string host_of(std::string_view url);

}  // namespace gleaner::grid::cigri
