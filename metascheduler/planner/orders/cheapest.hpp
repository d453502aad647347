#pragma once
#include <algorithm>
#include <tuple>

#include "metascheduler/planner/orders/fifo.hpp"
#include "metascheduler/planner/room.hpp"

namespace gleaner::planner {

/// The campaign whose job costs least on the cheapest cluster that fits it goes first. Source:
/// document 000, `prioritize_jobs`.
class Cheapest final : public CampaignOrder {
 public:
  [[nodiscard]] std::string_view name() const override { return "cheapest"; }
  [[nodiscard]] std::unique_ptr<Turns> turns(const Class& among) const override {
    auto order = among.members;
    std::ranges::sort(order, {}, [&](std::size_t member) {
      return std::tuple{cost_of(among.contenders[member]), among.campaign(member).submitted, among.campaign(member).id};
    });
    return std::make_unique<Sequence>(std::move(order));
  }

 private:
  /// The cost of one job for an hour.
  static double cost_of(const Contender& contender) {
    double least = kWholeTurn;
    for (const auto& candidate : contender.candidates)
      least = std::min(least, candidate.cluster->cost * job_resources(*candidate.pair, *candidate.cluster));
    return least;
  }
};

}  // namespace gleaner::planner
