#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/process/config.hpp"
#include "lib/store/clusters.hpp"
#include "lib/store/database.hpp"
#include "sim/world/array.hpp"
#include "sim/world/database.hpp"

namespace gleaner::world {

/// A time in which a cluster was disabled or retired.
struct Withdrawal {
  std::string cluster;
  grid::Instant begin;
  std::optional<grid::Instant> end;
};

/// The configuration of a world's grid: by its row of the covering array, if it plays that; and what its administrator does meanwhile, as
/// gridctl does it.
class Administrator {
 public:
  Administrator(const Settings& settings, WorldDatabase& database, std::vector<std::string> clusters);

  /// From the configuration.
  static void configure(process::Config& config, const Settings& settings);
  /// For a cluster that is added.
  void configure(store::Cluster& cluster) const;
  /// The limits, and who may submit normal jobs, once the clusters are there.
  void set_up(store::Transaction& transaction, grid::Instant now) const;

  /// When the administrator acts next.
  [[nodiscard]] std::optional<grid::Instant> next() const;
  /// Does what is due.
  void act(const process::Config& config, grid::Instant now);
  [[nodiscard]] const std::vector<Withdrawal>& withdrawals() const { return withdrawals_; }

  /// A limit on what runs.
  struct Bound {
    std::string user;  ///< empty: of all
    bool for_each_user = false;
    int jobs = 0;  ///< 0: resources are meant
    int resources = 0;
  };
  [[nodiscard]] std::optional<Bound> bound() const;
  /// How much the row leaves free on each cluster, if that is a figure.
  [[nodiscard]] int kept_resources(int of) const;

 private:
  [[nodiscard]] std::string_view said(std::string_view name) const;
  void withdraw(const process::Config& config, store::Transaction& transaction);
  void bring_back(store::Transaction& transaction);

  const Settings& settings_;
  WorldDatabase& database_;
  std::vector<std::string> clusters_;
  Row row_;  ///< empty: the array is not played
  std::optional<grid::Instant> leaves_;
  std::optional<grid::Instant> returns_;
  std::vector<Withdrawal> withdrawals_;
};

}  // namespace gleaner::world
