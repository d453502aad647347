#pragma once
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "api/connections.hpp"
#include "lib/fleet/health.hpp"
#include "lib/grid/clock.hpp"
#include "lib/process/config.hpp"
#include "lib/store/metrics.hpp"

namespace gleaner::api {

/// The figures of the database for GET /metrics. A thread reads them when they are asked for, at most once a second however many ask, over
/// a connection of its own; so a slow database keeps no scrape waiting for longer than the scrape allows. Thread-safe.
class Figures {
 public:
  enum class State { read, unreachable, wrong_schema };
  struct Reading {
    State state = State::unreachable;
    store::metrics::Figures figures{};
    std::vector<fleet::Trouble> troubles{};
    double seconds = 0;  ///< that the reading took
  };

  Figures(const Connections& connections, const process::Config& config);
  ~Figures();
  Figures(const Figures&) = delete;
  Figures& operator=(const Figures&) = delete;

  /// A reading of the last second. Null: there was none within `patience`.
  [[nodiscard]] std::shared_ptr<const Reading> within(std::chrono::milliseconds patience);

 private:
  void serve(const std::stop_token& stop);
  [[nodiscard]] Reading read();

  const Connections& connections_;
  const process::Config& config_;
  std::optional<store::Database> database_;  ///< of the thread
  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool is_wanted_ = false;
  std::shared_ptr<const Reading> last_;
  grid::SteadyClock::time_point read_at_{};
  std::jthread thread_;  ///< started by the first question; last member
};

}  // namespace gleaner::api
