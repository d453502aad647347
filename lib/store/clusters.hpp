#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/grid/advance_reservation.hpp"
#include "lib/grid/availability.hpp"
#include "lib/grid/id.hpp"
#include "lib/grid/level_sizes.hpp"
#include "lib/grid/named_nodes.hpp"
#include "lib/grid/node_memory.hpp"
#include "lib/grid/node_sizes.hpp"
#include "lib/grid/out_of_use.hpp"
#include "lib/grid/planning_facts.hpp"
#include "lib/grid/time.hpp"
#include "lib/store/database.hpp"
#include "lib/store/tokens.hpp"

namespace gleaner::store {

/// How a cluster is reached, and what is known of it. Secrets are named by their file, never held.
struct Cluster : grid::DeclaredFacts, grid::OutOfUse {
  grid::ClusterId id{0};
  std::string name;
  std::string url;
  std::string api = "oar2";             ///< the dialect of its REST API: oar2 or oar3
  std::string homes = "/home/%u";       ///< where its users have their homes, for an API that does not know `~`
  std::string authentication = "none";  ///< none, basic, certificate, token or signed
  std::string login;
  std::string secret_file;
  std::string identity_header = "X_REMOTE_IDENT";
  std::string ca_file;
  std::string certificate_file;
  std::string key_file;
  bool verify_tls = true;
  bool insecure = false;                           ///< its password may be sent in clear to another machine: an administrator said so
  std::optional<double> flood;                     ///< nothing: the configuration's
  std::optional<int> array_size;                   ///< nothing: the configuration's
  std::optional<grid::Headroom> headroom;          ///< nothing: the configuration's
  std::optional<grid::Availability> availability;  ///< nothing: the configuration's
  std::optional<std::string> load_property;  ///< property of OAR's resources that states the load of their node; empty text: there is none;
                                             ///< nothing: the configuration's
  std::optional<std::string> shared_home;    ///< clusters of one name here have their users' homes in common; nothing: with none
  bool enabled = true;
  std::optional<grid::Instant> retired_at;  ///< empty: it is not retired

