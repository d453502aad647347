#pragma once
#include <chrono>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "lib/grid/id.hpp"
#include "lib/grid/settle.hpp"

/// Jobs leave evidence in their fence's folder. The names of the files carry all of it; runner/wrapper writes them, one job each:
///
///   <task>.<attempt>.claim                             the claim, a hard link to its holder's file
///   <task>.<attempt>.<job>.<OAR job>.s                 started: holds the claim; no end is noted if there is no file of one
///   <task>.<attempt>.<job>.<OAR job>.e<status>         its command ended; `.<milliseconds>` may follow, and after that
///                                                      `.c<milliseconds of the processors>`, `.m<KiB of memory at most>` and
///                                                      `.i<KiB read from file systems and written to them>`
///                                                      (what else follows the dot is no time, but the end is one). At the end comes
///                                                      what the task gives to others, `.g<name>=<number>,…` (lib/grid/given.hpp),
///                                                      or a line that it wrote to stderr, `.x<line>` (lib/grid/stderr_line.hpp)
///   <task>.<attempt>.<job>.<OAR job>.w.<milliseconds>  in a pool: the task's walltime ended it; the same may follow
///   <task>.<attempt>.<job>.<OAR job>.f                 could not enter its campaign's folder, or make its files there: ran nothing
///   <task>.<attempt>.<job>.<OAR job>.d.<holder job>    found the attempt claimed by that job
///   <task>.<attempt>.<job>.<OAR job>.u                 could not claim it
///
/// The folder of a launch with a pool also has the file `pool`, the list of its tasks, which was written before the submission.
namespace gleaner::grid {

/// One file of a job.
struct EvidenceFile {
  TaskNumber task{0};
  int attempt = 0;
  JobId job{0};
  RemoteJobId remote{0};  ///< 0: the wrapper did not know it
  Evidence evidence = {};
  std::string given = {};        ///< of `ended`: what its task gives to others (grid::stored_given); empty: nothing
  std::string stderr_line = {};  ///< of `ended`: a line that a failed task wrote (grid::read_stderr_line); empty: none is known

  [[nodiscard]] std::string name() const;
};

/// The list of a pool's tasks, in its launch's folder.
inline constexpr std::string_view kPoolFile{"pool"};

/// Empty when the name is not that of a job's file. The name may be a claim's, or any bytes.
[[nodiscard]] std::optional<EvidenceFile> read_evidence_name(std::string_view name);

/// One run of one job.
struct JobRun {
  TaskNumber task{0};
  int attempt = 0;
  JobId job{0};
  RemoteJobId remote{0};  ///< OAR's present id of the job
};

/// The evidence of each job, from the names in a folder. Several runs of one job (OAR's own resubmissions) count as one, in the order ended
/// > started > duplicate of another > unclaimed; a duplicate of itself is no evidence. A job without a file counts as a duplicate if
/// another job holds the claim of its attempt. Cost: O(names).
class EvidenceIndex {
 public:
  explicit EvidenceIndex(std::span<const std::string> names);

  /// Witness::nothing when neither this job nor another of its attempt left evidence.
  [[nodiscard]] Evidence of(const JobRun& run) const;
  /// OAR's id of the run in which a job claimed its attempt, whether it is over or not. Empty: it did not, or did not know its id.
  [[nodiscard]] std::optional<RemoteJobId> claimed_as(JobId job) const;
  /// OAR's id in the file of a job; empty: it has none.
  [[nodiscard]] std::optional<RemoteJobId> run_of(JobId job) const;
  /// The numbers that the task of a job gives to others, as the job noted them at its end (grid::read_given); empty: none.
  [[nodiscard]] std::string given_by(JobId job) const;
  /// The line of stderr that the failed task of a job left; empty: none is known.
  [[nodiscard]] std::string stderr_line_of(JobId job) const;
  /// Whether the list of a pool is there. Without it, a pool's folder shows nothing: it was removed, or what OAR listed is not that folder.
  [[nodiscard]] bool has_pool() const { return has_pool_; }
  /// For how long the commands that one job of OAR carried out lasted, of those that noted it: its own, and pooled ones. Cost: O(names).
  [[nodiscard]] std::chrono::milliseconds carried_by(RemoteJobId remote) const;

 private:
  void add(std::string_view name);
  struct Seen {
    Evidence evidence;
    RemoteJobId remote;
    std::string given;
    std::string stderr_line;
  };
  bool has_pool_ = false;
  std::unordered_map<JobId, Seen> jobs_;
  std::map<std::pair<TaskNumber, int>, JobId> holders_;  ///< of the claimed attempts
};

}  // namespace gleaner::grid
