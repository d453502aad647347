#include "metascheduler/planner/first_turns.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace gleaner::planner {
namespace {

class NotedTurns final : public Turns {
 public:
  NotedTurns(std::unique_ptr<Turns> turns, FirstTurns& first) : turns_{std::move(turns)}, first_{first} {}
  [[nodiscard]] std::optional<Turn> next() override {
    const auto turn = turns_->next();
    if (turn) first_.add(turn->contender);
    return turn;
  }
  void served(const Turn& turn, const Served& served) override { turns_->served(turn, served); }
  void head_start(std::size_t contender, const Served& served) override { turns_->head_start(contender, served); }
  [[nodiscard]] std::optional<decisions::Place> place(std::size_t contender) const override { return turns_->place(contender); }
  [[nodiscard]] std::optional<double> chance(std::size_t contender) const override { return turns_->chance(contender); }

 private:
  std::unique_ptr<Turns> turns_;
  FirstTurns& first_;
};

}  // namespace

void add_by_chance(const Class& among, const Turns& turns, FirstTurns& first) {
  std::vector<std::tuple<double, grid::Instant, grid::CampaignId, std::size_t>> order;
  for (const auto member : among.members) {
    const auto chance = turns.chance(member);
    if (!chance) return;
    order.emplace_back(-*chance, among.campaign(member).submitted, among.campaign(member).id, member);
  }
  std::ranges::sort(order);
  for (const auto& one : order) first.add(std::get<std::size_t>(one));
}

std::unique_ptr<Turns> noted(std::unique_ptr<Turns> turns, FirstTurns& first) {
  return std::make_unique<NotedTurns>(std::move(turns), first);
}

}  // namespace gleaner::planner
