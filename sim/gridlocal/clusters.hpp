#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "sim/gridlocal/place.hpp"
#include "sim/gridlocal/services.hpp"

namespace gleaner::gridlocal {

/// A cluster of the grid, with the arguments of `gridctl cluster add`.
struct LocalCluster {
  std::string name;
  std::string url;
  std::string login;
  std::filesystem::path password_file;
  std::string identity_header = "X_REMOTE_IDENT";
  std::string user{};  ///< login there of the user who runs the grid; empty: the same name
};

/// The minioar clusters that `up` creates.
struct MinioarOptions {
  int clusters = 2;
  int cores = 1;  ///< of each
};

inline constexpr int kMostClusters = 9;

/// The name of the user who runs the grid.
[[nodiscard]] std::string our_name();

/// Starts minioar clusters (alpha, beta ...), whose jobs are processes of this machine.
[[nodiscard]] std::vector<LocalCluster> start_minioar(const Place& place, Services& services, const MinioarOptions& options);

/// Reads the clusters of a file such as tests/oar-testbed/up writes. Their passwords are written to files that only we can read. Throws
/// process::Error for an invalid file.
[[nodiscard]] std::vector<LocalCluster> read_clusters(const Place& place, const std::filesystem::path& file);

}  // namespace gleaner::gridlocal
