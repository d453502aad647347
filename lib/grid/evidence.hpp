#pragma once
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "lib/grid/id.hpp"
#include "lib/grid/settle.hpp"

/// The evidence that jobs leave in their fence's folder is in the names of their files alone (written by runner/command, one job each):
///
///   <task>.<attempt>.claim                             the claim, a hard link to its holder's file
///   <task>.<attempt>.<job>.<OAR job>.s                 started: holds the claim, and has noted no end
///   <task>.<attempt>.<job>.<OAR job>.e<status>         its command ended
///   <task>.<attempt>.<job>.<OAR job>.d.<holder job>    found the attempt claimed by that job
///   <task>.<attempt>.<job>.<OAR job>.u                 could not claim it
namespace gleaner::grid {

/// One file of a job.
struct EvidenceFile {
  TaskNumber task{0};
  int attempt = 0;
  JobId job{0};
  RemoteJobId remote{0};  ///< 0: the wrapper did not know it
  Evidence evidence = {};

  [[nodiscard]] std::string name() const;
};

/// Nothing when the name is not that of a job's file: a claim, a file of somebody else's, any bytes.
[[nodiscard]] std::optional<EvidenceFile> read_evidence_name(std::string_view name);

/// Which run of which job is asked about.
struct JobRun {
  TaskNumber task{0};
  int attempt = 0;
  JobId job{0};
  RemoteJobId remote{0};  ///< under which OAR knows the job now
};

/// What the names of a folder show of each job in it. Several runs of one job (OAR's own resubmissions) are folded into one:
/// ended > started > duplicate of another > unclaimed; a duplicate of itself shows nothing of its own. A job that left no file, of
/// whose attempt another job holds the claim, is as good as a duplicate of that one. Cost: O(names).
class EvidenceIndex {
 public:
  explicit EvidenceIndex(std::span<const std::string> names);

  /// Witness::nothing when neither it nor another job of its attempt left a file that matters.
  [[nodiscard]] Evidence of(const JobRun& run) const;
  /// Under which id OAR runs, or ran, a job that holds a claim and has noted no end.
  [[nodiscard]] std::optional<RemoteJobId> started_as(JobId job) const;

 private:
  void add(std::string_view name);
  struct Seen {
    Evidence evidence;
    RemoteJobId remote;
  };
  std::unordered_map<JobId, Seen> jobs_;
  std::map<std::pair<TaskNumber, int>, JobId> holders_;  ///< of the attempts that were claimed
};

}  // namespace gleaner::grid
