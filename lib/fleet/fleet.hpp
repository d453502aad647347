#pragma once
#include <functional>
#include <memory>
#include <mutex>
#include <string>
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

/// A connection that the threads of one module share: each transaction is short, and no one is
/// open across an HTTP call.
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
};

/// One module at work on one cluster.
struct Visit {
  const store::Cluster& cluster;
  const process::Config& config;
  SharedDatabase& database;
  oar::Client& client;
};

/// Calls `visit` for each cluster at once, in a thread of its own and under that cluster's lock:
/// a cluster that another run of the module still waits for is left to it, and a slow one delays
/// no other. Returns when all are done; the first exception is then thrown. A cluster whose
/// credentials cannot be read is marked unreachable, with the reason.
void visit_clusters(const process::Config& config, SharedDatabase& database, store::Database::Work work,
                    const std::vector<store::Cluster>& clusters, const std::function<void(Visit&)>& visit);

/// Marks a cluster that failed, opens its event (one an outage), and spaces the next attempts.
void note_unreachable(Visit& visit, const std::string& error);
void note_unreachable(SharedDatabase& database, const store::Cluster& cluster, const std::string& error);

}  // namespace gleaner::fleet
