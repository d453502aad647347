#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "sim/gridlocal/clusters.hpp"
#include "sim/gridlocal/place.hpp"

namespace gleaner::gridlocal {

/// The clusters that `up` provides: minioar clusters, or those of a file.
struct Options {
  MinioarOptions minioar;
  std::optional<std::filesystem::path> clusters_file{};
};

/// Starts the whole grid: database, clusters, API, almighty; running services are kept. Returns a text for people that lists what runs. If
/// it fails, it stops what it started, and throws process::Error.
[[nodiscard]] std::string up(const Place& place, const Options& options);

/// Whether `down` removes the place's files.
enum class Leftovers { remove, keep };

/// Stops the services that `up` started, the last first. The text lists what was done.
[[nodiscard]] std::string down(const Place& place, Leftovers leftovers);

struct Status {
  bool all_running = false;
  std::string text;  ///< one line per service
};
[[nodiscard]] Status status(const Place& place);

/// Shell commands that put the programs of this grid on the shell's PATH.
[[nodiscard]] std::string environment(const Place& place);

}  // namespace gleaner::gridlocal
