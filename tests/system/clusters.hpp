#pragma once
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
  std::string login;     ///< of basic authentication; empty: none
  std::string password;
  std::string identity_header = "X_REMOTE_IDENT";
  std::string user;      ///< the login of the campaigns' user there
};

struct MinioarWish {
  std::string name;
  int nodes = 2;
  int cores = 4;
  std::vector<std::string> options{};  ///< more of minioar's own
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
  [[nodiscard]] std::filesystem::path home(const std::string& user) const { return folder_ / "homes" / user; }
  [[nodiscard]] const std::filesystem::path& log() const { return service_.log(); }

  /// One more fault, as minioar's POST /_faults takes it.
  void add_fault(const std::string& json) { admin("POST", "/_faults", json); }
  void clear_faults() { admin("DELETE", "/_faults", ""); }
  /// What GET /stress_factor says from now on.
  void set_stress(const std::string& value);
  /// How many best-effort jobs were preempted.
  int preempt(int count);
  /// How many jobs there are in a state of OAR, of everybody.
  [[nodiscard]] int jobs_in(const std::string& state) const;
  /// The submissions that were carried out.
  [[nodiscard]] int submissions() const;

 private:
  std::string admin(const std::string& method, const std::string& path, const std::string& json);
  [[nodiscard]] static process::Command command_of(const std::filesystem::path& folder, const MinioarWish& wish);

  std::filesystem::path folder_;
  MinioarWish wish_;
  Service service_;
  std::string base_;  ///< http://address:port
  std::string url_;
};

/// The clusters.json of an OAR testbed; nothing when GLEANER_TEST_OAR does not name one.
[[nodiscard]] std::vector<TestCluster> real_clusters();

}  // namespace gleaner::tests
