#pragma once
#include <map>
#include <memory>
#include <vector>

#include "sim/minioar/executor.hpp"
#include "sim/wrapper/job.hpp"

namespace gleaner::wrapper {

/// Executes the jobs of a driven engine in virtual time: those of the grid do to real files what the wrapper of the runner does to them
/// (runner/command/command.hpp), at moments and with tasks that `fates` decides. `fates` must not call the engine.
class ModelExecutor final : public minioar::Executor {
 public:
  explicit ModelExecutor(Fates& fates) : fates_{fates} {}

  [[nodiscard]] tl::expected<void, std::string> begin(const minioar::Execution& execution, Time now) override;
  [[nodiscard]] Trace find(minioar::JobKey job) override;
  void kill(minioar::JobKey job, Time now) override;
  void signal(minioar::JobKey job, int signal, Time now) override;
  void signal_all(minioar::JobKey job, int signal, Time now) override;
  [[nodiscard]] std::vector<minioar::JobKey> ended(Time now) override;
  [[nodiscard]] std::optional<Time> next_event() const override;
  [[nodiscard]] std::optional<minioar::JobEnding> ending(minioar::JobKey job) override;
  void remove(minioar::JobKey job) override;

 private:
  [[nodiscard]] Job* live(minioar::JobKey job, Time now);

  Fates& fates_;
  Timeline timeline_;
  CommandReader reader_;
  std::map<minioar::JobKey, std::unique_ptr<Job>> live_;
  std::map<minioar::JobKey, minioar::JobEnding> endings_;
  std::vector<minioar::JobKey> ended_;
};

}  // namespace gleaner::wrapper
