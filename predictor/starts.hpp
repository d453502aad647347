#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "lib/process/config.hpp"
#include "lib/store/prediction.hpp"
#include "predictor/algorithms/forecast.hpp"

namespace gleaner::predictor {

/// When campaigns without a started job will start, by the work before each of them on each of its clusters. Campaigns are taken in the
/// order of their submission, those of type test first, those of the lowest priority last.
class Starts {
 public:
  Starts(const store::PredictionFacts& facts, const process::Config& config, grid::Instant now);

  /// The start on the cluster where it comes first. Empty: no job runs and none can.
  [[nodiscard]] std::optional<prediction::StartForecast> of(const store::PredictionCampaign& campaign) const;
  /// Resources of the pair's cluster that the grid's jobs hold, or that are free.
  [[nodiscard]] double usable(const store::PredictionPair& pair) const { return before_.at(pair.cluster).ours + pair.free_resources; }

 private:
  struct Before {
    int running = 0;       ///< jobs on the cluster, of all campaigns
    double durations = 0;  ///< seconds, the sum of the jobs' mean durations
    double ours = 0;       ///< resources that these jobs hold
  };
  /// The jobs that wait before a campaign on a cluster; the first three are in resource-seconds.
  struct Ahead {
    double work = 0;      ///< a job of unknown duration counts with its walltime
    double known = 0;     ///< the part of jobs of known duration, without pairs whose jobs are limited, or a probe
    double variance = 0;  ///< of that part, squared
    double starts = 0;    ///< seconds until OAR can have started them, likewise
    double demand = 0;    ///< resources that they would take at once
    double widest = 0;    ///< resources, of one of these jobs
    double limited = 0;   ///< seconds of the jobs before it that share its limit, on all clusters, for what the limit allows at a time
  };
  struct Waiting {
    const store::PredictionCampaign* campaign = nullptr;
    double jobs = 0;        ///< in its bag, or in a cluster's queue
    double resources = 0;   ///< of the clusters that could take them
    std::int64_t done = 0;  ///< jobs, on all clusters
  };
  struct Place {
    const store::PredictionPair* pair;
    Ahead ahead;
  };
  /// The work of campaigns on one limit, in its unit times seconds.
  struct LimitedWork {
    double before = 0;  ///< of those before the last one
    double last = 0;
    grid::CampaignId campaign{0};  ///< the last one
  };
  void add(const store::PredictionPair& pair, const Waiting& waiting, Ahead& ahead) const;
  /// Empty: others need not go before it.
  [[nodiscard]] std::optional<prediction::Turn::Certain> certain_before(const Place& place, double usable) const;
  /// Seconds of the work before the pair on its limit, to which it then adds its own; 0: it met none.
  double add_limited(const store::PredictionPair& pair, const Waiting& waiting, LimitedWork& work) const;
  [[nodiscard]] std::optional<prediction::StartForecast> on(const Place& place) const;

  const process::Config& config_;
  grid::Instant now_;
  std::map<grid::ClusterId, Before> before_;
  std::multimap<grid::CampaignId, Place> places_;
};

}  // namespace gleaner::predictor
