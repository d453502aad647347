#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sim/world/settings.hpp"

namespace gleaner::world {

/// How a world ended.
struct Verdict {
  std::vector<std::string> faults;  ///< what must not be; empty: all held
  std::vector<std::string> waits;   ///< for what, if it did not end
  double simulated_s = 0;
  double real_s = 0;
  double processor_s = 0;  ///< of this process, and of its PostgreSQL
  std::int64_t cycles = 0;
  std::int64_t tasks = 0;
  std::int64_t done = 0;
  std::int64_t requests = 0;                     ///< to the clusters
  std::int64_t lines = 0;                        ///< of the trace
  std::uint64_t digest = 0;                      ///< of the trace
  std::map<std::string, std::int64_t> happened;  ///< how often each fault did, and the death of each program
  double healed_after_s = 0;                     ///< the longest time from a fault until a task ended again
  std::string healed_from;                       ///< after which kind
  std::string times;                             ///< where the real time went
  std::string statements;                        ///< the heaviest ones, if they were counted

  [[nodiscard]] bool is_green() const { return faults.empty(); }
};
[[nodiscard]] std::string summary(const Verdict& verdict);

/// Makes a world, and runs it to its end. One at a time in a process. Throws process::Error when its PostgreSQL cannot be started.
[[nodiscard]] Verdict run(const Settings& settings);

}  // namespace gleaner::world
