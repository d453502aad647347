#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sim/minioar/hierarchy.hpp"

namespace gleaner::minioar {

using JobNumber = std::int64_t;

/// A job that holds resources.
struct Holder {
  JobNumber job;
  std::vector<int> resources;
  std::int64_t start;
  std::int64_t end;  ///< start + walltime
  bool best_effort;
  bool being_killed;
};

/// A job that waits for resources, with the properties that its submission shares.
struct Candidate {
  JobNumber job;
  const std::vector<Moldable>* moldables;  ///< also identifies the submission
  const Condition* properties;
  bool best_effort;
  bool groups_meet = false;  ///< as Choice has it
  std::int64_t begins = 0;   ///< of an advance reservation: it gets resources then, whatever best-effort jobs hold
};

struct Start {
  JobNumber job;
  int moldable;  ///< index of the alternative
  std::vector<int> resources;
  bool operator==(const Start&) const = default;
};

struct Prediction {
  JobNumber job;
  std::int64_t time;
  bool operator==(const Prediction&) const = default;
};

struct Schedule {
  std::vector<Start> starts;            ///< jobs to start now
  std::vector<Prediction> predictions;  ///< start times of the first jobs that cannot start now
  std::vector<JobNumber> kills;         ///< best-effort jobs to kill for a normal one
};

/// The most waiting jobs with a predicted start, which later jobs must not delay.
constexpr int kPredictionDepth = 20;

/// Seconds that a best-effort job counts for, whatever its walltime: it starts where nothing else begins before, and is killed then.
constexpr std::int64_t kBestEffortDuration = 300;

/// Whether OAR wakes nodes that are Absent for a job that fits on no other.
enum class Absent { out, woken };

/// Conservative backfilling: each candidate, in order (normal jobs first), gets the earliest time at which it fits, so a later one may
/// start first if it delays none before it. Best-effort jobs do not block normal ones: those in the way are killed, youngest first, and the
/// normal job starts in a later pass. An advance reservation that begins later has its resources from then on before all others. Pure.
[[nodiscard]] Schedule schedule(std::int64_t now, std::span<const Resource> resources, std::span<const Holder> holders,
                                std::span<const Candidate> candidates, Absent absent = Absent::out);

}  // namespace gleaner::minioar
