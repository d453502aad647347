#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "clients/json.hpp"

/// The tasks of a campaign, added up for its report. The API lists the last job of each task.
namespace gleaner::gridstat::report {

/// From `from` to `until`, in seconds since 1970, in so many slices of equal length.
struct Slices {
  std::int64_t from = 0;
  std::int64_t until = 0;
  std::size_t count = 1;
  /// The slice of a time; of one before them the first, of one after them the last.
  [[nodiscard]] std::size_t of(std::int64_t time) const;
};

/// The tasks whose last job ran on one cluster. Durations are in seconds, sorted by finish().
struct OnCluster {
  std::string cluster;
  std::int64_t done = 0;
  std::int64_t failed = 0;
  std::vector<std::int64_t> durations{};  ///< of those that are done
  std::vector<std::int64_t> waits{};      ///< in OAR's queue, of those that started
  double resource_seconds = 0;            ///< of the last jobs of those that ended
  bool knows_resources = true;            ///< false: those of some of these jobs are not known
};

/// Adds up tasks, one at a time. Memory: about 40 bytes for each.
class Figures {
 public:
  void add(const clients::Json& task);
  /// After the last one.
  void finish();

  [[nodiscard]] const std::vector<OnCluster>& clusters() const { return clusters_; }
  /// Tasks that had more than one attempt.
  [[nodiscard]] std::int64_t repeated() const { return repeated_; }
  /// Tasks done by the end of each slice.
  [[nodiscard]] std::vector<std::int64_t> done_by(const Slices& slices) const;
  /// How many tasks ran at once in each slice, on average over it.
  [[nodiscard]] std::vector<double> running_in(const Slices& slices) const;

 private:
  struct Run {
    std::int64_t start = 0;
    std::optional<std::int64_t> stop;
    bool is_done = false;
  };
  OnCluster& on(const std::string& cluster);

  std::vector<OnCluster> clusters_;
  std::map<std::string, std::size_t> places_;  ///< in clusters_
  std::vector<Run> runs_;
  std::int64_t repeated_ = 0;
};

/// The least of the values that at least so large a part of them does not exceed. @param sorted  not empty  @param part  0 to 1
[[nodiscard]] std::int64_t quantile(std::span<const std::int64_t> sorted, double part);

/// Durations of more than the class before allows, and of no more than `most` seconds.
struct DurationClass {
  std::int64_t most = 0;
  std::int64_t tasks = 0;
};
/// From the class of the shortest duration to that of the longest; each is two or three times as long as the one before.
[[nodiscard]] std::vector<DurationClass> duration_classes(std::span<const OnCluster> clusters);

}  // namespace gleaner::gridstat::report
