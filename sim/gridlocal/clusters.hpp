#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "sim/gridlocal/place.hpp"
#include "sim/gridlocal/services.hpp"

namespace gleaner::gridlocal {

/// A cluster of the grid, as `gridctl cluster add` wants it.
struct LocalCluster {
  std::string name;
  std::string url;
  std::string login;
  std::filesystem::path password_file;
  std::string identity_header = "X_REMOTE_IDENT";
  std::string user{};  ///< the login there of who runs the grid; empty: the same name
};

/// What `up` was asked to make.
struct ClusterWish {
  int clusters = 2;
  int cores = 1;  ///< of each
};

inline constexpr int kMostClusters = 9;

/// The name of this machine's user who runs the grid.
[[nodiscard]] std::string our_name();

/// Starts minioar clusters (alpha, beta ...), whose jobs are processes of this machine.
[[nodiscard]] std::vector<LocalCluster> start_minioar(const Place& place, Services& services, const ClusterWish& wish);

/// Reads the clusters of a file such as tests/oar-testbed/up writes; throws process::Error when it
/// is not one. Their passwords are put into files that only we can read.
[[nodiscard]] std::vector<LocalCluster> read_clusters(const Place& place, const std::filesystem::path& file);

}  // namespace gleaner::gridlocal
