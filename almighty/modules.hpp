#pragma once
#include <array>
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/grid/time.hpp"
#include "lib/process/child.hpp"
#include "lib/process/config.hpp"
#include "lib/store/database.hpp"

namespace gleaner::almighty {

/// The modules of a cycle, in their order: the predictor judges what the updator just saw, and what
/// Nikita wiped can be planned again in the same cycle.
inline constexpr std::array<std::string_view, 5> kModules{"updator", "predictor", "nikita", "metascheduler", "runner"};

/// How one run of a module ended.
struct ModuleRun {
  std::string module;
  enum class Result { succeeded, failed, timed_out, left_running, skipped } result = Result::succeeded;
  std::string detail;
  std::chrono::milliseconds duration{};
};
[[nodiscard]] std::string_view name_of(ModuleRun::Result result);

/// The modules as child processes, kept from turn to turn (lib/process/turns.hpp): at most one turn
/// of each in the foreground, and those that were left running until their time limit. One that
/// ended is started again for its next turn. All die with this process.
class Modules {
 public:
  explicit Modules(const process::Config& config);

  /// Gives a module a turn and waits for its end, at most its patience; then it is left running. A module that
  /// failed again and again is skipped until its time has come. `alive` is called while waiting, often
  /// enough to keep a lease.
  [[nodiscard]] ModuleRun run(std::string_view module, store::Term term, const std::function<void()>& alive);

  /// The runs left behind that are over now, or had to be killed at their time limit.
  [[nodiscard]] std::vector<ModuleRun> collect();

  [[nodiscard]] bool busy() const { return !left_.empty(); }

  /// Asks every process to stop, and waits a little for it.
  void stop();

 private:
  struct Running {
    std::string module;
    process::Child child;
    std::chrono::steady_clock::time_point started;
  };
  /// A process that took the turn: the one kept, or a new one; why it could not be started.
  [[nodiscard]] tl::expected<process::Child, std::string> begin(const std::string& module, store::Term term);
  /// How the turn ended; nothing while it goes on after the limit. A process that ended it well is kept, unless another is.
  [[nodiscard]] std::optional<ModuleRun> end_within(Running& running, process::Duration limit);
  struct Failures {
    int in_a_row = 0;
    std::chrono::steady_clock::time_point not_before;
  };
  void note(const ModuleRun& run);
  [[nodiscard]] std::chrono::milliseconds age(const Running& running) const;

  const process::Config& config_;
  std::string directory_;
  std::map<std::string, process::Child, std::less<>> kept_;
  std::deque<Running> left_;
  std::map<std::string, Failures, std::less<>> failures_;
};

}  // namespace gleaner::almighty
