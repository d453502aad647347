#pragma once
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace gleaner::tests {

/// A door in front of a cluster's API: bytes go through, until a submission is to lose its answer.
/// Then the request is delivered, the cluster's answer is waited for, so that the work is done, and
/// the client gets something else.
class TcpGate {
 public:
  enum class Instead {
    end_of_file,  ///< the connection is closed before the first byte
    reset,        ///< the same by a TCP reset
    error_500,    ///< another answer: a 500
    late          ///< the answer comes when the client waits no more
  };

  /// Opens it on a free port of 127.0.0.1, before an `http://host:port/path`.
  explicit TcpGate(const std::string& backend_url);
  ~TcpGate();
  TcpGate(const TcpGate&) = delete;
  TcpGate& operator=(const TcpGate&) = delete;

  /// The backend's URL, through the gate.
  [[nodiscard]] std::string url() const;
  /// The answers to the next `count` submissions are lost. `late_by` is for `late`.
  void lose(Instead instead, int count, std::chrono::milliseconds late_by = {});
  /// How many answers were lost.
  [[nodiscard]] int lost() const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace gleaner::tests
