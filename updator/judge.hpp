#pragma once
#include <span>
#include <string>
#include <vector>

#include "lib/grid/settle.hpp"
#include "updator/poll.hpp"

/// Judging: what follows from a poll, and what it still lacks. Pure functions of what was gathered; time is the poll's.
namespace gleaner::updator {

/// How long is waited for what.
struct Patience {
  grid::Seconds launch{300};    ///< with a job that is about to start
  grid::Seconds evidence{120};  ///< with files that cannot be read
  grid::Seconds delay{5};       ///< until a job's files are taken to be complete
  [[nodiscard]] static Patience of(const process::Config& config);
};

/// A folder of evidence that somebody's end depends on.
struct FenceToRead {
  std::string login;
  grid::CampaignId campaign{0};
  grid::LaunchId fence{0};
  bool operator==(const FenceToRead&) const = default;
};
/// After the lists: the fences of jobs whose end is ambiguous and old enough, of those whose id is somebody else's, and, once a minute
/// (when the resources were asked for), of those that OAR does not list; last, the fences of jobs that OAR is about to start: most of these
/// run, and are read in each turn. Each once. The logins take turns, each with its oldest first.
[[nodiscard]] std::vector<FenceToRead> fences_to_read(std::span<const store::LiveJob> live, const Poll& poll, const Patience& patience);

struct TailToRead {
  std::string login;
  grid::RemoteJobId remote{0};
  std::string path;
};
/// After the evidence: stderr of the first few jobs of each campaign that ended by an error of their own or their wrapper's.
[[nodiscard]] std::vector<TailToRead> tails_to_read(std::span<const store::LiveJob> live, const Poll& poll);

/// After the evidence: jobs in Error whose cause decides. The cause of an end that the job itself noted does not.
[[nodiscard]] std::vector<oar::JobOf> errors_to_explain(std::span<const store::LiveJob> live, const Poll& poll, const Patience& patience);

/// A job that is over.
struct Over {
  grid::JobId job{0};
  grid::CampaignId campaign{0};
  grid::RemoteEnd record = {};
  grid::Evidence evidence = {};
  grid::Deletion deletion = grid::Deletion::none;
  grid::JobEnd end = grid::JobEnd::done;
  const store::LiveJob* live = nullptr;         ///< null: of a job that was given up, and whose files were found
  const oar::RemoteJob* remote = nullptr;       ///< null: OAR does not know it
  const grid::EvidenceIndex* beside = nullptr;  ///< what the other jobs of its fence left, when it was read
};

struct Followed {
  grid::JobId job{0};
  grid::RemoteJobId from{0}, to{0};
};

struct Reused {
  grid::JobId job{0};
  grid::CampaignId campaign{0};
  grid::RemoteJobId remote{0};
};

/// What a poll says of our live jobs. Each of them is in one of these lists, or goes on as it was.
struct Judged {
  std::vector<store::Observation> observations;
  std::vector<store::Waits> waits;  ///< where that changed
  std::vector<Followed> followed;   ///< resubmitted by OAR itself
  std::vector<Reused> reused;       ///< their ids are somebody else's, and nothing shows what became of them
  std::vector<Over> over;
  std::vector<grid::JobId> impatient;  ///< to be deleted: OAR keeps them in launch, and they do not begin, or have noted an end
  std::vector<grid::JobId> overdue;    ///< to be deleted: they run beyond their walltime, and OAR is about to start them
  std::vector<grid::JobId> starts;     ///< that this poll saw, also of jobs that are over by now
  int ran_before = 0;                  ///< at the last poll
  int absent = 0;                      ///< not listed: they stay as they are
};
/// Points into `live` and `poll`.
[[nodiscard]] Judged judge(std::span<const store::LiveJob> live, const Poll& poll, const Patience& patience);

}  // namespace gleaner::updator
