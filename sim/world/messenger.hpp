#pragma once
#include <functional>
#include <optional>
#include <string>

#include "lib/oar/messenger.hpp"
#include "sim/world/clusters.hpp"
#include "sim/world/gate.hpp"

namespace gleaner::world {

/// Takes production's requests to the clusters of this process, under the faults of a network and of web servers.
class WorldMessenger final : public oar::Messenger {
 public:
  WorldMessenger(Clusters& clusters, VirtualClock& clock, Faults& faults, Gate& gate, Trace& trace);
  ~WorldMessenger() override;
  WorldMessenger(const WorldMessenger&) = delete;
  WorldMessenger& operator=(const WorldMessenger&) = delete;

  [[nodiscard]] oar::Result<oar::Answer> deliver(const oar::Access& access, const oar::Request& request) override;

  [[nodiscard]] std::int64_t requests() const { return requests_; }

 private:
  [[nodiscard]] oar::Result<oar::Answer> exchange(Cluster& cluster, const oar::Access& access, const oar::Request& request);
  [[nodiscard]] std::optional<oar::Answer> refusal_of(const Cluster& cluster, const oar::Request& request);
  void falsify(const Cluster& cluster, const oar::Request& request, oar::Answer& answer);
  [[nodiscard]] oar::Answer answer_of(Cluster& cluster, const oar::Access& access, const oar::Request& request);

  Clusters& clusters_;
  VirtualClock& clock_;
  Faults& faults_;
  Gate& gate_;
  Trace& trace_;
  Random latency_;
  std::int64_t requests_ = 0;
};

}  // namespace gleaner::world
