#pragma once
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tests/system/service.hpp"

namespace gleaner::tests {

/// A cluster of the grid under test, as the grid reaches it.
struct TestCluster {
  std::string name;
  std::string url;
  std::string login;  ///< of basic authentication; empty: none
  std::string password;
  std::string identity_header = "X_REMOTE_IDENT";
  std::string user;  ///< the login of the campaigns' user there
  std::string api = "oar2";
  std::string homes{};      ///< of OAR 3, as `gridctl cluster add --homes` takes it
  std::string token_key{};  ///< of OAR 3: the key that signs tokens
};

/// A job of one of the cluster's own users: a normal job, which best-effort ones give way to.
struct LocalJob {
  int cores = 1;
  std::string command = "sleep 1";
  std::string user = "bob";
  std::string walltime = "0:2:0";
  std::optional<std::chrono::seconds> begins_in{};  ///< an advance reservation, so long from now
  std::chrono::seconds limit{600};                  ///< of its submission: against hangs alone, unless the answer may never come
};
/// Its id; throws when it is not accepted.
std::int64_t submit_local(const TestCluster& cluster, const LocalJob& job);
/// Throws when that is not accepted.
void delete_local(const TestCluster& cluster, const std::string& user, std::int64_t id);

struct MinioarWish {
  std::string name;
  int nodes = 2;
  int cores = 4;
  std::vector<std::string> options{};  ///< more of minioar's own
  std::string api = "oar2";            ///< or oar3, g5k
  std::string home_of{};               ///< the minioar whose users' homes are those of this one, too; empty: it has its own
};

/// A minioar of this test alone. Its address stays over a restart, and so do its jobs.
class Minioar {
 public:
  Minioar(const std::filesystem::path& folder, MinioarWish wish);

  void start();
  void stop() { service_.stop(); }
  void kill() { service_.kill(); }
  [[nodiscard]] bool is_running() { return service_.is_running(); }

  [[nodiscard]] TestCluster description() const;
  [[nodiscard]] const std::string& name() const { return wish_.name; }
  [[nodiscard]] std::filesystem::path home(const std::string& user) const { return homes_ / user; }
  [[nodiscard]] const std::filesystem::path& log() const { return service_.log(); }

  /// One more fault, as minioar's POST /_faults takes it.
  void add_fault(const std::string& json) { admin("POST", "/_faults", json); }
  void clear_faults() { admin("DELETE", "/_faults", ""); }
  /// OAR's server dies, as minioar's POST /_server has it: `ends` (late, lost, finishing) is what becomes of jobs that end meanwhile.
  void kill_server(const std::string& ends, std::chrono::milliseconds report_again);
  void start_server() { admin("POST", "/_server", R"({"alive":true})"); }
  /// The next launches go wrong: launching, running, unseen, resubmitted, run_twice.
  void spoil_launches(const std::string& become, int count);
  /// OAR forgets all its jobs, whose processes are killed, and gives their ids again.
  void reinstall() { admin("POST", "/_forget", R"({"last":0,"processes":"killed"})"); }
  /// The same for its newest jobs, as after a data base was restored; their processes go on.
  void restore_without(int newest);
  /// The next jobs that end by themselves are Terminated without an exit code.
  void lose_exit_codes(int count);
  /// The latency of every answer, until the faults are cleared.
  void set_latency(std::chrono::milliseconds latency);
  /// Jobs start when so many requests that begin with `match` ("GET /jobs/table?state=") have their answer.
  void start_after(const std::string& match, int count);
  /// Alive, Absent, Suspected or Dead: all its nodes.
  void set_nodes(const std::string& state);
  /// The same of one, by its number from 1.
  void set_node(int node, const std::string& state);
  /// As OAR 3: its API's session with its database is broken, or whole again, as after the restart of the API.
  void break_session() { admin("POST", "/_session", R"({"broken":true})"); }
  void mend_session() { admin("POST", "/_session", R"({"broken":false})"); }
  /// The answer of GET /stress_factor from now on.
  void set_stress(const std::string& value);
  /// An admission rule gives this name to the jobs submitted from now on; empty: none does.
  void rename_jobs(const std::string& name);
  /// How many best-effort jobs were preempted.
  int preempt(int count);
  /// How many jobs there are in a state of OAR, of everybody.
  [[nodiscard]] int jobs_in(const std::string& state) const;
  /// The state of one job, by OAR's name; empty when there is no such job.
  [[nodiscard]] std::string state_of(std::int64_t job) const;
  /// The submissions that were carried out.
  [[nodiscard]] int submissions() const;

 private:
  std::string admin(const std::string& method, const std::string& path, const std::string& json);
  [[nodiscard]] static process::Command command_of(const std::filesystem::path& folder, const MinioarWish& wish);

  std::filesystem::path folder_;
  std::filesystem::path homes_;
  MinioarWish wish_;
  Service service_;
  std::string base_;  ///< http://address:port
  std::string url_;
};

/// The clusters.json of an OAR testbed; nothing when the variable does not name one.
[[nodiscard]] std::vector<TestCluster> real_clusters(const char* variable = "GLEANER_TEST_OAR");
/// One cluster of this machine's OAR, and one of OAR 2.6 in another Debian; nothing unless GLEANER_TEST_OAR and GLEANER_TEST_OAR26 name
/// their testbeds.
[[nodiscard]] std::vector<TestCluster> clusters_of_two_debians();

}  // namespace gleaner::tests