  std::optional<bool> reachable;  ///< empty: it was never asked
  std::optional<grid::Instant> unreachable_since;
  std::optional<grid::Instant> healthy_since;
  int failed_polls = 0;
  std::optional<grid::Instant> next_probe_at;
  std::string last_error;
  int max_resources = 0;
  std::optional<grid::Instant> no_resources_since;  ///< since when OAR has no usable resource; empty: it has some, or was never asked
  std::string memory_property;                      ///< property of OAR's resources that states a node's memory; empty: there is none
  int memory_unit_mb = 1;                           ///< unit of that property, in MB
  std::optional<std::int64_t> memory_max_mb;        ///< of the biggest node; empty: unknown
  std::optional<grid::Instant> resources_at;
  std::optional<grid::ClusterLoad> load;  ///< when the resources were read last; empty: it was not read
  std::optional<grid::Instant> load_at;   ///< when that load was read
  /// By clusters_to_poll: whom to ask for what jobs hold of each node; empty: no live campaign names nodes, and all resources are cores of
  /// best-effort jobs.
  std::optional<std::string> login_for_nodes;
  std::vector<StoredToken> tokens{};  ///< of its users, sealed, if it wants one of each
};

/// The nodes of each cluster, by their sizes and by their memory.
struct KnownNodes {
  grid::NodeSizes sizes;
  grid::NodeMemory memory;
  grid::NodeSizes reserved;  ///< beside `sizes`: of what OAR gives to no best-effort job
  int reserved_resources = 0;
  grid::LevelSizes levels;
};
[[nodiscard]] std::map<grid::ClusterId, KnownNodes> known_nodes(Transaction& transaction);

/// A snapshot of a cluster, in resources. `time` is the begin of its first request.
struct GridStatus {
  grid::ClusterId cluster{0};
  grid::Instant time;
  int max_resources = 0;
  int free = 0;
  int used = 0;
  int used_besteffort = 0;
  int our_running = 0;
  int our_waiting = 0;
  bool reachable = false;
  int api_latency_ms = 0;               ///< of the slowest request
  std::optional<double> stress = {};    ///< OAR's stress factor; empty: OAR did not report it
  std::optional<int> response_ms = {};  ///< latency of the stress factor's request alone
};

[[nodiscard]] std::vector<Cluster> clusters(Transaction& transaction);
/// Those that are not retired, with `login_for_nodes`: of those that need it, or of all.
enum class AskNodes { where_needed, everywhere };
[[nodiscard]] std::vector<Cluster> clusters_to_poll(Transaction& transaction, AskNodes ask = AskNodes::where_needed);
/// Reachable clusters with launches to make, or to search for (void ones since then).
[[nodiscard]] std::vector<Cluster> clusters_with_launches(Transaction& transaction, grid::Instant void_since);
/// Reachable clusters with work for Nikita: waiting jobs, jobs to kill, remaining files of campaigns that ended before.
[[nodiscard]] std::vector<Cluster> clusters_to_wipe(Transaction& transaction, grid::Instant ended_before);
[[nodiscard]] std::optional<Cluster> find_cluster(Transaction& transaction, std::string_view name);

/// Adds a cluster. Its name must be unused.
grid::ClusterId add_cluster(Transaction& transaction, const Cluster& cluster);
/// Writes how the cluster is reached, its power, flood, array size and whether it is enabled.
void edit_cluster(Transaction& transaction, const Cluster& cluster);
/// Removes a cluster that no campaign ever used; false when one did.
[[nodiscard]] bool remove_cluster(Transaction& transaction, grid::ClusterId cluster);

void map_user(Transaction& transaction, std::string_view user, grid::ClusterId cluster, std::string_view login);
/// False: there was no such login.
[[nodiscard]] bool unmap_user(Transaction& transaction, std::string_view user, grid::ClusterId cluster);
/// The login of a user on a cluster, where it differs.
struct UserMapping {
  std::string user;
  std::string cluster;
  std::string login;
};
[[nodiscard]] std::vector<UserMapping> user_mappings(Transaction& transaction);

void record_status(Transaction& transaction, const GridStatus& status);
/// Ends an outage and closes its event, whichever module opened it.
void record_reached(Transaction& transaction, grid::ClusterId cluster, grid::Instant now);
struct MoreOfNodes {
  int reserved = 0;                             ///< usable resources that OAR gives to no best-effort job, not among the others
  grid::NodeSizes reserved_nodes = {};          ///< of these, in any state
  int others = 0;                               ///< those that are no cores
  std::optional<grid::NodeMemory> memory = {};  ///< empty: as before
  grid::LevelSizes levels = {};
};
/// The usable resources, those out of use, and the nodes, as they were read last.
void record_resources(Transaction& transaction, grid::ClusterId cluster, int max_resources, const grid::OutOfUse& out,
                      const grid::NodeSizes& nodes, grid::Instant now, const MoreOfNodes& more = {});
/// Nodes by their free resources: those of best-effort jobs, and the reserved ones.
struct FreeNodes {
  grid::NodeSizes nodes;
  grid::NodeSizes reserved;
};
/// @param free  empty: not known
void record_free_nodes(Transaction& transaction, grid::ClusterId cluster, const std::optional<FreeNodes>& free);
/// The advance reservations that have not begun.
void record_reservations(Transaction& transaction, grid::ClusterId cluster, const std::vector<grid::AdvanceReservation>& reservations);
/// As they were recorded last.
[[nodiscard]] std::vector<grid::AdvanceReservation> reservations(Transaction& transaction, grid::ClusterId cluster);
/// The usable nodes of a cluster, where some are to stay empty.
void record_named_nodes(Transaction& transaction, grid::ClusterId cluster, const grid::NamedNodes& nodes);
/// As they were recorded last; nothing is known of a cluster where none were.
[[nodiscard]] grid::NamedNodes named_nodes(Transaction& transaction, grid::ClusterId cluster);
/// The next poll reads the resources, however new the known ones are.
void reread_resources(Transaction& transaction, grid::ClusterId cluster);
/// Empty: the load was not read.
void record_load(Transaction& transaction, grid::ClusterId cluster, const std::optional<grid::ClusterLoad>& load, grid::Instant now);
/// The login of some user with a campaign there, if there is one.
[[nodiscard]] std::optional<std::string> login_to_ask(Transaction& transaction, grid::ClusterId cluster);
/// The last ends of jobs on a cluster, 1 000 at most: all, those that files of the job prove, and those of jobs that left no file.
struct ProvenEnds {
  std::int64_t ended = 0;
  std::int64_t proven = 0;
  std::int64_t unproven = 0;
};
[[nodiscard]] ProvenEnds proven_ends(Transaction& transaction, grid::ClusterId cluster);
/// `retry_at`: the earliest time of the next request. True for the first failure of an outage, whichever module noticed it.
bool record_unreachable(Transaction& transaction, grid::ClusterId cluster, std::string_view error, grid::Instant now,
                        grid::Instant retry_at);

}  // namespace gleaner::store
