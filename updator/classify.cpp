#include "updator/classify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lib/grid/exit_status.hpp"
#include "lib/grid/walltime.hpp"

namespace gleaner::updator {
namespace {

constexpr int kRerunFirst = 66;
constexpr int kRerunLast = 67;

bool has(std::span<const oar::RemoteEvent> events, std::string_view type) {
  return std::ranges::any_of(events, [&](const oar::RemoteEvent& event) { return event.type == type; });
}

bool unusable_request(std::span<const oar::RemoteEvent> events) {
  return has(events, "WORKING_DIRECTORY") || has(events, "OUTPUT_FILES");
}

}  // namespace

grid::JobEnd classify_terminated(const oar::RemoteJob& job) {
  const int status = oar::shell_status(job.exit_status.value_or(0));
  if (status == 0) return grid::JobEnd::done;
  if (status == kRerunFirst) return grid::JobEnd::rerun_first;
  if (status == kRerunLast) return grid::JobEnd::rerun_last;
  return grid::JobEnd::task_error;
}

grid::JobEnd classify_error(std::span<const oar::RemoteEvent> events, Deletion deletion) {
  // A preempted job is deleted by OAR's root afterwards, and a walltime's job too: the first cause counts.
  if (has(events, "BESTEFFORT_KILL")) return grid::JobEnd::preempted;
  if (has(events, "WALLTIME")) return grid::JobEnd::walltime;
  if (unusable_request(events)) return grid::JobEnd::bad_request;
  if (has(events, "FRAG_JOB_REQUEST")) return deletion == Deletion::ours ? grid::JobEnd::killed_by_us : grid::JobEnd::killed_elsewhere;
  return grid::JobEnd::node_failure;
}

Consequence consequence_of(grid::JobEnd end, Began began, const store::LiveJob& job, const RetryLimits& limits) {
  using store::BagPlace;
  using store::Outcome;
  if (end == grid::JobEnd::done) return {Outcome::done, BagPlace::before_new};
  if (end == grid::JobEnd::killed_by_us && began == Began::no) return {Outcome::goes_back, BagPlace::before_new};
  const bool is_last = job.earlier + 1 >= limits.attempts;
  if (const auto walltime = raised_walltime(job, limits.walltime_factor); end == grid::JobEnd::walltime && walltime && !is_last)
    return {Outcome::goes_back, BagPlace::before_new, walltime};
  const bool charged = grid::charge_of(end) == grid::Charge::task;
  if (charged && job.charged + 1 >= limits.charged) return {Outcome::failed, BagPlace::before_new};
  if (is_last) return {Outcome::failed, BagPlace::before_new};
  if (end == grid::JobEnd::rerun_first) return {Outcome::goes_back, BagPlace::first};
  if (end == grid::JobEnd::rerun_last) return {Outcome::goes_back, BagPlace::last};
  return {Outcome::goes_back, BagPlace::before_new};
}

std::optional<grid::Seconds> raised_walltime(const store::LiveJob& job, double factor) {
  if (!job.max_walltime || job.walltime >= *job.max_walltime) return std::nullopt;
  const grid::Seconds wanted{static_cast<std::int64_t>(std::ceil(static_cast<double>(job.walltime.count()) * factor))};
  return std::min(grid::round_up_walltime(std::max(wanted, job.walltime + grid::Seconds{1})), *job.max_walltime);
}

std::string describe_walltime(const store::LiveJob& job, const Consequence& consequence) {
  const auto walltime = grid::format_walltime(job.walltime);
  if (consequence.walltime)
    return fmt::format("killed by its walltime of {}: it is tried again with {} (max_walltime: {})", walltime, grid::format_walltime(*consequence.walltime),
                       grid::format_walltime(*job.max_walltime));
  if (job.max_walltime && job.walltime >= *job.max_walltime) return fmt::format("killed by its walltime of {}, which is max_walltime: ask for a longer one", walltime);
  if (job.max_walltime) return fmt::format("killed by its walltime of {}, and no attempt is left", walltime);
  return fmt::format("killed by its walltime of {}: ask for a longer one, or give max_walltime, up to which it may grow", walltime);
}

std::string describe_end(grid::JobEnd end, const oar::RemoteJob& job) {
  switch (end) {
    case grid::JobEnd::task_error: {
      const int status = oar::shell_status(job.exit_status.value_or(0));
      if (status == 126) return "exit status 126: the command cannot be executed (is it a program, with the right to run?)";
      if (status == 127) return "exit status 127: the command was not found";
      if (status > 128) return fmt::format("exit status {}: killed by signal {}", status, status - 128);
      return fmt::format("exit status {}", status);
    }
    case grid::JobEnd::walltime: return "killed by its walltime: ask for a longer one";
    case grid::JobEnd::bad_request: return "its working directory or its output file cannot be used: does exec_directory exist there?";
    case grid::JobEnd::node_failure: return "the cluster could not run it";
    default: return std::string{grid::name_of(end)};
  }
}

}  // namespace gleaner::updator
