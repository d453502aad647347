#pragma once
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "lib/http/message.hpp"

namespace gleaner::minioar {

enum class FaultMode {
  none,       ///< only latencies
  error,      ///< "500": OAR's JSON error
  html,       ///< a 200 that is an HTML page
  truncate,   ///< a complete answer with half of its body missing
  cut,        ///< the connection ends in the middle of the body
  empty,      ///< the connection ends before the first byte
  reset,      ///< the same with a TCP reset
  hang,       ///< no answer
  refuse,     ///< 503, an HTML page
  forbidden,  ///< "403": OAR's JSON error of a file that cannot be read
  not_found   ///< "404": OAR's JSON error of a file that is not there
};

/// A fault, set by POST /_faults.
struct Fault {
  FaultMode mode = FaultMode::none;
  std::string match;                     ///< prefix of "METHOD /path?name=value&…", without the format; empty: all
  std::int64_t count = -1;               ///< requests still to be affected; negative: until cleared
  bool after_commit = false;             ///< true: the request is carried out, and its answer damaged
  std::chrono::milliseconds latency{0};  ///< before the answer, after the work
  std::chrono::milliseconds delay{0};    ///< before the work
};

/// Jobs that start between two requests, set by POST /_start_after.
struct HeldStart {
  std::string name;        ///< prefix of the jobs' names
  std::string match;       ///< which requests count, as for faults
  std::int64_t count = 1;  ///< requests to be answered before they start
};

/// The active faults. Thread-safe.
class Faults {
 public:
  /// Reads {"mode","match","count","after_commit","latency_ms","delay_ms"}. Error: what is invalid.
  [[nodiscard]] tl::expected<void, std::string> add(const std::string& json);
  void clear();
  /// The latency of every answer, besides that of a fault.
  void set_latency(std::chrono::milliseconds latency);
  [[nodiscard]] std::chrono::milliseconds latency();
  void hold(HeldStart held);
  /// Ends the delays.
  void stop();

  /// The first fault that matches this request; its count decreases.
  [[nodiscard]] std::optional<Fault> take(const std::string& method_and_path);
  /// The prefixes of the jobs that start after this request's answer.
  [[nodiscard]] std::vector<std::string> starts_after(const std::string& method_and_path);
  /// Waits for the fault's delay, or until stop().
  void wait(const Fault& fault);

 private:
  std::mutex mutex_;
  std::condition_variable stopped_;
  std::vector<Fault> faults_;
  std::vector<HeldStart> held_;
  std::chrono::milliseconds latency_{0};
  bool stopping_ = false;
};

/// Whether the request is carried out under this fault.
[[nodiscard]] bool carries_out(const Fault& fault);
/// Damages an answer as the fault requires.
[[nodiscard]] http::Response spoil(const Fault& fault, http::Response response);

}  // namespace gleaner::minioar
