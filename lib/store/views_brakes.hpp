#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "lib/grid/time.hpp"
#include "lib/store/views.hpp"

/// Brakes in force, and launches whose jobs may or may not exist: what keeps tasks from clusters.
namespace gleaner::store::views {

/// A brake on a cluster, a campaign, or a campaign on a cluster.
struct BrakeInForce {
  std::int64_t id = 0;
  std::optional<std::int64_t> campaign{};
  std::string campaign_name{};
  std::string user{};  ///< of the campaign
  std::optional<std::int64_t> cluster{};
  std::string cluster_name{};
  std::string reason{};
  std::optional<std::string> set_by{};  ///< who set it by hand; empty: the grid
  grid::Instant since{};
  grid::Instant until{};
  std::optional<std::int64_t> event{};  ///< of one set by hand: the open event whose closing lifts it
};
/// The time and the conditions by which it ends, in words.
[[nodiscard]] std::string how_it_ends(const BrakeInForce& brake);

/// Those of whole clusters first. @param readers  of campaigns, only those that they may read; empty: all
[[nodiscard]] Page<BrakeInForce> brakes(Transaction& transaction, const std::optional<Readers>& readers, grid::Instant now, Window window);

/// A launch of unknown fate, or one because of which tasks are bound to its cluster.
struct DoubtfulLaunch {
  std::int64_t id = 0;
  std::int64_t campaign = 0;
  std::string campaign_name{};
  std::string user{};
  std::string cluster_name{};
  std::string state{};     ///< unknown, void or accepted
  std::int64_t jobs = 0;   ///< of unknown fate
  std::int64_t tasks = 0;  ///< that wait for the cluster, because a job of the launch may still run there
  int looks = 0;           ///< how often the cluster was searched for its jobs
  std::optional<grid::Instant> sent{};
  std::optional<grid::Instant> since{};  ///< of the doubt
  std::optional<grid::Instant> last_look{};
  std::string error{};
};
/// By id. Cost: O(launches of unknown fate + bound tasks).
[[nodiscard]] Page<DoubtfulLaunch> doubtful_launches(Transaction& transaction, const std::optional<Readers>& readers, Window window);

}  // namespace gleaner::store::views
