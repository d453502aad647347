#pragma once
#include <span>
#include <string>
#include <vector>

#include "lib/process/config.hpp"
#include "lib/store/clusters.hpp"

namespace gleaner::gridctl {

/// A cluster, and a user's login there.
struct HomeOf {
  store::Cluster cluster;
  std::string login;
};

struct HomeFinding {
  std::string cluster;
  std::string says;
  std::string to_do{};  ///< empty: no failure
};

/// Proves what `shared_home` declares. For clusters in use that have one name, a folder with a random name is written through the first,
/// below ~/.gleaner/homes in the login's home, looked for through each of the others, and removed. Clusters whose API takes no files, and
/// those that know the user by another login, are listed as not proven. One that does not answer is left out: others report that.
[[nodiscard]] std::vector<HomeFinding> check_homes(const process::Config& config, std::span<const HomeOf> homes);

}  // namespace gleaner::gridctl
