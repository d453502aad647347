#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace gleaner::tests {

/// The record of scripts and tasks, written by themselves: each adds a line to one file, which all clusters see: `prologue alpha`, `task
/// beta`.
class Trace {
 public:
  explicit Trace(const std::filesystem::path& folder) : path_{folder / "trace"} {
    std::ofstream{path_};
    std::filesystem::permissions(path_, std::filesystem::perms::all);  // jobs may run as other users
  }
  [[nodiscard]] std::string path() const { return path_.string(); }
  /// The shell command that adds a line.
  [[nodiscard]] std::string note(const std::string& what) const { return fmt::format("echo {} $CIGRI_CLUSTER >> {}", what, path()); }
  /// The lines that begin so, or end so; in their order.
  [[nodiscard]] std::vector<std::string> lines(const std::string& begin, const std::string& end = "") const {
    std::vector<std::string> found;
    std::ifstream file{path_};
    for (std::string line; std::getline(file, line);) {
      if (line.starts_with(begin) && line.ends_with(end)) found.push_back(line);
    }
    return found;
  }
  /// Empty when the prologue is the cluster's first line and the epilogue its last, each once; else what is wrong.
  [[nodiscard]] std::string around_tasks_of(const std::string& cluster) const {
    const auto all = lines("", " " + cluster);
    const auto prologue = "prologue " + cluster;
    const auto epilogue = "epilogue " + cluster;
    std::string wrong;
    if (std::ranges::count(all, prologue) != 1 || all.front() != prologue) wrong += "the prologue is not first, or not once; ";
    if (std::ranges::count(all, epilogue) != 1 || all.back() != epilogue) wrong += "the epilogue is not last, or not once; ";
    if (!wrong.empty())
      wrong += fmt::format("{} lines of {}: {} … {}", all.size(), cluster, all.empty() ? "" : all.front(), all.empty() ? "" : all.back());
    return wrong;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace gleaner::tests
