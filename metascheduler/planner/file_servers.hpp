#pragma once
#include <map>
#include <optional>
#include <vector>

#include "metascheduler/planner/candidate.hpp"

namespace gleaner::planner {

/// The file servers that clusters declare (`gridctl cluster edit --file-server`), and the load of our live jobs on them, this plan
/// included. Clusters with one shared_home have one server, which bears the least that any of those in use declares.
///
/// The load of a job is the mean of what the campaign's measured tasks read and wrote in a second, there or, while none is measured there,
/// on its other clusters; that of a job that carries out several tasks side by side is theirs. Jobs of a campaign of which nothing is
/// measured count as none, and are few: `probe_jobs`, until one shows it, or as many are done without showing it, as their nodes have no
/// counter. Source: document 003, "array jobs".
class FileServers {
 public:
  /// @param first_jobs  of a campaign of which nothing is measured (`probe_jobs`)
  FileServers(const Snapshot& snapshot, int first_jobs);

  /// The jobs that the server has room for; empty: any number. A campaign without a job there gets one while the load is below what the
  /// server bears, even if it moves more than is left: it would wait for ever else. One whose jobs move next to nothing is never stopped.
  [[nodiscard]] std::optional<Cap> left(const CampaignView& campaign, const Candidate& candidate) const;
  void take(const CampaignView& campaign, const Candidate& candidate, int jobs);
  /// The figures of the server of a candidate that it stops.
  [[nodiscard]] decisions::FileServerLoad in_force(const Candidate& candidate) const;

 private:
  /// The bytes of measured tasks.
  struct Moved {
    std::int64_t jobs = 0;
    double mb = 0.0;
    double seconds = 0.0;
    [[nodiscard]] double mb_s() const;
  };
  struct Server {
    std::string home;  ///< empty: of one cluster
    double bears = 0.0;
    double load = 0.0;
  };
  void open(const Snapshot& snapshot);
  void count_live(const Snapshot& snapshot);
  /// MB/s of one job; empty: not measured.
  [[nodiscard]] std::optional<double> load_of_job(const CampaignView& campaign, const PairView& pair, const Width& width) const;

  int first_jobs_;
  std::vector<Server> servers_;
  std::vector<std::optional<std::size_t>> server_of_;  ///< by the cluster's index; empty without servers
  std::map<grid::CampaignId, Moved> anywhere_;         ///< of campaigns with a measured task
  std::map<grid::CampaignId, const CampaignView*> campaigns_;
};

}  // namespace gleaner::planner
