#pragma once
#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <string_view>

/// How a real OAR fails when its server dies; tests/oar-testbed/README.md states where each failure was observed.
namespace gleaner::minioar {

/// OAR's record of a job that ends while its server is dead.
enum class EndsMeanwhile {
  late,      ///< the job reports its end again after 30 s, then after 60 s more, 120 s, … 900 s; it counts when the server lives then
  lost,      ///< no report: the job stays Running until its walltime, a preemption or a deletion ends the record
  finishing  ///< the job stays Finishing for ever; the exit code is recorded, unless the job was killed
};
constexpr std::array<std::string_view, 3> kEndsMeanwhileNames{"late", "lost", "finishing"};

struct ServerState {
  bool alive = true;
  EndsMeanwhile ends = EndsMeanwhile::late;
  std::chrono::milliseconds report_again{30'000};
};

/// How a launch fails.
enum class LaunchFate {
  launching,    ///< Launching for ever; nothing is executed
  running,      ///< Running until its walltime; nothing is executed
  unseen,       ///< executed, but shown as Launching until it ends
  resubmitted,  ///< its node refuses it: Error, and OAR resubmits it; nothing is executed
  run_twice,    ///< OAR gives it up and resubmits it, but the first one is executed all the same, and no walltime ends it
  hook_failed   ///< the script that a site has OAR 2.6 run before a command (PASSIVE_JOB_HOOK_EXEC_FILE) fails: Error, and its node is
                ///< Suspected; nothing is executed, and OAR does not resubmit it
};
constexpr std::array<std::string_view, 6> kLaunchFateNames{"launching", "running", "unseen", "resubmitted", "run_twice", "hook_failed"};

/// The fate of the processes of jobs that OAR has forgotten.
enum class Processes { killed, left };

template <class Enum, std::size_t kSize>
[[nodiscard]] constexpr std::optional<Enum> value_of(const std::array<std::string_view, kSize>& names, std::string_view name) {
  const auto* found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Enum>(found - names.begin());
}
[[nodiscard]] constexpr std::string_view name_of(EndsMeanwhile ends) { return kEndsMeanwhileNames.at(static_cast<std::size_t>(ends)); }
[[nodiscard]] constexpr std::optional<EndsMeanwhile> ends_meanwhile(std::string_view name) {
  return value_of<EndsMeanwhile>(kEndsMeanwhileNames, name);
}
[[nodiscard]] constexpr std::optional<LaunchFate> launch_fate(std::string_view name) {
  return value_of<LaunchFate>(kLaunchFateNames, name);
}

}  // namespace gleaner::minioar
