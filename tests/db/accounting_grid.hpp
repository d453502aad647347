#pragma once
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "sim/gridsim/engine/book.hpp"
#include "sim/gridsim/engine/random.hpp"
#include "sim/gridsim/engine/scenario_file.hpp"
#include "tests/db/accounting_text.hpp"
#include "tests/db/grid_fixture.hpp"

namespace gleaner::tests::accounting {

inline constexpr int kAlpha = 0, kBeta = 1;

/// A grid that is kept twice: `stored` by production's functions on PostgreSQL, `booked` by gridsim.
class TwoAccounts : public GridFixture {
 protected:
  explicit TwoAccounts(std::uint64_t seed);
  void submit(int index);
  void launch(int campaign, int cluster, int jobs, int pooled = 0);
  void replicate(int campaign, int cluster, int jobs, std::optional<double> longer_than);
  void preempt(int campaign, int cluster, int jobs);
  void wipe(int cluster);
  void hold(int campaign);
  void forecast();
  void note_submitted();
  void start(int job);
  void end(int job, grid::JobEnd end);
  /// A carrier's present task ends, and it takes the next one, if there is one.
  void carry_on(int carrier, grid::JobEnd end);
  void update(int cluster);

  [[nodiscard]] std::uint64_t below(std::uint64_t bound) { return random.next() % bound; }
  [[nodiscard]] int a_campaign_index() { return static_cast<int>(below(scenario.campaigns.size())); }
  [[nodiscard]] std::vector<int> jobs_in(std::initializer_list<gridsim::JobState> states) const {
    std::vector<int> found;
    for (std::size_t i = 0; i < world.jobs.size(); ++i) {
      if (std::ranges::find(states, world.jobs[i].state) != states.end()) found.push_back(static_cast<int>(i));
    }
    return found;
  }
  [[nodiscard]] gridsim::Job& job_at(int job) { return world.jobs[gridsim::index_of(job)]; }
  [[nodiscard]] grid::ClusterId cluster_id(int cluster) const { return cluster == kAlpha ? alpha : beta; }
  [[nodiscard]] std::vector<int> carriers() const {
    auto found = jobs_in({gridsim::JobState::launching});
    std::erase_if(found, [&](int job) { return world.jobs[gridsim::index_of(job)].pool == gridsim::kNone; });
    return found;
  }
  void note_change(int job) { changed[static_cast<std::size_t>(job_at(job).cluster)].push_back(job); }

 private:
  AttemptKey key_of(int job) { return {job_at(job).campaign, job_at(job).task, job_at(job).attempt - 1}; }
  void accept(int campaign, int cluster, std::vector<int> booked);
  void note_end(int job, grid::JobEnd end);
  void note_claims(store::Transaction& t, const std::set<int>& jobs);
  void note_read(store::Transaction& t, int cluster);
  [[nodiscard]] store::Verdict verdict_of(store::Transaction& t, int job);

 protected:
  gridsim::Scenario scenario;
  gridsim::World world{scenario, {}, {}, {}, {}};
  gridsim::Book book{world};
  gridsim::Random random;
  std::map<int, grid::JobId> ids;           ///< of the jobs, in the database
  std::array<std::vector<int>, 2> changed;  ///< by cluster: jobs that changed since its last update
  std::map<grid::JobId, grid::RemoteJobId> remotes;
  std::set<int> claimed;            ///< pooled jobs whose carriers the database knows
  std::set<int> to_kill;            ///< with a kill request, and not over as far as the grid knows
  std::map<std::string, int> seen;  ///< what the history had
};

}  // namespace gleaner::tests::accounting
