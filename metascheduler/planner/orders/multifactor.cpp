#include "metascheduler/planner/orders/multifactor.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>

#include "lib/text/numbers.hpp"
#include "lib/text/suggest.hpp"
#include "metascheduler/planner/orders/fifo.hpp"
#include "metascheduler/planner/room.hpp"

namespace gleaner::planner {
namespace {

double seconds(grid::Instant::duration time) { return std::chrono::duration<double>{time}.count(); }

double fairshare_factor(const Snapshot& snapshot, const std::string& name) {
  const auto user = std::ranges::find(snapshot.users, name, &UserView::name);
  if (user == snapshot.users.end() || user->share <= 0.0) return 0.0;
  return std::exp2(-std::max(0.0, user->usage) / user->share);
}

class MultifactorTurns final : public Sequence {
 public:
  MultifactorTurns(std::vector<std::size_t> order, std::map<std::size_t, decisions::place::Multifactor> places)
      : Sequence{std::move(order)}, places_{std::move(places)} {}
  [[nodiscard]] std::optional<decisions::Place> place(std::size_t contender) const override { return places_.at(contender); }

 private:
  std::map<std::size_t, decisions::place::Multifactor> places_;
};

}  // namespace

tl::expected<FactorWeights, std::string> parse_weights(std::string_view text) {
  FactorWeights weights;
  constexpr std::array<std::pair<std::string_view, double FactorWeights::*>, 5> kFactors{{{"age", &FactorWeights::age},
                                                                                          {"fairshare", &FactorWeights::fairshare},
                                                                                          {"size", &FactorWeights::size},
                                                                                          {"priority", &FactorWeights::priority},
                                                                                          {"affinity", &FactorWeights::affinity}}};
  std::array<std::string_view, kFactors.size()> names;
  std::ranges::transform(kFactors, names.begin(), [](const auto& factor) { return factor.first; });
  while (!text.empty()) {
    const auto part = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    const auto colon = part.find(':');
    const auto name = part.substr(0, colon);
    const auto found = std::ranges::find(names, name);
    if (found == names.end())
      return tl::unexpected{
          fmt::format("there is no factor named '{}'{}; there are: {}", name, text::did_you_mean(name, names), fmt::join(names, ", "))};
    const auto number = colon == part.npos ? std::string_view{} : part.substr(colon + 1);
    const auto weight = text::real_number(number);
    if (!weight || *weight < 0.0 || *weight > 1e9)
      return tl::unexpected{fmt::format("the weight of {} is '{}', and must be a number from 0 to 1e9, as in {}:1000", name, number, name)};
    weights.*kFactors[static_cast<std::size_t>(found - names.begin())].second = *weight;
  }
  return weights;
}

Factors factors_of(const Class& among, std::size_t contender) {
  const auto& campaign = among.campaign(contender);
  const auto& candidates = among.contenders[contender].candidates;
  Factors factors;
  factors.age = std::clamp(
      seconds(among.snapshot.now - campaign.submitted) / std::max(1.0, std::chrono::duration<double>{among.config.age_max}.count()), 0.0,
      1.0);
  factors.fairshare = fairshare_factor(among.snapshot, campaign.user);
  factors.priority = static_cast<double>(kLowestPriority - campaign.priority) / (kLowestPriority - 1);
  double affinities = 0.0;
  for (const auto& candidate : candidates) {
    const double resources = job_resources(*candidate.pair, *candidate.cluster);
    factors.size = std::max(factors.size, std::min(1.0, resources / std::max(1, candidate.cluster->max_resources)));
    affinities += candidate.pair->has_affinity ? 1.0 : 0.0;
  }
  if (!candidates.empty()) factors.affinity = affinities / static_cast<double>(candidates.size());
  return factors;
}

double weighted(const Factors& factors, const FactorWeights& weights) {
  return factors.age * weights.age + factors.fairshare * weights.fairshare + factors.size * weights.size +
         factors.priority * weights.priority + factors.affinity * weights.affinity;
}

std::unique_ptr<Turns> Multifactor::turns(const Class& among) const {
  const auto w = parse_weights(among.config.multifactor_weights).value();
  std::map<std::size_t, double> priorities;
  std::map<std::size_t, decisions::place::Multifactor> places;
  const auto factor = [](double value, double weight) {
    return decisions::place::Factor{.value = decisions::rounded(value, 2), .weight = weight};
  };
  for (const auto member : among.members) {
    const auto f = factors_of(among, member);
    priorities[member] = weighted(f, w);
    places[member] = {.priority = decisions::rounded(priorities[member], 0),
                      .age = factor(f.age, w.age),
                      .fairshare = factor(f.fairshare, w.fairshare),
                      .size = factor(f.size, w.size),
                      .campaign_priority = factor(f.priority, w.priority),
                      .affinity = factor(f.affinity, w.affinity)};
  }
  auto order = among.members;
  std::ranges::sort(order, {}, [&](std::size_t member) {
    return std::tuple{-priorities.at(member), among.campaign(member).submitted, among.campaign(member).id};
  });
  return std::make_unique<MultifactorTurns>(std::move(order), std::move(places));
}

}  // namespace gleaner::planner
