#pragma once
#include <algorithm>
#include <tuple>

#include "metascheduler/planner/orders/order.hpp"

namespace gleaner::planner {

/// A fixed sequence: each campaign has one turn, and gets all that it can.
class Sequence : public Turns {
 public:
  explicit Sequence(std::vector<std::size_t> order) : order_{std::move(order)} {}
  [[nodiscard]] std::optional<Turn> next() override {
    if (at_ == order_.size()) return std::nullopt;
    return Turn{.contender = order_[at_++]};
  }
  void served(const Turn&, const Served&) override {}

 private:
  std::vector<std::size_t> order_;
  std::size_t at_ = 0;
};

/// First come, first served. Source: document 003, "Metascheduler".
class Fifo final : public CampaignOrder {
 public:
  [[nodiscard]] std::string_view name() const override { return "fifo"; }
  [[nodiscard]] std::unique_ptr<Turns> turns(const Class& among) const override {
    auto order = among.members;
    std::ranges::sort(order, {}, [&](std::size_t member) {
      return std::tuple{among.campaign(member).submitted, among.campaign(member).id};
    });
    return std::make_unique<Sequence>(std::move(order));
  }
};

}  // namespace gleaner::planner
