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

/// The modules of a cycle, in their order. The predictor follows the updator, because it judges what the updator has just read. Nikita
/// precedes the metascheduler, because the tasks of jobs that it takes back can be planned again in the same cycle.
inline constexpr std::array<std::string_view, 5> kModules{"updator", "predictor", "nikita", "metascheduler", "runner"};

/// How one run of a module ended.
struct ModuleRun {
  std::string module;
  enum class Result { succeeded, failed, timed_out, left_running, skipped } result = Result::succeeded;
  std::string detail;
  std::chrono::milliseconds duration{};
  bool is_beside = false;  ///< an earlier turn of the module was still at it, so this one may have found nothing to do
};
[[nodiscard]] std::string_view name_of(ModuleRun::Result result);

/// Runs the turns of the modules.
class Turns {
 public:
  virtual ~Turns() = default;
  /// Runs a turn of a module. `alive` is called often enough to keep a lease, if the turn is waited for.
  [[nodiscard]] virtual ModuleRun run(std::string_view module, store::Term term, const std::function<void()>& alive) = 0;
  /// The runs that were left running and are over now.
  [[nodiscard]] virtual std::vector<ModuleRun> collect() = 0;
};

/// The modules as child processes, kept from turn to turn (lib/process/turns.hpp): at most one turn of each in the foreground, and those
/// that were left running until their time limit. A process that exited is restarted for its next turn. All die with this process.
class Modules final : public Turns {
 public:
  explicit Modules(const process::Config& config);

  /// Starts a turn of a module, and waits at most `module_patience` for its end; then the module is left running. A module that failed
  /// several times in a row is skipped until its delay has passed. `alive` is called while waiting, often enough to keep a lease.
  [[nodiscard]] ModuleRun run(std::string_view module, store::Term term, const std::function<void()>& alive) override;

  /// The runs that were left running and are over now, or were killed at their time limit.
  [[nodiscard]] std::vector<ModuleRun> collect() override;

  [[nodiscard]] bool busy() const { return !left_.empty(); }

  /// Asks every process to stop, and waits a little for it.
  void stop();

 private:
  struct Running {
    std::string module;
    process::Child child;
    std::chrono::steady_clock::time_point started;
  };
  /// A process that took the turn: the one that was kept, or a new one. Error: why no process could be started.
  [[nodiscard]] tl::expected<process::Child, std::string> begin(const std::string& module, store::Term term);
  /// How the turn ended; empty: it continues after `limit`. A process that succeeded is kept, unless another one of its module is.
  [[nodiscard]] std::optional<ModuleRun> end_within(Running& running, process::Duration limit);
  struct Failures {
    int in_a_row = 0;
    std::chrono::steady_clock::time_point not_before;
  };
  void note(const ModuleRun& run);
  [[nodiscard]] bool is_beside(const Running& running) const;
  [[nodiscard]] std::chrono::milliseconds age(const Running& running) const;

  const process::Config& config_;
  std::map<std::string, process::Child, std::less<>> kept_;
  std::deque<Running> left_;
  std::map<std::string, Failures, std::less<>> failures_;
};

}  // namespace gleaner::almighty
