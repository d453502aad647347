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
  none,       ///< only the latencies
  error,      ///< "500": OAR's JSON error
  html,       ///< a 200 that is an HTML page
  truncate,   ///< a whole answer whose body is half of what it should be
  cut,        ///< the connection ends in the middle of the body
  empty,      ///< the connection ends before the first byte
  reset,      ///< the same with a TCP reset
  hang,       ///< no answer, ever
  refuse,     ///< 503, an HTML page
  forbidden,  ///< "403": OAR's JSON error of a file that cannot be read
  not_found   ///< "404": OAR's JSON error of a file that is not there
};

/// One way to misbehave, asked for with POST /_faults.
struct Fault {
  FaultMode mode = FaultMode::none;
  std::string match;                     ///< prefix of "METHOD /path?name=value&…", without the format; empty: all
  std::int64_t count = -1;               ///< requests still to be spoilt; below 0: until cleared
  bool after_commit = false;             ///< the work is done, its answer spoilt
  std::chrono::milliseconds latency{0};  ///< before the answer, the work being done
  std::chrono::milliseconds delay{0};    ///< before the work
};

/// Jobs that start between two requests, asked for with POST /_start_after.
struct HeldStart {
  std::string name;        ///< prefix of the jobs' names
  std::string match;       ///< of requests, as of faults
  std::int64_t count = 1;  ///< requests still to be answered before they start
};

/// The faults in force. Safe for threads.
class Faults {
 public:
  /// Reads {"mode","match","count","after_commit","latency_ms","delay_ms"}; the error says what is wrong.
  [[nodiscard]] tl::expected<void, std::string> add(const std::string& json);
  void clear();
  /// Of every answer, whatever else strikes it.
  void set_latency(std::chrono::milliseconds latency);
  [[nodiscard]] std::chrono::milliseconds latency();
  void hold(HeldStart held);
  /// Ends the delays.
  void stop();

  /// The fault that strikes this request, the first that matches; it counts.
  [[nodiscard]] std::optional<Fault> take(const std::string& method_and_path);
  /// The names that start now that this request has its answer.
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

/// Must the request be carried out?
[[nodiscard]] bool carries_out(const Fault& fault);
/// Spoils an answer.
[[nodiscard]] http::Response spoil(const Fault& fault, http::Response response);

}  // namespace gleaner::minioar
