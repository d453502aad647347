#pragma once
#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string_view>
#include <tuple>
#include <utility>

#include "api/metrics_page.hpp"

namespace gleaner::api {

/// The requests that this server answered since it started, by the pattern of their route, so that no request makes a new name.
/// Thread-safe.
class RequestCounts {
 public:
  /// The method and the pattern of a route. A request that no route answered has none.
  struct Route {
    std::string_view method = "none";
    std::string_view pattern = "none";
    auto operator<=>(const Route&) const = default;
  };

  /// @param took  until the answer was there; the time to send it, and that of a stream, is not part of it
  void note(Route route, unsigned status, std::chrono::duration<double> took);
  void write(MetricsPage& page) const;

 private:
  static constexpr std::array kBounds{0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0};
  struct Times {
    double seconds = 0;
    std::array<std::int64_t, kBounds.size() + 1> buckets{};
  };

  mutable std::mutex mutex_;
  std::map<std::pair<Route, unsigned>, std::int64_t> requests_;
  std::map<Route, Times> times_;
};

}  // namespace gleaner::api
