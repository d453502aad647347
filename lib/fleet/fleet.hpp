#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/oar/client.hpp"
#include "lib/process/config.hpp"
#include "lib/store/clusters.hpp"
#include "lib/store/database.hpp"

/// The clusters, each with its client: what the modules that talk to OAR share.
namespace gleaner::fleet {

[[nodiscard]] grid::Instant now();

/// How a stored cluster is reached. The error says which file cannot be used, and why.
[[nodiscard]] tl::expected<oar::Access, std::string> access_of(const store::Cluster& cluster);
[[nodiscard]] oar::Limits limits_of(const process::Config& config);
/// For a client that lists or deletes files only: two seconds at most for each answer. One user's home may stall; the others do not wait
/// for it.
[[nodiscard]] oar::Limits file_limits_of(const process::Config& config);
/// Whether the request had no answer at all.
[[nodiscard]] bool was_silent(const oar::Failure& failure);

/// A connection that the threads of one module share: each transaction is short, and no one is
/// open across an HTTP call. When the database is lost (Unavailable, but not TimedOut), every later
/// transaction of the same turn throws the same at once: the clusters' locks went with it.
class SharedDatabase {
 public:
  SharedDatabase(store::Database& database, store::Term term) : database_{database}, term_{term} {}
  void transact(const std::function<void(store::Transaction&)>& work);
  [[nodiscard]] bool try_lock(store::Database::Work work, grid::ClusterId cluster);
  void unlock(store::Database::Work work, grid::ClusterId cluster);
  [[nodiscard]] store::Term term() const { return term_; }

 private:
  std::mutex mutex_;
  store::Database& database_;
  store::Term term_;
  std::optional<std::string> lost_;
};

/// One module at work on one cluster.
struct Visit {
  const store::Cluster& cluster;
  const process::Config& config;
  SharedDatabase& database;
  oar::Client& client;
  std::chrono::steady_clock::time_point ends = std::chrono::steady_clock::time_point::max();

  /// What is left of the turn's time; nothing once a stop is requested. A loop over jobs, launches or files looks here before each
  /// further request, writes what it has when nothing is left, and leaves the rest to the next turn.
  [[nodiscard]] process::Duration time_left() const;
};

/// The time of one turn: half of module_time_limit. The other half is for the requests that are under way when it is over, and for
/// what is then written, before almighty kills the module.
[[nodiscard]] process::Duration turn_budget(const process::Config& config);

/// Calls `visit` for each cluster at once, in a thread of its own and under that cluster's lock:
/// a cluster that another run of the module still waits for is left to it, and a slow one delays
/// no other. Returns when all are done.
///
/// A fault costs its own: a cluster whose visit throws has an open event of its module
/// (CLUSTER_TURN_FAILED_updator…), with what failed, until a visit goes well; so has one that another
/// connection locks and does nothing for longer than module_time_limit. The others are not
/// concerned. A cluster whose credentials cannot be read is marked unreachable, with the reason.
///
/// What ends the whole turn is thrown when all are done: store::LeaseLost, WrongSchema, and Unavailable
/// but TimedOut.
void visit_clusters(const process::Config& config, SharedDatabase& database, store::Database::Work work,
                    const std::vector<store::Cluster>& clusters, const std::function<void(Visit&)>& visit);

/// The module that does this work.
[[nodiscard]] std::string_view module_of(store::Database::Work work);

/// Whether this transaction is the only one at a work that is the whole grid's (plan, predict); the lock lasts as long as it does. When
/// another turn is still at it (almighty leaves one that is slow), this one has to end without a change: false, and logged. Throws
/// process::Error (try_again) when the other has done nothing for longer than module_time_limit.
[[nodiscard]] bool is_sole_turn(const process::Config& config, store::Transaction& transaction, store::Database::Work work);

/// Marks a cluster that failed, opens its event (one an outage), and spaces the next attempts.
void note_unreachable(Visit& visit, const std::string& error);
void note_unreachable(SharedDatabase& database, const store::Cluster& cluster, const std::string& error);

}  // namespace gleaner::fleet
