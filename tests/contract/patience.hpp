#pragma once
#include <fmt/format.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <vector>

#include "lib/oar/client.hpp"

namespace gleaner::contract {

/// How long to wait for jobs of an OAR: as long as their states change. On a busy machine each step of an OAR takes many times longer, and
/// jobs wait for each other.
class Patience {
 public:
  explicit Patience(std::chrono::seconds between_changes) : between_changes_{between_changes} {}

  /// These are the jobs now. Throws std::runtime_error, with their states, when none has changed for too long.
  void look_at(const std::vector<oar::RemoteJob>& jobs) {
    std::string states;
    for (const auto& job : jobs) states += fmt::format(" {}:{}", job.id.value(), oar::name_of(job.state));
    const auto now = std::chrono::steady_clock::now();
    if (states != states_) {
      states_ = std::move(states);
      changed_ = now;
    } else if (now - changed_ > between_changes_) {
      throw std::runtime_error("the jobs did not come to what was waited for:" + states_);
    }
  }

 private:
  std::chrono::seconds between_changes_;
  std::string states_;
  std::chrono::steady_clock::time_point changed_ = std::chrono::steady_clock::now();
};

}  // namespace gleaner::contract
