#pragma once
#include <map>
#include <string>
#include <vector>

#include "lib/grid/script.hpp"
#include "lib/process/config.hpp"
#include "lib/store/events.hpp"
#include "lib/store/programs.hpp"
#include "updator/settling.hpp"

namespace gleaner::updator {

/// Counts how jobs of each campaign ended on a cluster in one turn, and writes the events and brakes that follow.
class Tallies {
 public:
  void add(const Settled& settled, const Poll& poll);
  void write(store::Transaction& transaction, const fleet::Visit& visit, grid::Instant now) const;

 private:
  /// A program of jobs (lib/grid/program_file.hpp).
  struct CalledProgram {
    std::string login;
    std::string sha256;
    auto operator<=>(const CalledProgram&) const = default;
  };
  struct Tally {
    int done = 0;     ///< that show that the cluster begins jobs (grid::shows_beginning)
    int failed = 0;   ///< by the tasks' fault, or because the cluster could not start them; the next ones would fail too
    int excused = 0;  ///< they open an event, but do not count towards the brake (grid::is_failure)
    int failures_before = 0;
    grid::JobEnd last = grid::JobEnd::done;
    grid::JobId last_job{0};
    std::string cause;                                 ///< one sentence
    std::string output;                                ///< the last lines of stderr
    std::map<CalledProgram, grid::LaunchId> programs;  ///< that jobs called which never began, with the last launch of each
  };
  struct FailedScript {
    grid::CampaignId campaign;
    grid::Script script;
    grid::JobId job;
    std::string message;
    std::string output;  ///< the last lines of stderr
  };
  static void write_one(store::Transaction& transaction, const process::Config& config, const store::Target& pair, const Tally& tally,
                        grid::Instant now);
  static void doubt_programs(store::Transaction& transaction, const store::Target& pair, const Tally& tally, grid::Instant now);
  void brake_where_all_fails(store::Transaction& transaction, const fleet::Visit& visit, grid::Instant now) const;

  std::map<grid::CampaignId, Tally> tallies_;
  std::vector<FailedScript> scripts_;
};

}  // namespace gleaner::updator
