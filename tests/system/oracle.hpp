#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "lib/grid/id.hpp"
#include "lib/process/descriptor.hpp"

namespace gleaner::tests {

/// The record of the tasks, written by the tasks themselves: each appends its number and its attempt to its campaign's file, in a folder
/// that all clusters see.
class Oracle {
 public:
  explicit Oracle(std::filesystem::path folder);

  /// The exec_file of tasks that note themselves, after the shell text `before` (`sleep 2`).
  [[nodiscard]] std::string task(const std::string& before = {}) const;
  /// The same for tasks that first wait at the gate.
  [[nodiscard]] std::string gated_task() const;
  /// The shell command that waits until the gate is open, or the test over. It waits for a lock: many tasks that look for a file several
  /// times a second are half of what two cores can do.
  [[nodiscard]] std::string waits_at_gate() const;
  void open_gate() const;

  /// (task, attempt) to the number of times that it was carried out.
  using Executions = std::map<std::pair<std::int64_t, int>, int>;
  [[nodiscard]] Executions executions(grid::CampaignId campaign) const;
  /// The folder of the files that the tasks wrote with `>> "$RESULTS/name"`.
  [[nodiscard]] std::filesystem::path folder() const { return folder_; }

  /// (task, attempt) of jobs that were killed between the note of their task and the one of their wrapper.
  using CutOff = std::set<std::pair<std::int64_t, int>>;
  /// Empty when each of the tasks 0 to total - 1 was carried out exactly once, besides those attempts; else what is wrong.
  [[nodiscard]] std::string each_exactly_once(grid::CampaignId campaign, std::int64_t total, const CutOff& cut_off = {}) const;

 private:
  [[nodiscard]] std::filesystem::path gate() const { return folder_ / "gate"; }

  std::filesystem::path folder_;
  process::Descriptor closed_gate_;
};

}  // namespace gleaner::tests
