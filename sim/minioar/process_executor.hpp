#pragma once
#include <sys/types.h>

#include <map>
#include <mutex>

#include "lib/http/file_descriptor.hpp"
#include "sim/minioar/executor.hpp"

namespace gleaner::minioar {

/// Executes each job as a process with a supervisor (supervisor.hpp). Thread-safe.
class ProcessExecutor final : public Executor {
 public:
  explicit ProcessExecutor(std::string state_directory);

  [[nodiscard]] tl::expected<void, std::string> begin(const Execution& execution, Time now) override;
  [[nodiscard]] Trace find(JobKey job) override;
  void kill(JobKey job, Time now) override;
  void signal(JobKey job, int signal, Time now) override;
  void signal_all(JobKey job, int signal, Time now) override;
  [[nodiscard]] std::vector<JobKey> ended(Time now) override;
  [[nodiscard]] std::optional<Time> next_event() const override { return std::nullopt; }
  [[nodiscard]] std::optional<JobEnding> ending(JobKey job) override;
  void remove(JobKey job) override;

  /// Waits for the end of a job, for wake(), or for so many milliseconds; -1: for ever. For one thread.
  void wait(int timeout_ms);
  void wake();

 private:
  struct Process {
    pid_t pid = 0;
    http::FileDescriptor handle;  ///< a pidfd
  };
  void watch(JobKey job, pid_t pid);
  [[nodiscard]] pid_t pid_of(JobKey job);
  [[nodiscard]] JobFiles files_of(JobKey job) const;

  const std::string state_directory_;
  http::FileDescriptor epoll_;
  http::FileDescriptor wake_event_;
  std::mutex mutex_;
  std::map<JobKey, Process> processes_;
  std::map<int, JobKey> by_handle_;
  std::vector<JobKey> ended_;
};

}  // namespace gleaner::minioar
