#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/store/database.hpp"

/// The database of CiGri 3, which is only read: what it has of clusters, users and campaigns that are not over. All texts are as they were
/// found; absent ones are empty. A row that cannot be read throws Refused, and the transaction is lost.
namespace gleaner::store::cigri {

/// Connects to it, from PostgreSQL 9.4 on, with no settings but those of the conninfo: an old server refuses the ones that it does not
/// know. Throws Unavailable, and WrongSchema when it is not CiGri's, or not for this role to read.
[[nodiscard]] Database open(const std::string& conninfo);

/// Others that are connected to it, CiGri itself perhaps.
struct Sessions {
  std::int64_t others = 0;
  std::string names;  ///< `cigri3 from 10.0.0.1`, with commas between them
};
[[nodiscard]] Sessions other_sessions(Transaction& transaction);

struct Cluster {
  std::string name;
  std::string url;
  std::string authentication;  ///< none, password, cert or jwt
  std::string login;
  std::string password;
  std::string header;
  std::string batch;  ///< oar2_5, oar3 or g5k
  std::string properties;
  bool enabled = true;
};

/// A cluster as users' rows name it.
struct ClusterOfUser {
  std::string name;                         ///< empty: CiGri does not have it any more
  std::optional<std::string> shared_url{};  ///< where others have the same name: the URL of this one
};

/// The login of a user on a cluster.
struct Login {
  std::string user;
  ClusterOfUser cluster;
  std::string login;      ///< or a token, `Bearer TOKEN`
  bool is_token = false;  ///< the cluster knows users by tokens
};

/// The order in which a user's campaigns are served on a cluster: the greatest priority first.
struct Priority {
  std::string user;
  ClusterOfUser cluster;
  std::int64_t priority = 0;
};

struct Campaign {
  std::string user;
  std::string name;
  bool is_paused_by_user = false;
  std::int64_t submitted_at = 0;  ///< seconds since 1970
};

// The ids of the rows, and the rows. Empty: there is none of this id (any more).
[[nodiscard]] std::vector<std::int64_t> cluster_ids(Transaction& transaction);
[[nodiscard]] std::optional<Cluster> cluster(Transaction& transaction, std::int64_t id);
[[nodiscard]] std::vector<std::int64_t> login_ids(Transaction& transaction);
[[nodiscard]] std::optional<Login> login(Transaction& transaction, std::int64_t id);
[[nodiscard]] std::vector<std::int64_t> priority_ids(Transaction& transaction);
[[nodiscard]] std::optional<Priority> priority(Transaction& transaction, std::int64_t id);
/// Those of the campaigns in treatment or paused.
[[nodiscard]] std::vector<std::int64_t> campaign_ids(Transaction& transaction);
/// @param drained  a pause of this last time is not its user's
[[nodiscard]] std::optional<Campaign> campaign(Transaction& transaction, std::int64_t id, std::chrono::seconds drained);

/// The JDL of that campaign, JSON, without its parameters.
[[nodiscard]] std::string jdl(Transaction& transaction, std::int64_t campaign);

/// Tasks whose jobs may be on a cluster: whether they are counted with those that wait.
enum class LiveTasks { apart, waiting };

/// The tasks of a campaign that are not done, in one pass and constant memory. One at a time in a transaction.
class OpenTasks {
 public:
  /// @param longest  characters that are read of each parameter at most
  OpenTasks(Transaction& transaction, std::int64_t campaign, std::size_t longest, LiveTasks live);
  ~OpenTasks();
  OpenTasks(const OpenTasks&) = delete;
  OpenTasks& operator=(const OpenTasks&) = delete;

  [[nodiscard]] std::int64_t live() const;     ///< a job of it may be on a cluster
  [[nodiscard]] std::int64_t failed() const;   ///< and nobody gave them back
  [[nodiscard]] std::int64_t waiting() const;  ///< in the bag, or CiGri would put them there by itself
  /// The first jobs of the live tasks that are apart.
  [[nodiscard]] const std::vector<std::int64_t>& live_jobs() const;

  /// Passes the waiting tasks on, in the order of CiGri's bag. Once.
  void for_each_waiting(const std::function<void(std::int64_t id, std::string_view parameter)>& take);

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace gleaner::store::cigri
