#pragma once
#include <fmt/format.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <vector>

#include "lib/oar/client.hpp"

namespace gleaner::contract {

/// How long to wait for jobs of an OAR: as long as their states change, within a time that only a hang takes. OAR carries out its commands
/// one after the other, each by a program that Perl or Python compiles first: behind a dozen of them, a change takes minutes on a busy
/// machine.
class Patience {
 public:
  /// These are the jobs now. Throws std::runtime_error, with their states, when none has changed for too long.
  void look_at(const std::vector<oar::RemoteJob>& jobs) {
    std::string states;
    for (const auto& job : jobs) states += fmt::format(" {}:{}", job.id.value(), oar::name_of(job.state));
    const auto now = std::chrono::steady_clock::now();
    if (states != states_) {
      states_ = std::move(states);
      changed_ = now;
    } else if (now - changed_ > kHang) {
      throw std::runtime_error("the jobs did not come to what was waited for:" + states_);
    }
  }

 private:
  static constexpr std::chrono::minutes kHang{15};
  std::string states_;
  std::chrono::steady_clock::time_point changed_ = std::chrono::steady_clock::now();
};

}  // namespace gleaner::contract
