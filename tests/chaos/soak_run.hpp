#pragma once
#include <chrono>
#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <vector>

namespace gleaner::tests::soak {

struct Figures {
  std::int64_t tasks = 0;
  std::int64_t jobs = 0;                         ///< of these tasks
  std::map<std::string, int> faults;             ///< by kind
  std::vector<std::string> twice;                ///< what was carried out twice, one line each
  std::vector<std::string> lost;                 ///< what is not over, or is done and was never carried out
  std::vector<std::string> falsely_failed;       ///< what failed or paid though nothing was wrong with it
  std::vector<std::string> breaches;             ///< laws of the database that do not hold
  std::vector<std::chrono::milliseconds> heals;  ///< from the end of the faults until each cluster works again
  bool has_full_home = false;                    ///< a small file system could be mounted

  [[nodiscard]] bool is_clean() const { return twice.empty() && lost.empty() && falsely_failed.empty() && breaches.empty(); }
};
/// As text, for people.
std::ostream& operator<<(std::ostream& out, const Figures& figures);

/// Three clusters, campaigns whose programs behave badly, faults of every kind at once, each from the seed, with a calm now and then;
/// at the end all must be over.
[[nodiscard]] Figures run(std::chrono::seconds length, std::uint64_t seed);

}  // namespace gleaner::tests::soak
