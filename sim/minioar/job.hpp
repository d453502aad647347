#pragma once
#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/minioar/hierarchy.hpp"
#include "sim/minioar/schedule.hpp"

namespace gleaner::minioar {

/// Seconds since the epoch: OAR's dates.
[[nodiscard]] inline std::int64_t seconds_of(std::chrono::system_clock::time_point time) {
  return std::chrono::system_clock::to_time_t(time);
}

enum class JobState { waiting, hold, to_launch, launching, running, suspended, resuming, finishing, terminated, error };
constexpr std::array<std::string_view, 10> kJobStateNames{"Waiting",   "Hold",     "toLaunch",  "Launching",  "Running",
                                                          "Suspended", "Resuming", "Finishing", "Terminated", "Error"};
[[nodiscard]] constexpr std::string_view name_of(JobState state) { return kJobStateNames[static_cast<std::size_t>(state)]; }
[[nodiscard]] constexpr bool over(JobState state) { return state == JobState::terminated || state == JobState::error; }
/// States in which a job waits for resources.
[[nodiscard]] constexpr bool queued(JobState state) { return state == JobState::waiting || state == JobState::hold; }
/// States in which a job may have a supervisor.
[[nodiscard]] constexpr bool started(JobState state) { return !queued(state) && !over(state); }

/// Facts missing in OAR's record of a job, because its server died, or the launch failed.
enum class Missed {
  nothing,
  start,    ///< it is Launching or Running, and was never executed
  running,  ///< it is executed, and stays Launching
  end,      ///< it has ended; the end will be reported again
  end_lost  ///< it has ended; the end is never reported
};
constexpr std::array<std::string_view, 5> kMissedNames{"nothing", "start", "running", "end", "end_lost"};

struct Event {
  std::int64_t id;
  std::int64_t date;
  std::string type;
  std::string description;
  bool to_check = false;
};

/// Properties that the jobs of one POST share. Immutable.
struct Submission {
  std::string user;
  std::optional<std::string> name;
  std::string project = "default";
  std::string queue = "default";
  std::vector<std::string> types;
  std::string property;                ///< as posted
  std::vector<std::string> resources;  ///< the `-l` options
  std::string initial_request;
  std::string directory;
  std::string stdout_file;  ///< with %jobid%
  std::string stderr_file;
  std::int64_t checkpoint = 0;  ///< seconds before the walltime; 0: none
  int signal = 12;
  std::vector<JobNumber> after;  ///< jobs that must be over
  std::int64_t not_before = 0;   ///< of an advance reservation; 0: none
  std::int64_t submission_time = 0;
  bool starts_on_hold = false;

  // Made of the above by complete():
  std::vector<Moldable> moldables;
  Condition condition;
  std::string properties;  ///< as OAR shows them
  std::string wanted;
  std::string message;  ///< "R=1,W=…", before the scheduler's remark

  [[nodiscard]] bool has_type(std::string_view type) const;
  [[nodiscard]] bool best_effort() const { return has_type("besteffort"); }
};

/// Fills the derived members. Error: the message that OAR prints.
[[nodiscard]] tl::expected<void, RequestError> complete(Submission& submission, const std::vector<Resource>& resources);

struct Job {
  JobNumber id = 0;
  JobNumber array_id = 0;
  int array_index = 1;
  JobNumber resubmitted = 0;  ///< the job that this one replaces
  int era = 0;                ///< number of times that ids were forgotten before this job got its id
  std::shared_ptr<const Submission> submission;
  std::string command;

  JobState state = JobState::waiting;
  std::int64_t start_time = 0;
  std::int64_t stop_time = 0;
  std::optional<std::int64_t> scheduled_start;
  std::optional<std::int64_t> exit_code;
  std::string message;
  std::vector<int> resources;   ///< places; kept after the end
  std::optional<int> moldable;  ///< set once it has resources
  bool fragged = false;         ///< its deletion was requested
  Missed missed = Missed::nothing;
  std::vector<Event> events;

  [[nodiscard]] std::optional<std::int64_t> walltime() const;
  /// When it is to start, if that is known: an advance reservation at its date.
  [[nodiscard]] std::optional<std::int64_t> planned_start() const;
  /// As OAR shows it: of an advance reservation that waits, its date.
  [[nodiscard]] std::int64_t shown_start() const;
  [[nodiscard]] std::string file_name(std::string_view pattern) const;  ///< %jobid% replaced
};

}  // namespace gleaner::minioar
