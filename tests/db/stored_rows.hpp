#pragma once
#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "lib/grid/id.hpp"

/// The rows of a test's database, typed: tests name members, and each column is named in one place (stored_rows.cpp).
namespace gleaner::tests {

/// How a task stands: `EXPECT_EQ(stored.task().fate(), (Fate{"waiting", .attempt = 1}))`.
struct Fate {
  std::string state;
  int attempt = 0;
  int charged = 0;
  auto operator<=>(const Fate&) const = default;
  friend std::ostream& operator<<(std::ostream& out, const Fate& fate) {
    return out << fate.state << ", attempt " << fate.attempt << ", charged " << fate.charged;
  }
};

struct StoredTask {
  grid::CampaignId campaign;
  std::int64_t number;
  std::string state;
  int attempt, charged, uncounted;
  std::optional<int> replica;
  bool replica_lives, cancelling;
  [[nodiscard]] Fate fate() const { return {state, attempt, charged}; }
};

struct StoredJob {
  grid::JobId id;
  grid::LaunchId launch;
  grid::ClusterId cluster;
  std::int64_t task;
  int attempt;
  std::string state;
  std::string ending;  ///< empty: it is not over
  std::string message;
  std::optional<std::int64_t> remote;
  std::int64_t fence;  ///< its own, else its launch
  int resubmissions;
  std::optional<int> exit_status;
  bool pooled, absent, over, in_sink;
};

struct StoredCampaign {
  grid::CampaignId id;
  std::string name, user, state;
  std::int64_t total, next_task, skipped;
};

struct StoredPair {
  grid::CampaignId campaign;
  grid::ClusterId cluster;
  bool active, suspected;
  int failures_in_a_row, failed_since_done;
  std::int64_t done, concluded;
  double duration_sum;
};

struct StoredLaunch {
  grid::LaunchId id;
  std::string state;
  int jobs, looks;
  std::string tag;  ///< empty: it has none yet
  std::optional<int> pool_s, files;
  bool released;
};

struct ReturnedTask {
  std::int64_t number;
  std::optional<std::int64_t> cluster, fence, request;
  auto operator<=>(const ReturnedTask&) const = default;
};

struct StoredEvent {
  std::int64_t id;
  std::string code, state, message, output;
  std::int64_t occurrences;
  std::optional<std::int64_t> campaign, cluster;
};

struct StoredBrake {
  std::string reason;
  std::string set_by;  ///< empty: the grid
};

struct KillRequest {
  std::int64_t job;
  std::string reason;
  auto operator<=>(const KillRequest&) const = default;
};

/// Reads rows over a connection of its own, which it opens when it is first asked; the committed ones, in the order of their ids. Those in
/// the singular throw std::logic_error unless there is exactly one.
class StoredRows {
 public:
  explicit StoredRows(const std::string& conninfo);
  ~StoredRows();
  StoredRows(const StoredRows&) = delete;
  StoredRows& operator=(const StoredRows&) = delete;

  [[nodiscard]] std::vector<StoredTask> tasks() const;
  [[nodiscard]] StoredTask task() const;
  /// The task of this number, in the only campaign that has it.
  [[nodiscard]] StoredTask task(std::int64_t number) const;
  [[nodiscard]] std::vector<Fate> fates() const;
  /// Tasks in this state.
  [[nodiscard]] std::int64_t tasks_in(std::string_view state) const;
  [[nodiscard]] std::vector<StoredJob> jobs() const;
  [[nodiscard]] StoredJob job() const;
  [[nodiscard]] StoredJob job(grid::JobId id) const;
  [[nodiscard]] StoredJob job_of(std::int64_t task) const;
  /// Jobs with this ending.
  [[nodiscard]] std::int64_t ended(std::string_view ending) const;
  [[nodiscard]] std::vector<StoredCampaign> campaigns() const;
  [[nodiscard]] StoredCampaign campaign() const;
  [[nodiscard]] StoredCampaign campaign(grid::CampaignId id) const;
  [[nodiscard]] std::vector<StoredPair> pairs() const;
  [[nodiscard]] StoredPair pair(grid::CampaignId campaign, grid::ClusterId cluster) const;
  [[nodiscard]] std::vector<StoredLaunch> launches() const;
  [[nodiscard]] StoredLaunch launch() const;
  [[nodiscard]] std::vector<ReturnedTask> returned_tasks() const;
  [[nodiscard]] ReturnedTask returned_task() const;
  [[nodiscard]] std::vector<std::int64_t> returned_numbers() const;
  [[nodiscard]] std::vector<StoredEvent> events() const;
  [[nodiscard]] std::vector<StoredEvent> events(std::string_view code) const;
  [[nodiscard]] std::vector<StoredEvent> open_events() const;
  [[nodiscard]] StoredEvent event() const;
  [[nodiscard]] StoredEvent event(std::string_view code) const;
  [[nodiscard]] std::vector<StoredBrake> brakes() const;
  [[nodiscard]] StoredBrake brake() const;
  [[nodiscard]] std::vector<KillRequest> kills() const;
  [[nodiscard]] KillRequest kill() const;

 private:
  template <class Kind>
  [[nodiscard]] auto read() const;

  struct Connection;
  const std::string& conninfo_;
  mutable std::unique_ptr<Connection> connection_;
};

}  // namespace gleaner::tests
