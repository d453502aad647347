#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "sim/gridlocal/clusters.hpp"
#include "sim/gridlocal/place.hpp"

namespace gleaner::gridlocal {

/// What `up` makes: minioar clusters, or those of a file.
struct Wish {
  ClusterWish minioar;
  std::optional<std::filesystem::path> clusters_file{};
};

/// Brings the whole grid up: database, clusters, API, almighty; what runs already is left as it
/// is. What this call started is stopped again when it fails, with a process::Error. The text says
/// what is up, for people.
[[nodiscard]] std::string up(const Place& place, const Wish& wish);

/// What `down` does with the place's files.
enum class Leftovers { remove, keep };

/// Stops what `up` started, the last first. The text says what was done.
[[nodiscard]] std::string down(const Place& place, Leftovers leftovers);

struct Status {
  bool all_running = false;
  std::string text;  ///< a line a service
};
[[nodiscard]] Status status(const Place& place);

/// Shell commands that make the programs of this grid the ones of the shell.
[[nodiscard]] std::string environment(const Place& place);

}  // namespace gleaner::gridlocal
