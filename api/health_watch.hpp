#pragma once
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "api/connections.hpp"
#include "lib/fleet/health.hpp"
#include "lib/grid/time.hpp"
#include "lib/process/config.hpp"
#include "lib/store/lease.hpp"
#include "lib/store/views_grid.hpp"

namespace gleaner::api {

/// The state of the grid as GET /health and /ready answer it.
struct Health {
  std::string_view schema = "unknown";
  std::optional<std::string> trouble;  ///< with the database, which states no more then
  grid::Instant now{};                 ///< by the database's clock
  std::optional<store::LeaseHolder> conductor = {};
  std::optional<store::views::Cycle> cycle = {};
  std::vector<fleet::Trouble> troubles = {};
};

/// Reads it in a thread and over a connection of its own, so that a database that hangs (a dying disk, a host that is frozen) keeps neither
/// a monitor nor a thread of the API waiting. Thread-safe.
class HealthWatch {
 public:
  HealthWatch(const Connections& connections, const process::Config& config);
  ~HealthWatch();
  HealthWatch(const HealthWatch&) = delete;
  HealthWatch& operator=(const HealthWatch&) = delete;

  /// A reading that began after this call; one for all who wait. After `patience`: that the database does not answer.
  [[nodiscard]] Health within(std::chrono::milliseconds patience);

 private:
  void serve(const std::stop_token& stop);
  [[nodiscard]] Health read();

  const Connections& connections_;
  const process::Config& config_;
  std::optional<store::Database> database_;  ///< of the thread
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::uint64_t asked_ = 0;
  std::uint64_t answered_ = 0;  ///< those who asked up to here have `last_`
  Health last_;
  std::jthread thread_;  ///< started by the first question; last member
};

}  // namespace gleaner::api
