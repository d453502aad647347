#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "lib/grid/id.hpp"

namespace gleaner::tests {

/// The record of the tasks, written by the tasks themselves: each appends its number and its attempt to its campaign's file, in a folder
/// that all clusters see.
class Oracle {
 public:
  explicit Oracle(std::filesystem::path folder);

  /// The exec_file of tasks that note themselves, after the shell text `before` (`sleep 2`).
  [[nodiscard]] std::string task(const std::string& before = {}) const;
  /// The same for tasks that first wait until the gate is open.
  [[nodiscard]] std::string gated_task() const;
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
  std::filesystem::path folder_;
};

}  // namespace gleaner::tests
