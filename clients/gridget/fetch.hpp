#pragma once
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "clients/api_client.hpp"
#include "clients/gridget/local_tree.hpp"
#include "clients/gridget/progress.hpp"
#include "lib/grid/task_outputs.hpp"
#include "lib/process/config.hpp"

namespace gleaner::clients::gridget {

/// A line of the API's listing.
struct RemoteOutput {
  grid::TaskOutput output;
  std::string cluster;
  std::string state;                 ///< of its task
  std::optional<std::int64_t> size;  ///< empty: unknown
  bool is_missing = false;
};

/// The outcome of the outputs.
struct Tally {
  std::int64_t fetched = 0;
  std::int64_t present = 0;  ///< were here, whole
  std::int64_t missing = 0;  ///< are not on their cluster (any more)
  std::int64_t failed = 0;
  std::int64_t bytes = 0;  ///< that came now
  std::int64_t unsettled = 0;
};

/// The remedies that messages name, as the calling program has them.
struct Remedies {
  std::string again = "run gridget again";
  std::string room = "choose another folder with --to, or tasks with --task";
};

/// Fetches outputs into a tree, a few at a time. The failure of one does not stop the others; it is reported, and counted. A cluster that
/// cannot be reached is given up after a few failures in a row.
class Fetcher {
 public:
  /// @param most  bytes that may come in all
  Fetcher(const process::Config& config, std::int64_t campaign, const LocalTree& tree, Progress& progress, std::int64_t most,
          Remedies remedies = {})
      : config_{config}, campaign_{campaign}, tree_{tree}, progress_{progress}, most_{most}, remedies_{std::move(remedies)} {}

  /// Throws process::Error when the API itself cannot be reached, or when more than `most` bytes would come: before any of these files is
  /// fetched if their sizes are known, else in the middle of one. Likewise if the disk has no room for files of known sizes.
  void fetch(std::span<const RemoteOutput> outputs);

  [[nodiscard]] Tally tally() const { return tally_; }
  [[nodiscard]] bool has_given_up() const { return has_given_up_; }

 private:
  enum class End { whole, gone, failed };
  void check_room(std::span<const RemoteOutput> outputs) const;
  void work(std::span<const RemoteOutput> outputs, std::atomic<std::size_t>& next);
  void fetch_one(ApiClient& api, const RemoteOutput& wanted);
  End transfer(ApiClient& api, const RemoteOutput& wanted, PartialFile& part);
  [[nodiscard]] std::string describe(const RemoteOutput& wanted) const;
  [[nodiscard]] bool is_given_up(const std::string& cluster);
  void note_answer(const std::string& cluster, bool answered);
  void note(const RemoteOutput& wanted, End end);

  process::Config config_;
  std::int64_t campaign_;
  const LocalTree& tree_;
  Progress& progress_;
  std::int64_t most_;
  Remedies remedies_;
  std::mutex mutex_;
  std::map<std::string, int> silent_;  ///< failures in a row, by cluster
  bool has_given_up_ = false;
  std::exception_ptr failure_;
  Tally tally_;
};

}  // namespace gleaner::clients::gridget
