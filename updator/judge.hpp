#pragma once
#include <span>
#include <string>
#include <vector>

#include "lib/grid/settle.hpp"
#include "updator/poll.hpp"

/// Decides what follows from a poll, and what has to be read in addition. Pure functions of what was gathered; the time is the poll's.
namespace gleaner::updator {

/// How long the updator waits (seconds) before it acts.
struct Patience {
  grid::Seconds launch{300};        ///< for a job that OAR is about to start
  grid::Seconds evidence{120};      ///< for files that cannot be read
  grid::Seconds delay{5};           ///< after a job's end, until its files are taken to be complete; a missing one counts then
  grid::Seconds identity{604'800};  ///< for files that cannot be read as the cluster takes no token of their user, who has a notice
  [[nodiscard]] static Patience of(const process::Config& config);
};

/// A folder of evidence that decides the end of some job: a mark in it proves that the job began.
struct FenceToRead {
  std::string login;
  grid::CampaignId campaign{0};
  grid::LaunchId fence{0};
  std::int64_t files = 0;  ///< of a pool, at most; 0: of a launch without one
  bool operator==(const FenceToRead&) const = default;
};
/// The fences to read after the lists: first those of jobs that are over (one without an exit status when its end is old enough), and of
/// those whose id now belongs to a foreign job; once a minute (when the resources were requested) those of jobs that OAR does not list;
/// then those of jobs that OAR is about to start, of which most run. Each fence once. The logins alternate, each with its oldest first.
/// Cost: O(live jobs · log live jobs).
[[nodiscard]] std::vector<FenceToRead> fences_to_read(std::span<const store::LiveJob> live, const Poll& poll, const Patience& patience);

/// The runs whose evidence these fences are read for, by fence, for an API that lists no folder. Cost: O(live jobs).
[[nodiscard]] std::map<grid::LaunchId, std::vector<oar::RunOf>> runs_to_read(std::span<const store::LiveJob> live, const Poll& poll,
                                                                             const Patience& patience);

struct TailToRead {
  grid::JobId job{0};
  std::string login;
  std::string path;
};
inline constexpr int kTailsPerCampaign = 3;
/// The file of a task's stderr as a path of OAR's API, in its campaign's output directory or its folder. `carrier`: OAR's job.
[[nodiscard]] std::string stderr_path_of(const store::LiveJob& job, grid::RemoteJobId carrier);
/// The stderr files to read after the evidence: those of the first few jobs of each campaign that failed by their own fault, their
/// wrapper's or that of a shell before it. Cost: O(live jobs).
[[nodiscard]] std::vector<TailToRead> tails_to_read(std::span<const store::LiveJob> live, const Poll& poll);

/// The jobs whose details are to be requested, after the evidence: those in Error whose end depends on the cause, and the earlier runs of
/// jobs that OAR ran again, where such a run holds the claim. If a job noted its own end, OAR's cause does not matter. Cost: O(live jobs).
[[nodiscard]] std::vector<oar::JobOf> errors_to_explain(std::span<const store::LiveJob> live, const Poll& poll, const Patience& patience);

/// A job that is over.
struct Over {
  grid::JobId job{0};
  grid::CampaignId campaign{0};
  grid::RemoteEnd record = {};
  grid::Evidence evidence = {};
  grid::Deletion deletion = grid::Deletion::none;
  grid::JobEnd end = grid::JobEnd::done;
  std::optional<grid::JobEnd> run_end = {};      ///< of a carrier that had noted the end of its own task: how the carrier itself ended
  std::string cluster_words = {};                ///< why it is in Error, in OAR's own words (words_of); empty: OAR gave none
  std::optional<grid::Instant> checkpoint = {};  ///< when OAR itself last sent it the signal for one
  const store::LiveJob* live = nullptr;          ///< null: a job of a void launch, whose files were found
  const oar::RemoteJob* remote = nullptr;        ///< null: OAR does not list it
  const grid::EvidenceIndex* beside = nullptr;   ///< the evidence of its fence's other jobs, if it was read; else null
  bool without_identity = false;                 ///< its files were not read, as the cluster takes no token of its user
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

/// A job that an admission rule of its cluster renamed.
struct Renamed {
  grid::JobId job{0};
  grid::CampaignId campaign{0};
  grid::RemoteJobId remote{0};
  std::string tag;   ///< the name that it was given
  std::string name;  ///< the name that it has
};

/// The conclusions from a poll for our live jobs. Each job is in one of these lists, or keeps its state.
struct Judged {
  std::vector<store::Observation> observations;
  std::vector<store::Waits> waits;      ///< of jobs whose waiting times changed
  std::vector<Followed> followed;       ///< resubmitted by OAR itself
  std::vector<Reused> reused;           ///< their ids belong to foreign jobs, and nothing shows how they ended
  std::vector<Renamed> renamed;         ///< those that were not known to run; they are judged as all others
  std::vector<store::Claimed> claimed;  ///< pooled jobs whose carrier was not known before
  store::ReadPools read = {};
  std::vector<Over> over;
  std::vector<grid::JobId> impatient;       ///< to be deleted: in launch for too long without running, or after they noted an end
  std::vector<grid::JobId> overdue;         ///< to be deleted: they run beyond their walltime although OAR has not called them Running
  std::vector<grid::JobId> perhaps_resent;  ///< over by their own notes; OAR may have submitted others in their place
  std::vector<grid::JobId> starts;          ///< jobs that started since the last poll, those that are over by now included
  int ran_before = 0;                       ///< jobs that ran at the last poll
  int absent = 0;                           ///< jobs that OAR does not list: they keep their state
};
/// The result points into `live` and `poll`. Cost: O(live jobs).
[[nodiscard]] Judged judge(std::span<const store::LiveJob> live, const Poll& poll, const Patience& patience);

}  // namespace gleaner::updator
