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

/// A job that wants some, with what all the jobs of its submission share.
struct Candidate {
  JobNumber job;
  const std::vector<Moldable>* moldables;  ///< also the identity of the submission
  const Condition* properties;
  bool best_effort;
};

struct Start {
  JobNumber job;
  int moldable;  ///< which of the alternatives
  std::vector<int> resources;
  bool operator==(const Start&) const = default;
};

struct Prediction {
  JobNumber job;
  std::int64_t time;
  bool operator==(const Prediction&) const = default;
};

struct Schedule {
  std::vector<Start> starts;            ///< now
  std::vector<Prediction> predictions;  ///< later, for the first jobs that cannot start now
  std::vector<JobNumber> kills;         ///< best-effort jobs in the way of a normal one
};

/// How many waiting jobs get a prediction, that the jobs behind them must not delay.
constexpr int kPredictionDepth = 20;

/// Conservative backfilling: the candidates in their order (normal ones first), each at the first time
/// when it fits, so that a later one may start first if it delays none of those before it. Normal jobs do
/// not see the best-effort ones: what is in their way is killed, youngest first, and they start in a later
/// pass. Pure.
[[nodiscard]] Schedule schedule(std::int64_t now, std::span<const Resource> resources, std::span<const Holder> holders,
                                std::span<const Candidate> candidates);

}  // namespace gleaner::minioar
