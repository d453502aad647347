#pragma once
#include <chrono>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "sim/world/clusters.hpp"
#include "sim/wrapper/fates.hpp"

namespace gleaner::world {

/// The tasks on a cluster, by their parameters, and the record of their work, which production cannot see.
class Tasks final : public wrapper::Fates {
 public:
  Tasks(std::string cluster, const VirtualClock& clock, Faults& faults, Trace& trace)
      : cluster_{std::move(cluster)},
        clock_{clock},
        faults_{faults},
        trace_{trace},
        clock_of_nodes_{faults, "nodes", fmt::format("nodes of {}", cluster_)} {}

  [[nodiscard]] wrapper::TaskPlan task(const wrapper::TaskRun& run) override;
  void ended(const wrapper::TaskRun& run, int status) override;
  [[nodiscard]] wrapper::TaskPlan other_job(std::int64_t remote_job, const std::string& command) override;

  [[nodiscard]] std::optional<int> login_shell_ends(std::int64_t remote_job) override;
  [[nodiscard]] std::chrono::seconds clocks_ahead() override { return clock_of_nodes_.ahead(clock_.now()); }

  [[nodiscard]] const std::vector<Work>& works() const { return works_; }

 private:
  std::string cluster_;
  const VirtualClock& clock_;
  Faults& faults_;
  Trace& trace_;
  SteppingClock clock_of_nodes_;
  std::vector<Work> works_;
};

}  // namespace gleaner::world
