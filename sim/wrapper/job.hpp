#pragma once
#include <csignal>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/minioar/executor.hpp"
#include "sim/wrapper/fates.hpp"
#include "sim/wrapper/script.hpp"
#include "sim/wrapper/timeline.hpp"

namespace gleaner::wrapper {

class Shell;

/// Why a shell ended.
struct Exit {
  int status;
};
struct Killed {};

/// The processes of one job of OAR: the wrapper's shell and its workers, or the one process of another job. Signals are as those of
/// minioar's supervisor.
class Job {
 public:
  /// @param on_end  is called once, when all its processes are over; the job must outlive the call
  Job(const minioar::Execution& execution, std::optional<Command> command, Fates& fates, Timeline& timeline, std::function<void()> on_end);
  ~Job();
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  void begin();
  /// SIGTERM to all processes, and SIGKILL after the grace.
  void kill();
  void signal(int signal);
  void signal_all(int signal);
  [[nodiscard]] const std::optional<minioar::JobEnding>& ending() const { return ending_; }

  // For its shells:
  [[nodiscard]] const Script& script() const { return *command_->script; }
  [[nodiscard]] std::string variable(std::string_view name) const;
  [[nodiscard]] const std::string& host() const { return host_; }
  [[nodiscard]] int cores_of_first_node() const { return cores_; }
  [[nodiscard]] std::int64_t id() const { return execution_.job.id; }
  [[nodiscard]] std::int64_t date() const;     ///< by the clock of its nodes
  [[nodiscard]] std::int64_t seconds() const;  ///< since it began, as bash counts: by the time of day
  [[nodiscard]] Fates& fates() { return fates_; }
  [[nodiscard]] Timeline& timeline() { return timeline_; }
  void start_workers(int count);
  [[nodiscard]] bool has_workers() const;
  [[nodiscard]] int started_workers() const { return started_workers_; }
  void signal_workers(int signal);
  /// A shell has come to a place where it waits, or to its end. May end the shell, and the job.
  void look_at(Shell& shell);

 private:
  [[nodiscard]] bool open_outputs();
  void end(minioar::JobEnding::Kind kind, int wait_status);
  void begin_other(Time::duration left);

  minioar::Execution execution_;
  std::optional<Command> command_;  ///< empty: it is no job of the grid
  Fates& fates_;
  Timeline& timeline_;
  std::function<void()> on_end_;
  std::string host_;
  int cores_ = 0;
  std::int64_t began_ = 0;
  std::unique_ptr<Shell> main_;
  std::vector<std::unique_ptr<Shell>> workers_;
  int started_workers_ = 0;
  TaskPlan other_;                              ///< of another job
  std::optional<Time::duration> left_at_stop_;  ///< of another job
  std::optional<Timeline::Id> timer_;
  std::optional<Timeline::Id> grace_;
  std::optional<minioar::JobEnding> ending_;
};

}  // namespace gleaner::wrapper
