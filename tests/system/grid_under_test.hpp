#pragma once
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lib/grid/id.hpp"
#include "lib/process/child.hpp"
#include "lib/store/database.hpp"
#include "tests/db/await.hpp"
#include "tests/system/clusters.hpp"
#include "tests/system/oracle.hpp"
#include "tests/system/service.hpp"

namespace gleaner::tests {

using Configuration = std::map<std::string, std::string>;

/// A campaign of the tasks "0", "1"… whose command is the oracle's.
struct TestCampaign {
  std::int64_t tasks = 10;
  std::string exec_file;
  std::vector<std::string> clusters{"alpha", "beta"};
  std::string type = "default";
  std::string resources = "/core=1";
  std::string walltime = "0:10:0";
  std::string job_type{};       ///< empty: what the JDL gives; else "normal"
  int max_jobs = 0;             ///< 0: no limit
  bool grouping = false;        ///< temporal_grouping
  bool may_end_at_once = true;  ///< min_duration is 0: no cluster is held to a few tasks until it is judged
  std::string user = "alice";
  std::string more_keys{};                          ///< of the JDL, by gridsub alone: R"("campaign_priority":2)"
  std::map<std::string, std::string> of_cluster{};  ///< more keys of one cluster, likewise
};

/// A grid of its own for one test: database, clusters, configuration, almighty, the commands. All
/// stops and goes when it goes out of scope; when its test failed, it first says what it knows.
class GridUnderTest {
 public:
  /// real_oar3: the minioars of the wish, and the cluster `oar3` that GLEANER_TEST_OAR3 names.
  enum class Backend { minioar, real_oar, two_debians, real_oar3 };
  struct Wish {
    Backend backend = Backend::minioar;
    std::vector<MinioarWish> clusters{{.name = "alpha"}, {.name = "beta"}};
    Configuration configuration{};     ///< on top of short periods, and of time limits that a busy machine keeps
    std::vector<std::string> users{};  ///< more of them, with the same login on every minioar
  };
  explicit GridUnderTest(Wish wish);
  GridUnderTest() : GridUnderTest{Wish{}} {}
  ~GridUnderTest();
  GridUnderTest(const GridUnderTest&) = delete;
  GridUnderTest& operator=(const GridUnderTest&) = delete;

  [[nodiscard]] Service& almighty() { return *almighty_; }
  /// A second conductor on the same database.
  [[nodiscard]] Service& standby() { return *standby_; }
  [[nodiscard]] Service& api();
  [[nodiscard]] Minioar& cluster(const std::string& name);
  [[nodiscard]] const std::vector<TestCluster>& clusters() const { return clusters_; }
  [[nodiscard]] const Oracle& oracle() const { return oracle_; }
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

  /// Runs one of the programs to its end, under this grid's configuration.
  process::Captured run(const std::string& name, std::vector<std::string> arguments, process::Duration limit = kHangGuard);
  /// The same in the background, with its output in a file of the folder.
  [[nodiscard]] Service background(const std::string& name, std::vector<std::string> arguments);

  /// Starts the API, and returns when it answers.
  void start_api();
  /// By gridsub, with its output checked. `jdl` is JSON.
  grid::CampaignId gridsub(const std::string& jdl, std::vector<std::string> options = {});
  /// The same campaign as `submit`, as JSON.
  [[nodiscard]] static std::string jdl_of(const TestCampaign& campaign);
  /// By gridsub, as JSON; starts the API if need be.
  grid::CampaignId gridsub(const TestCampaign& campaign);
  /// Straight into the database, as gridapi does: for the tests of the core alone. Throws when the campaign has keys that only a JDL has.
  grid::CampaignId submit(const TestCampaign& campaign);
  void cancel(grid::CampaignId campaign);
  /// Where the cluster is reached from now on.
  void move_cluster(const std::string& name, const std::string& url);

  /// The first column of the only row, as text; throws while the database is away.
  [[nodiscard]] std::string value(const std::string& sql);
  [[nodiscard]] std::int64_t number(const std::string& sql);
  struct TaskRow {
    std::int64_t number;
    std::string state;
    int charged;
  };
  /// All the tasks of a campaign, by number.
  [[nodiscard]] std::vector<TaskRow> tasks_of(grid::CampaignId campaign);
  /// Statements without an answer.
  void execute(const std::string& sql);
  [[nodiscard]] const std::string& conninfo() const { return conninfo_; }
  /// Waits until the query's only value is the one wanted. A database that is away is waited for.
  [[nodiscard]] ::testing::AssertionResult becomes(const std::string& sql, const std::string& wanted, process::Duration limit = kHangGuard);
  [[nodiscard]] ::testing::AssertionResult terminates(grid::CampaignId campaign, process::Duration limit = kHangGuard);
  /// Terminated, with every task done, each carried out exactly once.
  [[nodiscard]] ::testing::AssertionResult is_exactly_done(grid::CampaignId campaign, std::int64_t tasks,
                                                           const Oracle::CutOff& cut_off = {});
  /// Whether every law of the database holds (lib/store/checks.hpp), as after every commit.
  [[nodiscard]] ::testing::AssertionResult is_consistent();

 private:
  struct Connection;
  /// Waits for a database that is away.
  void transact(const std::function<void(store::Transaction&)>& work);
  void start_clusters(const Wish& wish);
  void register_clusters(const std::vector<std::string>& users);
  void write_configuration(const Configuration& configuration);
  [[nodiscard]] process::Command command_of(const std::string& name, std::vector<std::string> arguments, const std::string& log) const;
  void print_diagnosis() const;

  std::filesystem::path folder_;
  Oracle oracle_;
  std::string conninfo_;
  std::unique_ptr<Connection> connection_;
  std::vector<std::unique_ptr<Minioar>> minioars_;
  std::vector<TestCluster> clusters_;
  std::unique_ptr<Service> almighty_, standby_, api_;
  int backgrounds_ = 0;
};

/// Whether the long variants of the tests are wanted (GLEANER_TEST_LONG).
[[nodiscard]] bool long_runs();

}  // namespace gleaner::tests
