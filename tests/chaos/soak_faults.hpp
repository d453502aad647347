#pragma once
#include <map>
#include <string>
#include <string_view>

#include "tests/chaos/killer.hpp"
#include "tests/seed.hpp"
#include "tests/system/grid_under_test.hpp"

namespace gleaner::tests::soak {

constexpr std::array<const char*, 3> kClusters{"alpha", "beta", "gamma"};

/// Every kind of fault, at random, on three minioars, the database and the grid's own processes.
class Faults {
 public:
  Faults(GridUnderTest& grid, Dice& dice) : grid_{grid}, dice_{dice}, killer_{grid, dice} {}

  /// One more; what it breaks may stay so until `mend`.
  void strike();
  /// Ends all that lasts.
  void mend();
  /// How many there were of each kind.
  [[nodiscard]] const std::map<std::string_view, int>& counts() const { return counts_; }

 private:
  Minioar& some_cluster() { return grid_.cluster(dice_.pick(kClusters)); }
  void kill_server(Minioar& cluster);
  void kill_cluster(Minioar& cluster);
  void restart_database();
  void submit_local_job(Minioar& cluster);

  GridUnderTest& grid_;
  Dice& dice_;
  Killer killer_;
  std::map<std::string_view, int> counts_;
};

}  // namespace gleaner::tests::soak
