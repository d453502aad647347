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

/// The clusters, each with its client: shared by the modules that send requests to OAR.
namespace gleaner::fleet {

[[nodiscard]] grid::Instant now();

/// Whether the cluster's password would go over http to another machine: whoever sees the packets reads it, and may then be anybody on the
/// cluster.
[[nodiscard]] bool would_send_in_clear(const store::Cluster& cluster);
/// How a stored cluster is reached. The error names the file that cannot be used, and the reason; or what to type where the password would
/// go in clear, and no administrator has allowed it.
[[nodiscard]] tl::expected<oar::Access, std::string> access_of(const store::Cluster& cluster, const process::Config& config);
struct OpenedTokens;
/// The same with tokens that are opened already (lib/fleet/tokens.hpp).
[[nodiscard]] tl::expected<oar::Access, std::string> access_of(const store::Cluster& cluster, const OpenedTokens& tokens);
[[nodiscard]] oar::Limits limits_of(const process::Config& config);
/// Limits for a client that only lists or deletes files: 2 s at most for each answer, so that one user's stalled home does not delay the
/// others.
[[nodiscard]] oar::Limits file_limits_of(const process::Config& config);
/// Whether no answer to the request arrived.
[[nodiscard]] bool was_silent(const oar::Failure& failure);

/// A connection that the threads of one module share. Each transaction is short, and none is open across an HTTP call. If the database is
/// lost (Unavailable, but not TimedOut), every later transaction of the same turn throws the same at once, because the clusters' locks are
/// lost with it.
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

/// A module's work on one cluster.
struct Visit {
  const store::Cluster& cluster;
  const process::Config& config;
  SharedDatabase& database;
  oar::Client& client;
  std::chrono::steady_clock::time_point ends = std::chrono::steady_clock::time_point::max();

  /// The rest of the turn's time; 0 once a stop is requested. A loop over jobs, launches or files checks it before each further request.
  /// When it is 0, the loop writes its results and leaves the rest to the next turn.
  [[nodiscard]] process::Duration time_left() const;
};

/// The time of one turn: half of module_time_limit. The other half is for requests in progress and the final writes, before almighty kills
/// the module.
[[nodiscard]] process::Duration turn_budget(const process::Config& config);

/// Calls `visit` for all clusters in parallel, each in a thread of its own and under that cluster's lock. A cluster that another run of the
/// module holds is left to that run, and a slow one delays no other. Returns when all are done.
///
/// The fault of one cluster does not affect the others. If its visit throws, an event of its module is open (CLUSTER_TURN_FAILED_updator…),
/// with the error, until a visit succeeds. The same event opens when another connection holds its lock and has been idle for longer than
/// module_time_limit. A cluster whose credentials cannot be read, or may not be sent, is marked unreachable, with the reason.
///
/// Exceptions that end the whole turn are rethrown when all visits are done: store::LeaseLost, WrongSchema, and Unavailable except
/// TimedOut.
void visit_clusters(const process::Config& config, SharedDatabase& database, store::Database::Work work,
                    const std::vector<store::Cluster>& clusters, const std::function<void(Visit&)>& visit);

/// The module that does this work.
[[nodiscard]] std::string_view module_of(store::Database::Work work);

/// Whether this transaction is the only one at a work for the whole grid (plan, predict); the lock lasts as long as the transaction. If
/// another turn still works (almighty leaves a slow one running), this one must end without a change: returns false, and logs it. Throws
/// process::Error (try_again) when the other has been idle for longer than module_time_limit.
[[nodiscard]] bool is_sole_turn(const process::Config& config, store::Transaction& transaction, store::Database::Work work);

/// Marks a cluster as unreachable, opens one event for each outage, and increases the time between attempts.
void note_unreachable(Visit& visit, const std::string& error);
void note_unreachable(SharedDatabase& database, const store::Cluster& cluster, const std::string& error);

}  // namespace gleaner::fleet
