#pragma once
#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "lib/grid/launch_fate.hpp"
#include "lib/grid/settle.hpp"

/// An abstract grid: two clusters, a task or two, a few launches, and everything that may happen between them. The grid's part of each
/// step calls the production rules (lib/grid); the world's part is what OAR, the network, the tasks and the administrators may do.
/// Every commit of ours and every act of the world is a step of its own, so a crash between any two of them is a path too.
namespace gleaner::model {

inline constexpr int kClusters = 2;
inline constexpr int kMostTasks = 2;
inline constexpr int kMostLaunches = 3;
inline constexpr int kMostJobs = 4;
inline constexpr int kMostRemotes = 5;
inline constexpr std::int8_t kNone = -1;
inline constexpr std::int8_t kGone = 100;

/// The database's record of a task, and the real actions of its executions.
struct Task {
  std::uint8_t state = 0;  ///< grid::TaskState
  std::int8_t attempt = 1;
  std::int8_t replica = kNone;
  bool replica_lives = false;
  std::int8_t charged = 0;
  std::int8_t counted = 0;
  bool in_bag = true;
  std::int8_t bound = kNone;  ///< cluster
  std::int8_t fence = kNone;  ///< launch
  // The truth.
  std::uint8_t starts = 0;  ///< a bit an attempt: its command was started
  bool twice = false;       ///< an attempt was started twice
  bool again = false;       ///< it was started after a success that nobody had a reason to doubt
  std::int8_t faults = 0;   ///< ends that are its own fault: an error, its walltime
  bool succeeded = false;
  bool excused = false;  ///< evidence could not be read, or somebody took the risk: it may run again
};

struct Launch {
  bool used = false;
  std::uint8_t state = 0;  ///< grid::LaunchState
  std::int8_t cluster = 0;
  std::int8_t looks = 0;
  std::uint8_t post = 0;  ///< Post
  bool tag = true;        ///< false: it certainly was not sent, and nobody looks for its jobs
};
enum class Post : std::uint8_t { unsent, flying, carried_out, never };

struct Job {
  bool used = false;
  std::int8_t task = 0;
  std::int8_t launch = 0;
  std::int8_t fence = 0;  ///< launch
  std::int8_t attempt = 1;
  std::uint8_t state = 0;      ///< grid::JobState
  std::int8_t ending = kNone;  ///< grid::JobEnd
  std::int8_t kill = 0;        ///< 0 none, 1 asked for, 2 sent
  std::uint8_t deletion = 0;   ///< grid::Deletion, once the kill is sent
  bool again = false;          ///< OAR ran it again
  std::int8_t remote = kNone;
};

/// A job of OAR: what happens on the cluster, and what OAR's record says of it.
struct Remote {
  bool used = false;
  std::int8_t job = 0;
  std::uint8_t phase = 0;           ///< Phase: the truth
  std::int8_t status = kNone;       ///< of the command, when it ended: 0, 1
  std::int8_t record = kNone;       ///< grid::Record, when OAR calls it over
  std::uint8_t files = 0;           ///< grid::Witness: what its own file shows
  std::int8_t holder = kNone;       ///< job, of a duplicate
  std::int8_t resubmitted = kNone;  ///< remote
  bool known = true;                ///< OAR lists it
  bool stranger = false;            ///< its id names somebody else's job now
  bool held = false;                ///< it had resources
};
enum class Phase : std::uint8_t { queued, holding, running, over };

struct State {
  std::array<Task, kMostTasks> tasks;
  std::array<Launch, kMostLaunches> launches;
  std::array<Job, kMostJobs> jobs;
  std::array<Remote, kMostRemotes> remotes;
  /// The remote that holds the claim of a task's attempt in a launch's folder; kGone: one that is forgotten.
  std::array<std::array<std::int8_t, kMostTasks>, kMostLaunches> claims;
  std::int8_t troubles = 0;  ///< that the world may still make

  State();
  /// Forgets what cannot matter any more, and frees its places: so paths that differ only in it meet in one state.
  void forget();
  [[nodiscard]] std::string bytes() const;
  [[nodiscard]] std::string describe() const;
};

/// The production rules, each replaceable: a fault is put back by replacing one of them.
struct Rules {
  std::function<bool(const grid::RemoteEnd&)> needs_evidence = grid::needs_evidence;
  std::function<grid::JobEnd(const grid::RemoteEnd&, const grid::Evidence&, grid::Deletion)> end_of = grid::end_of;
  std::function<grid::Settlement(const grid::TaskFacts&, const grid::JobFacts&, grid::JobEnd, grid::Deletion, const grid::Limits&)> settle =
      grid::settle;
  std::function<grid::LaunchStep(const grid::Intent&)> to_send = grid::to_send;
  std::function<grid::AfterPost(grid::PostAnswer)> after_post = grid::after_post;
  std::function<grid::LaunchState(const grid::Looked&, const grid::LookPatience&)> fate_of = grid::fate_of;
  std::function<grid::Settlement(const grid::TaskFacts&, const grid::JobFacts&, const grid::Unsubmitted&, const grid::Limits&)>
      settle_unsubmitted = grid::settle_unsubmitted;
  std::function<grid::Adoption(const grid::TaskFacts&, int)> adoption_of = grid::adoption_of;
  std::function<bool(grid::LaunchState, grid::Sent)> is_reopened = grid::is_reopened;
  std::function<int(const grid::TaskFacts&)> attempt_after_release = grid::attempt_after_release;
  /// Whether OAR's second run of a job is followed, given its kill: 0 none, 1 asked for, 2 sent.
  std::function<bool(int kill)> follow = [](int) { return true; };
  /// Whether a launch that OAR gave up, and that began, has its walltime before its end is settled.
  bool first_run_has_its_walltime = true;
};

}  // namespace gleaner::model
