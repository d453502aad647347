#pragma once
#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string_view>
#include <utility>

namespace gleaner::oar {

/// The requests to one cluster, by method and by what became of them. Thread-safe.
class Traffic {
 public:
  /// Upper bounds of the buckets of latencies; one more bucket has the longer ones.
  static constexpr std::array kBounds{0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0};
  struct Count {
    std::int64_t requests = 0;
    double seconds = 0;
    std::array<std::int64_t, kBounds.size() + 1> buckets{};  ///< each latency is in one of them
  };
  /// The method (`GET`), and the class of the status (`2xx`), `not_sent` or `no_answer`.
  using Kind = std::pair<std::string_view, std::string_view>;

  void note(Kind kind, std::chrono::duration<double> latency);
  /// The counts since the last call.
  [[nodiscard]] std::map<Kind, Count> take();

 private:
  std::mutex mutex_;
  std::map<Kind, Count> counts_;
};

}  // namespace gleaner::oar
